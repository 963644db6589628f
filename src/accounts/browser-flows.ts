import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthorizationRedirect } from '../engine-interface.ts';
import { invalid } from '../errors.ts';
import { type Clock, KalendsError, type Logger, type Random, type Storage } from '../ports/index.ts';
import { type ByteSealer, describeError } from '../runtime/index.ts';

import { normalMailbox } from './account-connection.ts';
import { createAuthorizationCookie } from './authorization-cookie.ts';
import { type AuthorizationFlow, digestOf, flowSecret, openFlow, sealFlow } from './authorization-flow.ts';
import { providerPathOf } from './provider-registry.ts';
import { type AuthorizationFailure, failureOf, failureRedirect, redirectBack } from './redirect-back.ts';

/** How long a person may take to sign in. */
const LIFETIME_MS = 10 * 60_000;

/** A flow of this browser. */
export interface OpenFlow {
  readonly flow: AuthorizationFlow;
  readonly state: string;
}

/** Steps that every sign-in in a browser has, however its provider signs people in. */
export interface BrowserFlows {
  /** Begins a flow and ties it to the browser by a cookie. @throws KalendsError InvalidRequest on `state` */
  begin(
    flow: Omit<AuthorizationFlow, 'seed' | 'expiresAt'>,
    cookieHeader: string | null,
  ): OpenFlow & { readonly cookies: readonly string[] };
  /** Opens the state of a flow that this browser began. @throws KalendsError InvalidRequest, one for all reasons */
  open(providerPath: string, state: string | undefined, cookieHeader: string | null): OpenFlow;
  /** Uses the state up and returns where the browser goes back. @throws KalendsError InvalidRequest when it was used, InvalidRedirectUrl */
  claim(opened: OpenFlow): Promise<string>;
  /** Does the rest of a claimed flow, and sends the browser back with the account's id or a failure. */
  finish(
    opened: OpenFlow,
    redirectUrl: string,
    work: () => Promise<string | AuthorizationFailure>,
  ): Promise<AuthorizationRedirect>;
  /** Returns the failure of a sign-in with another mailbox than the flow's `loginHint`, if it is one. `proven`: its addresses. */
  hintMismatch(flow: AuthorizationFlow, proven: readonly string[]): AuthorizationFailure | undefined;
}

export function createBrowserFlows(dependencies: {
  readonly storage: Pick<Storage, 'applications' | 'usedStates'>;
  /** Seals flows into `state`. Purpose `authorization`. */
  readonly flowSealer: ByteSealer;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string | undefined;
}): BrowserFlows {
  const { storage, flowSealer, clock, random, logger, publicUrl } = dependencies;
  const cookie = createAuthorizationCookie(publicUrl?.startsWith('https:') ?? true);
  const ownerOf = ({ flow, state }: OpenFlow) => ({ stateHash: hashOf(state), expiresAt: flow.expiresAt });

  return {
    begin(input, cookieHeader) {
      const flow = { seed: random.bytes(32), expiresAt: clock.now() + LIFETIME_MS, ...input };
      const opened = { flow, state: sealFlow(flowSealer, flow) };
      const nonce = flowSecret(flow, 'browser');
      return { ...opened, cookies: cookie.issue(ownerOf(opened), nonce, LIFETIME_MS / 1000, cookieHeader) };
    },

    open(providerPath, state, cookieHeader) {
      if (!state) throw invalid('state', 'is required');
      const flow = openFlow(flowSealer, state);
      // One answer for all: a caller that probes states learns nothing about them.
      if (flow === undefined || flow.expiresAt <= clock.now()) throw unknownFlow();
      if (providerPathOf(flow.providerType) !== providerPath.toLowerCase()) throw unknownFlow();
      const browserNonce = cookie.read(ownerOf({ flow, state }), cookieHeader);
      if (browserNonce === undefined || !isSame(browserNonce, flowSecret(flow, 'browser'))) throw unknownFlow();
      return { flow, state };
    },

    async claim(opened) {
      const { flow } = opened;
      const application = await storage.applications.find(flow.applicationId);
      // Behind the cookie: another browser that came to know the state cannot use it up.
      if (!(await storage.usedStates.mark(ownerOf(opened).stateHash, flow.expiresAt))) throw unknownFlow();
      const redirectUrl = application?.redirectUrls.find((url) => digestOf(url).equals(flow.redirectUrl));
      if (redirectUrl === undefined) {
        throw invalidRedirectUrl('The redirect URL is not registered for the application any more.');
      }
      return redirectUrl;
    },

    async finish(opened, redirectUrl, work) {
      const { flow } = opened;
      const cookies = [cookie.clear(ownerOf(opened))];
      const fail = (failure: AuthorizationFailure) => ({ ...refusal(redirectUrl, failure, flow.state), cookies });
      try {
        const outcome = await work();
        if (typeof outcome !== 'string') return fail(outcome);
        const location = redirectBack(redirectUrl, { endUserAccountId: outcome, state: flow.state });
        return { location, cookies, isRefused: false };
      } catch (error) {
        const failure = failureOf(error);
        logger[failure === undefined ? 'error' : 'warn']('authorization failed', {
          applicationId: flow.applicationId,
          providerType: flow.providerType,
          error: describeError(error),
        });
        return fail(failure ?? { error: 'server_error', description: 'The authorization could not be completed.' });
      }
    },

    hintMismatch({ loginHint }, proven) {
      if (loginHint === null) return undefined;
      if (proven.some((address) => digestOf(normalMailbox(address)).equals(loginHint))) return undefined;
      const description =
        'The user signed in with another mailbox than loginHint names, or the provider does not vouch for its address.';
      return { error: 'login_hint_mismatch', description };
    },
  };
}

/** Returns the redirect that tells the application of a failure. */
export function refusal(redirectUrl: string, failure: AuthorizationFailure, state: string | null) {
  const isOurs = ['server_error', 'temporarily_unavailable'].includes(failure.error);
  return { location: failureRedirect(redirectUrl, failure, state), isRefused: !isOurs };
}

export function invalidRedirectUrl(message: string): KalendsError {
  return new KalendsError('InvalidRedirectUrl', message, { details: [{ path: 'redirectUrl', message }] });
}

const unknownFlow = () =>
  invalid('state', 'is unknown, has been used, has expired, or was begun in another browser; start again');

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest();

const hashOf = (state: string) => sha256(state).toString('hex');

const isSame = (one: string, other: string) => timingSafeEqual(sha256(one), sha256(other));
