import { boundedFetch } from '@kalends/provider-transport';
import { KalendsError } from 'kalends';
import type { Clock, Fetch } from 'kalends/ports';
import { isRecent } from 'kalends/runtime';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';

/** Asks an authorization server, in bounds of time and size and without following redirects. */
export interface AuthorizationServerClient {
  /** Options of every request. */
  readonly requestOptions: {
    readonly [customFetch]: Fetch;
    readonly [allowInsecureRequests]: boolean;
  };
  readonly fetch: Fetch;
  /** Resolves with its metadata, at most an hour old. @throws KalendsError ProviderUnavailable */
  metadata(): Promise<AuthorizationServer>;
}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1_000_000;
const METADATA_MS = 3_600_000;

export function createAuthorizationServerClient(
  issuer: URL,
  { fetch: given, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): AuthorizationServerClient {
  const limits = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES };
  const fetch = boundedFetch({ provider: 'the authorization server', fetch: given, clock, limits });
  const requestOptions = {
    [customFetch]: (url: string | URL | Request, init?: RequestInit) => fetch(url, init),
    [allowInsecureRequests]: issuer.protocol === 'http:',
  };
  let read: { readonly at: number; readonly metadata: Promise<AuthorizationServer> } | undefined;

  async function discover(): Promise<AuthorizationServer> {
    const failures: unknown[] = [];
    for (const algorithm of ['oauth2', 'oidc'] as const) {
      try {
        const response = await discoveryRequest(issuer, { ...requestOptions, algorithm });
        return await processDiscoveryResponse(issuer, response);
      } catch (error) {
        failures.push(error);
      }
    }
    throw unavailable(new AggregateError(failures));
  }

  return {
    requestOptions,
    fetch,
    metadata() {
      if (read === undefined || !isRecent(clock, read.at, METADATA_MS)) {
        const metadata = discover();
        const mine = { at: clock.now(), metadata };
        read = mine;
        // A failure is not remembered.
        metadata.catch(() => {
          if (read === mine) read = undefined;
        });
      }
      return read.metadata;
    },
  };
}

/** Creates the error of an authorization server that cannot be asked: the token may well be good. */
export function unavailable(cause: unknown): KalendsError {
  return new KalendsError('ProviderUnavailable', 'The authorization server cannot be asked; try again later.', {
    retryAfterMs: 10_000,
    cause,
  });
}
