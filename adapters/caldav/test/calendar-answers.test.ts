import { caldav } from '@kalends/caldav';
import { seededRandom, waitlessClock } from '@kalends/conformance';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import { describe, expect, it } from 'vitest';

const HOST = 'https://dav.example.com';
const ID = Buffer.from('/cal/ada/one/').toString('base64url');
const session: ProviderSession = {
  accountId: 'acc_1',
  email: 'ada@dav.example',
  accessToken: () => Promise.reject(new Error('a CalDAV account has no access token')),
  credentials: async () => ({ kind: 'password', serverUrl: `${HOST}/cal/ada/`, username: 'ada', password: 'x' }),
};

const propstat = (properties: string, status: string) =>
  `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status></D:propstat>`;
function multistatus(href: string, ...propstats: readonly string[]): Response {
  const spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="http://apple.com/ns/ical/"';
  const response = `<D:response><D:href>${href}</D:href>${propstats.join('')}</D:response>`;
  return new Response(`<D:multistatus ${spaces}>${response}</D:multistatus>`, { status: 207 });
}
const calendarAt = (href: string) =>
  multistatus(
    href,
    propstat(
      '<D:displayname>Old</D:displayname><D:resourcetype><D:collection/><C:calendar/></D:resourcetype>',
      '200 OK',
    ),
  );

const calendarsFrom = (answer: (method: string) => Response) =>
  caldav({
    clock: waitlessClock(() => 0),
    random: seededRandom(1),
    fetch: async (_input, init) => answer(init?.method ?? 'GET'),
  }).calendars;

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => (ProviderError.isInstance(error) ? [error.reason, error.field, error.status] : error),
  );

describe('the list of calendars', () => {
  async function idsFrom(href: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { changes } of calendarsFrom(() => calendarAt(href)).pull(session, null))
      for (const change of changes) if (change.kind === 'calendar') ids.push(change.calendar.id);
    return ids;
  }

  it('has those that a server behind a proxy writes with http', async () => {
    expect(await idsFrom('http://dav.example.com/cal/ada/one/')).toEqual([ID]);
  });

  it('is none where it has more than 5,000 calendars: no person has, and they would be stored in one go', async () => {
    const listing = async (count: number) => {
      const properties = '<D:resourcetype><D:collection/><C:calendar/></D:resourcetype>';
      const more = Array.from(
        { length: count - 1 },
        (_, at) => `/cal/ada/${at}/</D:href>${propstat(properties, '200 OK')}`,
      );
      const text = await calendarAt('/cal/ada/one/').text();
      const all = text.replace(
        '</D:response>',
        `${['', ...more].join('</D:response><D:response><D:href>')}</D:response>`,
      );
      return calendarsFrom(() => new Response(all, { status: 207 }))
        .pull(session, null)
        [Symbol.asyncIterator]()
        .next();
    };
    expect((await listing(5_000)).value?.changes).toHaveLength(5_000);
    expect(await failureOf(listing(5_001))).toEqual(['malformed', undefined, undefined]);
  });

  it.each([
    'https://internal.example.com/cal/ada/one/',
    'http://dav.example.com:8080/cal/ada/one/',
  ])('is none where one is at %s: no calendar counts as deleted', async (href) => {
    expect(await failureOf(idsFrom(href))).toEqual(['malformed', undefined, undefined]);
  });
});

describe('a refused property', () => {
  const dependent = propstat('<D:displayname/>', '424 Failed Dependency');
  const refused = propstat('<A:calendar-color/>', '403 Forbidden');

  it.each([
    ['before', [dependent, refused]],
    ['behind', [refused, dependent]],
  ])('is named, and not the one %s it that failed for its sake', async (_place, propstats) => {
    const calendars = calendarsFrom((method) =>
      method === 'PROPPATCH' ? multistatus('/cal/ada/one/', ...propstats) : calendarAt('/cal/ada/one/'),
    );
    const update = calendars.update(session, ID, { name: 'New', hexColor: '#ff0000' });
    expect(await failureOf(update)).toEqual(['unsupported', 'hexColor', undefined]);
  });

  it('of a new calendar gives the failure its status', async () => {
    const calendars = calendarsFrom(() => multistatus('/cal/ada/one/', dependent, refused));
    const made = calendars.create(session, { name: 'New', hexColor: '#ff0000', timeZone: 'UTC' });
    expect(await failureOf(made)).toEqual(['forbidden', undefined, 403]);
  });
});
