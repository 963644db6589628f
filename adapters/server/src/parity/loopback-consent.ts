import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import {
  type Clock,
  type OAuthProvider,
  type ProviderClient,
  ProviderError,
  type Random,
  type TokenGrant,
} from 'kalends/ports';
import { DeadlineError, withDeadline } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import { close, listen, onFreePort } from '../dev/listening.ts';

/** How long a person may take at the provider. */
const LIFETIME_MS = 10 * 60_000;
const PATH = '/callback';
const LOOPBACK = 'http://127.0.0.1';
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

export interface LoopbackConsent {
  readonly provider: OAuthProvider;
  readonly client: ProviderClient;
  /** Port of the listener on 127.0.0.1; 0 for any. */
  readonly port: number;
  /** Host of the redirect URI: a name of this machine that the provider accepts. */
  readonly host: '127.0.0.1' | 'localhost';
  /** Called once, with the address that a browser must open. */
  readonly onReady: (consentUrl: string, redirectUri: string) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Signs in with a browser on this machine (RFC 8252 §7.3, with state and PKCE), and resolves with the refresh token. The listener
 * takes one answer to its own state, and closes.
 * @throws CommandError when the consent is refused, incomplete or too late, or the port is taken
 */
export async function consentOnLoopback(consent: LoopbackConsent): Promise<string> {
  const { provider, client, port, host, onReady, clock, random } = consent;
  const secret = () => Buffer.from(random.bytes(32)).toString('base64url');
  const [state, nonce, codeVerifier] = [secret(), secret(), secret()] as const;
  const server = createServer();
  const callback = callbackOf(server, state);
  const usedPort = await onFreePort(() => listen(server, port), port, '--port');
  const redirectUri = `http://${host}:${usedPort}${PATH}`;
  try {
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const asked = {
      client,
      redirectUri,
      state,
      nonce,
      codeChallenge,
      prompt: 'consent',
      loginHint: undefined,
    } as const;
    onReady(provider.authorization.authorizationUrl(asked), redirectUri);
    const { query, show } = await withDeadline(clock, LIFETIME_MS, () => callback);
    try {
      const code = codeOf(query);
      const grant = await provider.authorization.exchangeCode({ client, redirectUri, code, codeVerifier, nonce });
      const refreshToken = refreshTokenOf(provider, grant);
      show(200, 'The account is connected. Return to the terminal.');
      return refreshToken;
    } catch (error) {
      show(400, 'The account is not connected. The terminal says why.');
      throw error;
    }
  } catch (error) {
    if (error instanceof DeadlineError) throw new CommandError('no consent came within 10 minutes; start again', 1);
    if (ProviderError.isInstance(error))
      throw new CommandError(`the provider refused the code of the consent: ${error.message}`, 1);
    throw error;
  } finally {
    await close(server);
  }
}

/** The provider's answer, brought by the browser. */
interface Callback {
  readonly query: URLSearchParams;
  /** Answers the browser. */
  show(status: number, text: string): void;
}

/** Resolves with the first request that knows the state; other requests are refused. */
function callbackOf(server: Server, state: string): Promise<Callback> {
  return new Promise((resolve) => {
    let isUsed = false;
    server.on('request', ({ method, url: target = '' }, response) => {
      const show = (status: number, text: string) => {
        response.writeHead(status, HEADERS).end(`${text}\n`);
      };
      const url = URL.canParse(target, LOOPBACK) ? new URL(target, LOOPBACK) : undefined;
      if (method !== 'GET' || url?.pathname !== PATH) return show(404, 'There is nothing here.');
      if (!isSame(url.searchParams.get('state') ?? '', state))
        return show(400, 'This is an answer to another sign-in.');
      if (isUsed) return show(410, 'This answer was used before.');
      isUsed = true;
      resolve({ query: url.searchParams, show });
    });
  });
}

/** @throws CommandError when the provider sent no code */
function codeOf(query: URLSearchParams): string {
  const error = query.get('error');
  // Anything may follow the state in the address; the terminal shows plain words alone.
  if (error !== null) throw new CommandError(`the provider refused: ${/^[a-z_]+$/.exec(error)?.[0] ?? 'unknown'}`, 1);
  const code = query.get('code');
  if (code === null || code === '') throw new CommandError('the provider sent no code; start again', 1);
  return code;
}

/** @throws CommandError for a grant that the run cannot use */
function refreshTokenOf({ authorization }: OAuthProvider, { scopes, refreshToken }: TokenGrant): string {
  if (!authorization.coversCalendars(scopes))
    throw new CommandError('the consent does not cover calendars; start again', 1);
  if (refreshToken === undefined) throw new CommandError('the provider gave no refresh token; start again', 1);
  return refreshToken;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string) => timingSafeEqual(sha256(one), sha256(other));
