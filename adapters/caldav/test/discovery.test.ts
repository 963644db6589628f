import { type CaldavOptions, caldav, icloud } from '@kalends/caldav';
import { seededRandom, waitlessClock } from '@kalends/conformance';
import { type Provider, ProviderError } from 'kalends/ports';
import { describe, expect, it } from 'vitest';

const HOST = 'https://cloud.example.com';

/** Answers of a server by path; others are 404. A string is the answer of properties. */
type Answers = Readonly<Record<string, number | string | Response>>;

function multistatus(href: string, properties: string): Response {
  const propstat = `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
  const spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"';
  const text = `<D:multistatus ${spaces}><D:response><D:href>${href}</D:href>${propstat}</D:response></D:multistatus>`;
  return new Response(text, { status: 207, headers: { 'content-type': 'application/xml' } });
}

const principal = (href: string) => `<D:current-user-principal><D:href>${href}</D:href></D:current-user-principal>`;
const homes = (...hrefs: readonly string[]) =>
  `<C:calendar-home-set>${hrefs.map((href) => `<D:href>${href}</D:href>`).join('')}</C:calendar-home-set>`;
const ACCOUNT = { '/p/ada/': principal('/p/ada/') + homes('/cal/ada/') };

/** A server, with the addresses that it is asked. */
function serve(answers: Answers) {
  const asked: string[] = [];
  const options: CaldavOptions = {
    clock: waitlessClock(() => Date.UTC(2027, 0, 1)),
    random: seededRandom(5),
    async fetch(input) {
      const url = new URL(String(input));
      asked.push(url.href);
      const answer = answers[url.pathname] ?? 404;
      if (typeof answer === 'number') return new Response('', { status: answer });
      return typeof answer === 'string' ? multistatus(url.pathname, answer) : answer.clone();
    },
  };
  return { asked, options };
}

async function signInTo({ authorization }: Provider, serverUrl = HOST) {
  if (authorization.kind !== 'credentials') throw new Error('CalDAV signs in by credentials');
  const typed = { kind: 'password', serverUrl, username: 'ada', password: 'x' } as const;
  return authorization.verify(typed, AbortSignal.timeout(10_000));
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => {
      if (!ProviderError.isInstance(error)) throw error;
      return { reason: error.reason, field: error.field, message: error.message };
    },
  );

describe('an outage', () => {
  it.each([500, 502, 503, 504])('of a preset, %i, reads like no wrong password', async (status) => {
    const { options } = serve({ '/': status, '/.well-known/caldav': status });
    expect(await failureOf(signInTo(icloud(options)))).toMatchObject({ reason: 'unavailable', field: undefined });
  });

  it('of one starting point counts where no other has calendars', async () => {
    const { options } = serve({ '/': 503 });
    expect(await failureOf(signInTo(caldav(options)))).toMatchObject({ reason: 'unavailable' });
  });

  it('of one starting point does no harm where another has calendars', async () => {
    const { options } = serve({ '/.well-known/caldav': 503, '/': principal('/p/ada/'), ...ACCOUNT });
    expect((await signInTo(caldav(options))).credentials).toMatchObject({ serverUrl: `${HOST}/cal/ada/` });
  });
});

describe('a well-known address that redirects to http', () => {
  const redirect = (location: string) => new Response(null, { status: 301, headers: { location } });

  it('on the same host is followed over https', async () => {
    const known = redirect('http://cloud.example.com/remote.php/dav/');
    const server = serve({ '/.well-known/caldav': known, '/remote.php/dav/': principal('/p/ada/'), ...ACCOUNT });
    expect((await signInTo(caldav(server.options))).credentials).toMatchObject({ serverUrl: `${HOST}/cal/ada/` });
    expect(server.asked.filter((url) => !url.startsWith(HOST))).toEqual([]);
  });

  it('at another port is no reason against the next starting point', async () => {
    const known = redirect('http://cloud.example.com:8080/remote.php/dav/');
    const server = serve({ '/.well-known/caldav': known, '/': principal('/p/ada/'), ...ACCOUNT });
    expect((await signInTo(caldav(server.options))).credentials).toMatchObject({ serverUrl: `${HOST}/cal/ada/` });
    expect(server.asked.filter((url) => !url.startsWith(`${HOST}/`))).toEqual([]);
  });

  it('at another port is told where no starting point has calendars', async () => {
    const known = redirect('http://cloud.example.com:8080/remote.php/dav/');
    const failure = await failureOf(signInTo(caldav(serve({ '/.well-known/caldav': known }).options)));
    expect(failure).toMatchObject({ reason: 'forbidden', field: 'serverUrl' });
    expect(failure?.message).toContain('redirects to plain http');
  });
});

it('takes addresses that a server behind a proxy writes with http for those of its own host', async () => {
  const plain = 'http://cloud.example.com';
  const own = principal(`${plain}/p/ada/`) + homes(`${plain}/cal/ada/`);
  const server = serve({ '/': principal(`${plain}/p/ada/`), '/p/ada/': own });
  const { credentials, identity } = await signInTo(caldav(server.options));
  expect([credentials, identity]).toMatchObject([
    { serverUrl: `${HOST}/cal/ada/` },
    { providerAccountId: `${HOST}/p/ada/` },
  ]);
  expect(server.asked.filter((url) => !url.startsWith(HOST))).toEqual([]);
});

it.each([
  [['/cal/ada/'], []],
  [['/cal/ada/', '/cal/team/'], [{ host: 'cloud.example.com', homes: 2 }]],
])('warns where calendars are in more than one collection: %j', async (hrefs, expected) => {
  const warnings: unknown[] = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_message: string, fields: unknown) => warnings.push(fields),
  };
  const { options } = serve({ '/': principal('/p/ada/'), '/p/ada/': principal('/p/ada/') + homes(...hrefs) });
  const { credentials } = await signInTo(caldav({ ...options, logger }));
  expect(credentials).toMatchObject({ serverUrl: `${HOST}/cal/ada/` });
  expect(warnings.filter((fields) => JSON.stringify(fields).includes('homes'))).toEqual(expected);
});

it('takes no server for one of CalDAV that answers otherwise', async () => {
  const { options } = serve({});
  expect(await failureOf(signInTo(caldav(options)))).toMatchObject({ reason: 'malformed', field: 'serverUrl' });
});
