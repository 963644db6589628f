import { manualClock, seededRandom } from '@kalends/conformance';
import { type AccountCredentials, ProviderError, type ProviderSession } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asSecure, createProviderTransport, isSameSite, readTransportOptions } from '../src/index.ts';
import { type ReplayedAnswer, type SeenRequest, startReplay } from './replay-server.ts';

const PASSWORD: AccountCredentials = { kind: 'password', serverUrl: '', username: 'zoë', password: 'se:cret' };

function sessionOf(credentials: AccountCredentials): ProviderSession {
  return {
    accountId: 'acc_1',
    email: 'zoe@example.com',
    accessToken: () => Promise.reject(new Error('this account has no token')),
    credentials: async () => credentials,
  };
}

async function serve(answers: readonly ReplayedAnswer[] | ((request: SeenRequest) => ReplayedAnswer)) {
  const server = await startReplay(answers);
  onTestFinished(server.close);
  const settings = readTransportOptions(
    'CalDAV',
    { clock: manualClock(), random: seededRandom(1) },
    { concurrency: 2, callsPerInterval: Number.POSITIVE_INFINITY, intervalMs: 1_000 },
  );
  const readFailure = ({ status }: { readonly status: number }) =>
    new ProviderError(status === 401 ? 'unauthorized' : 'malformed', `answered ${status}`, { status });
  const transport = createProviderTransport({ settings, readFailure, redirects: 2 });
  const ask = (path: string, credentials: AccountCredentials = PASSWORD) =>
    transport.exchange(sessionOf(credentials), {
      method: 'PROPFIND',
      url: `${server.url}${path}`,
      headers: { 'content-type': 'application/xml', depth: '0' },
      text: '<a/>',
    });
  return { server, ask, transport };
}

const reasonOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no failure',
    (error: unknown) => (ProviderError.isInstance(error) ? error.reason : error),
  );

describe('a request without OAuth', () => {
  it('has the password by Basic in UTF-8, and its text as it is', async () => {
    const { server, ask } = await serve([{ status: 207, body: 'ok' }]);
    expect(await ask('/a')).toMatchObject({ status: 207, text: 'ok', url: `${server.url}/a` });
    const authorization = `Basic ${Buffer.from('zoë:se:cret').toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/xml', depth: '0' };
    expect(server.seen).toMatchObject([{ method: 'PROPFIND', body: '<a/>', headers }]);
  });

  it('has a bearer token, or nothing where the address is the secret', async () => {
    const { server, ask } = await serve([{ status: 200 }]);
    await ask('/', { kind: 'bearer', serverUrl: '', token: 'tok' });
    await ask('/', { kind: 'url', url: '' });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok', undefined]);
  });

  it('has its credentials proved by the session after a 401, and is sent once more with what the session returns', async () => {
    const { server, transport } = await serve([{ status: 401 }, { status: 200 }, { status: 401 }]);
    const refusals: unknown[] = [];
    const ask = (answer: (refused: AccountCredentials) => Promise<AccountCredentials>) =>
      transport.exchange(
        {
          ...sessionOf(PASSWORD),
          credentials: async (refused) => {
            if (refused === undefined) return PASSWORD;
            refusals.push(refused);
            return answer(refused);
          },
        },
        { method: 'GET', url: server.url },
      );
    expect((await ask(async () => ({ ...PASSWORD, password: 'new' }))).status).toBe(200);
    expect(server.seen[1]?.headers.authorization).toBe(`Basic ${Buffer.from('zoë:new').toString('base64')}`);
    // The account can be opened: the object alone is refused.
    expect(await reasonOf(ask(async (refused) => refused))).toBe('unauthorized');
    expect(server.seen).toHaveLength(4);
    const dead = new ProviderError('invalid-grant', 'refused by the server');
    expect(await reasonOf(ask(() => Promise.reject(dead)))).toBe('invalid-grant');
    expect([server.seen.length, refusals]).toEqual([5, [PASSWORD, PASSWORD, PASSWORD]]);
  });
});

describe('a redirect', () => {
  it('is followed with method, body and authorization, and the address is told', async () => {
    const { server, ask } = await serve([{ status: 301, headers: { location: '/b' } }, { status: 207 }]);
    expect(await ask('/a')).toMatchObject({ status: 207, url: `${server.url}/b` });
    const [, second] = server.seen;
    expect(second).toMatchObject({ method: 'PROPFIND', url: '/b', body: '<a/>' });
    expect(second?.headers.authorization).toMatch(/^Basic /);
  });

  it('is a GET after 303', async () => {
    const { server, ask } = await serve([{ status: 303, headers: { location: '/b' } }, { status: 200 }]);
    await ask('/a');
    expect(server.seen[1]).toMatchObject({ method: 'GET', body: '' });
  });

  it('to another site is refused before that is asked', async () => {
    const other = await startReplay([{ status: 200 }]);
    onTestFinished(other.close);
    const { ask } = await serve([{ status: 302, headers: { location: other.url.replace('127.0.0.1', 'localhost') } }]);
    expect(await reasonOf(ask('/'))).toBe('forbidden');
    expect(other.seen).toEqual([]);
  });

  it('too often, or to nowhere, is malformed', async () => {
    const { server, ask } = await serve([{ status: 302, headers: { location: '/' } }]);
    expect(await reasonOf(ask('/'))).toBe('malformed');
    expect(server.seen).toHaveLength(3);
    const { ask: askNowhere } = await serve([{ status: 302, headers: { location: 'http://[' } }]);
    expect(await reasonOf(askNowhere('/'))).toBe('malformed');
  });
});

describe('a redirect from https to http', () => {
  const redirected = async (location: string, status = 301) => {
    const asked: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      asked.push(String(input));
      return asked.length > 1 ? new Response('ok') : new Response(null, { status, headers: { location } });
    };
    const settings = readTransportOptions(
      'CalDAV',
      { clock: manualClock(), random: seededRandom(1), fetch },
      { concurrency: 2, callsPerInterval: Number.POSITIVE_INFINITY, intervalMs: 1_000 },
    );
    const readFailure = () => new ProviderError('malformed', 'no answer');
    const transport = createProviderTransport({ settings, readFailure, redirects: 2 });
    const answer = transport.exchange(sessionOf(PASSWORD), { method: 'GET', url: 'https://dav.example.com/a' });
    const failure = await answer.then(
      () => undefined,
      (error: unknown) => error,
    );
    return { asked, failure };
  };

  it('on one host is followed over https', async () => {
    const { asked, failure } = await redirected('http://dav.example.com/b');
    expect([asked, failure]).toEqual([['https://dav.example.com/a', 'https://dav.example.com/b'], undefined]);
  });

  it.each(['http://dav.example.com:8080/b', 'http://example.com/b'])('to %s is refused by name', async (location) => {
    const { asked, failure } = await redirected(location);
    expect(asked).toEqual(['https://dav.example.com/a']);
    expect(failure).toMatchObject({ reason: 'forbidden', field: 'serverUrl' });
    expect(failure).toHaveProperty('message', expect.stringContaining('redirects to plain http'));
  });
});

it.each([
  ['https://a.example/', 'http://a.example/x?y', 'https://a.example/x?y'],
  ['https://a.example:443/', 'http://a.example:80/', 'https://a.example/'],
  ['https://a.example:8443/', 'http://a.example/', 'http://a.example/'],
  ['https://a.example/', 'http://a.example:8080/', 'http://a.example:8080/'],
  ['https://a.example/', 'http://b.example/', 'http://b.example/'],
  ['http://a.example/', 'http://a.example/x', 'http://a.example/x'],
])('from %s, %s is taken for %s', (from, to, expected) => {
  expect(asSecure(new URL(from), new URL(to)).href).toBe(expected);
});

describe('credentials stay within a site', () => {
  it.each([
    ['https://caldav.icloud.com/', 'https://p42-caldav.icloud.com:443/1/', true],
    ['https://example.com/', 'https://dav.example.com/', true],
    ['http://example.com/', 'https://example.com/', true],
    ['http://127.0.0.1:1/', 'http://127.0.0.1:2/', true],
    ['https://dav.example.co.uk/', 'https://example.co.uk/', true],
    ['https://example.com/', 'http://example.com/', false],
    ['https://example.com/', 'https://example.org/', false],
    ['https://one.co.uk/', 'https://two.co.uk/', false],
    ['https://one.com.au/', 'https://two.com.au/', false],
    ['https://notexample.com/', 'https://example.com/', false],
    ['https://10.0.0.1/', 'https://11.0.0.1/', false],
    ['https://com/', 'https://evil.com/', false],
    ['https://example.com/', 'file:///etc/passwd', false],
  ])('%s to %s: %s', (from, to, expected) => {
    expect(isSameSite(new URL(from), new URL(to))).toBe(expected);
  });
});
