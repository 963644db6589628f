import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AccountCredentials,
  type CredentialProvider,
  ProviderError,
  type ProviderSession,
  type VerifiedCredentials,
} from 'kalends/ports';
import { onTestFinished } from 'vitest';
import { guardedFetch, isAddressRefused, type LookupAll } from '../../src/network/guarded-fetch.ts';
import { fakeCalendar, fakeProvider } from './fake-provider.ts';

/** Opens a calendar server with HTTP Basic on a free port. */
export async function openCalendarServer() {
  const state = {
    url: '',
    /** Passwords by user name. */
    users: new Map([['ada', 'app-password']]),
    tokens: new Map([['static-token', 'ada']]),
    /** Calendars that the server forbids. */
    forbidden: new Set<string>(),
    /** Status that the next requests get instead of an answer. */
    failing: [] as number[],
    redirect: undefined as string | undefined,
    requests: [] as string[],
  };
  const userOf = ({ headers }: IncomingMessage): string | undefined => {
    const [scheme, value = ''] = (headers.authorization ?? '').split(' ');
    if (scheme === 'Bearer') return state.tokens.get(value);
    const [name = '', password = ''] = Buffer.from(value, 'base64').toString().split(':');
    return password !== '' && state.users.get(name) === password ? name : undefined;
  };
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? '');
    const failure = state.failing.shift();
    if (failure !== undefined) return void response.writeHead(failure).end();
    if (state.redirect !== undefined) return void response.writeHead(302, { location: state.redirect }).end();
    const user = userOf(request);
    if (user === undefined) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    if (state.forbidden.has(request.url ?? '')) return void response.writeHead(403).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ user }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  onTestFinished(() => void server.close());
  return state;
}

interface Place {
  readonly serverUrl?: string;
  readonly kinds?: CredentialProvider['authorization']['kinds'];
  readonly allowedNetworks?: readonly string[];
  readonly lookup?: LookupAll;
  /** Whether the server vouches for addresses. @default true */
  readonly isVouching?: boolean;
}

/** Creates a provider of such servers, which dials as providers of the real world do. */
export function basicProvider(place: Place = {}): CredentialProvider {
  const { serverUrl, kinds = ['password', 'bearer'], allowedNetworks = ['127.0.0.0/8'], lookup, isVouching } = place;
  const fetch = guardedFetch({ allowedNetworks, ...(lookup && { lookup }) });

  const ask = async (credentials: AccountCredentials, path: string, signal?: AbortSignal): Promise<string> => {
    if (credentials.kind === 'url') throw new ProviderError('unsupported', 'no feeds here');
    const url = new URL(path, credentials.serverUrl);
    const authorization =
      credentials.kind === 'bearer'
        ? `Bearer ${credentials.token}`
        : `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
    const response = await fetch(url, {
      headers: { authorization },
      redirect: 'follow',
      ...(signal && { signal }),
    }).catch((cause: unknown) => {
      if (isAddressRefused(cause)) throw new ProviderError('forbidden', 'the address must not be asked', { cause });
      throw new ProviderError('unavailable', 'the server does not answer', { cause });
    });
    const text = await response.text();
    if (response.status === 401) throw new ProviderError('unauthorized', 'the server refuses the credentials');
    if (response.status === 403) throw new ProviderError('forbidden', 'the server forbids this');
    if (response.status !== 200) throw new ProviderError('unavailable', `status ${response.status}`);
    const type = response.headers.get('content-type');
    if (type !== 'application/json') throw new ProviderError('malformed', `${type} is no calendar server's`);
    return (JSON.parse(text) as { readonly user: string }).user;
  };

  const verify = async (credentials: AccountCredentials, signal: AbortSignal): Promise<VerifiedCredentials> => {
    if (credentials.kind === 'url') {
      const { host, pathname } = new URL(credentials.url);
      const identity = { providerAccountId: credentials.url, email: `${pathname.slice(1)}@${host}` };
      return { credentials, identity: { ...identity, isEmailVerified: false } };
    }
    const user = await ask(credentials, '/home', signal).catch((error: unknown) => {
      const isRefused = ProviderError.isInstance(error) && error.reason === 'unauthorized';
      throw isRefused ? new ProviderError('invalid-grant', error.message) : error;
    });
    const home = new URL(`/home/${user}`, credentials.serverUrl).href;
    const identity = { providerAccountId: home, email: `${user}@example.com`, isEmailVerified: isVouching ?? true };
    return { credentials: { ...credentials, serverUrl: home }, identity };
  };

  /** One request of an account, with the credentials proved again after a 401, as the port says. */
  const call = async (session: ProviderSession, path: string) => {
    const credentials = await session.credentials?.();
    if (credentials === undefined) throw new Error('the session has no credentials');
    try {
      return await ask(credentials, path, session.signal);
    } catch (error) {
      if (!ProviderError.isInstance(error) || error.reason !== 'unauthorized') throw error;
      return await ask((await session.credentials?.(credentials)) ?? credentials, path, session.signal);
    }
  };

  const { provider } = fakeProvider(() => 0);
  return {
    ...provider,
    authorization: { kind: 'credentials', kinds, ...(serverUrl && { serverUrl }), verify },
    calendars: {
      ...provider.calendars,
      async *pull(session) {
        await call(session, '/calendars');
        const changes = [{ kind: 'calendar', calendar: fakeCalendar('primary') }] as const;
        yield { changes, full: true, nextToken: null };
      },
      exists: async () => true,
    },
    events: {
      ...provider.events,
      async *pull(session, { id }) {
        await call(session, `/calendars/${id}`);
        yield { changes: [], full: true, nextToken: 'token' };
      },
    },
  };
}
