import { invalid } from '../errors.ts';
import type { SignIn } from '../model/index.ts';
import { isAddressRefused, REFUSED_ADDRESS } from '../network/index.ts';
import {
  type AccountCredentials,
  type Clock,
  type CredentialProvider,
  KalendsError,
  type Logger,
  ProviderError,
  type VerifiedCredentials,
} from '../ports/index.ts';
import { DeadlineError, describeError, withDeadline } from '../runtime/index.ts';
import type { GuessLimit } from './guess-limit.ts';
import { providerFailure } from './provider-failure.ts';

/** Discovery takes a handful of requests. */
const TIMEOUT_MS = 30_000;

/** The account to be signed in to, and from where. */
export interface SignInTarget {
  readonly providerType: string;
  readonly provider: CredentialProvider;
  /** The person's network address; undefined when it is unknown. */
  readonly address?: string | undefined;
  /** The application whose API key sends the credentials; undefined for the browser flow. */
  readonly applicationId?: string | undefined;
}

/** Checks credentials by a real request, with guesses limited. */
export interface SignInCheck {
  /**
   * Returns the credentials as to be stored, with the mailbox behind them. Without anything stored.
   * @throws KalendsError InvalidRequest for credentials that the provider does not take, and for an API key's address that the guard
   * refuses, naming the field; InvalidCredentials, the one answer for every other failure at a server that the person names;
   * RateLimited; the provider's failure at a server of its own
   */
  verify(target: SignInTarget, signIn: SignIn): Promise<VerifiedCredentials>;
}

export function createSignInCheck(dependencies: {
  readonly guesses: GuessLimit;
  readonly clock: Clock;
  readonly logger: Logger;
}): SignInCheck {
  const { guesses, clock, logger } = dependencies;
  return {
    async verify({ providerType, provider, ...sender }, signIn) {
      const { authorization } = provider;
      const credentials = completeCredentials(authorization, signIn);
      const host = hostOf(credentials);
      const takeBack = await guesses.take({
        ...sender,
        host,
        user: credentials.kind === 'password' ? credentials.username : undefined,
      });
      try {
        const verified = await withDeadline(clock, TIMEOUT_MS, (signal) => authorization.verify(credentials, signal));
        await takeBack();
        return verified;
      } catch (error) {
        if (!ProviderError.isInstance(error) && !(error instanceof DeadlineError)) throw error;
        logger.warn('credentials refused', { providerType, host, error: describeError(error) });
        // Webhook URLs tell the holders of API keys as much; the page of the browser flow is open to everybody.
        if (sender.applicationId !== undefined && isAddressRefused(error)) throw refusedAddress(credentials);
        throw signInFailure(error, authorization.serverUrl !== undefined);
      }
    },
  };
}

/** Reasons that say nothing about the credentials, at a server that is known to be one. */
const OUTAGES: readonly ProviderError['reason'][] = ['unavailable', 'timeout', 'rate-limited', 'operator'];

/**
 * The one answer at servers that people name: what tells a wrong password from a closed port would let anyone look into networks. A
 * provider's own server is no secret, and its outages must not read like wrong passwords.
 */
function signInFailure(error: ProviderError | DeadlineError, isOwnServer: boolean): KalendsError {
  if (isOwnServer) {
    const known = ProviderError.isInstance(error) ? error : new ProviderError('timeout', error.message);
    if (OUTAGES.includes(known.reason)) return providerFailure(known);
  }
  const message =
    'The server does not accept the credentials, or does not answer as a calendar server at a public address.';
  return new KalendsError('InvalidCredentials', message, {
    details: [{ path: 'credentials', message }],
    cause: error,
  });
}

const refusedAddress = ({ kind }: AccountCredentials) =>
  invalid(`credentials.${kind === 'url' ? 'url' : 'serverUrl'}`, REFUSED_ADDRESS);

/** @throws KalendsError InvalidRequest naming the field */
function completeCredentials(
  { kinds, serverUrl: own }: CredentialProvider['authorization'],
  signIn: SignIn,
): AccountCredentials {
  if (!kinds.includes(signIn.kind)) throw invalid('credentials.kind', `must be ${kinds.join(' or ')}`);
  if (signIn.kind === 'url') return signIn;
  const { serverUrl: given, ...secrets } = signIn;
  const serverUrl = own ?? given;
  if (serverUrl === undefined) throw invalid('credentials.serverUrl', 'is required');
  // Answered credentials name the address that discovery found; they may be sent back.
  if (own !== undefined && given !== undefined && !isSameSite(own, given)) {
    throw invalid('credentials.serverUrl', `must be absent or ${own}`);
  }
  return { ...secrets, serverUrl };
}

function hostOf(credentials: AccountCredentials): string {
  const { hostname } = new URL(credentials.kind === 'url' ? credentials.url : credentials.serverUrl);
  // With the dot of the root a name means the same host, and must not open a second round of guesses.
  return hostname.replace(/\.$/, '');
}

/** Whether two URLs are of one registrable domain, as far as its last two labels tell. */
function isSameSite(one: string, other: string): boolean {
  const siteOf = (url: string) => new URL(url).hostname.split('.').slice(-2).join('.');
  return siteOf(one) === siteOf(other);
}
