import { caldav } from '@kalends/caldav';
import { seededRandom, waitlessClock } from '@kalends/conformance';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import { expect, it } from 'vitest';

const HOME = 'https://dav.example/ada/';
const CALENDAR = {
  id: Buffer.from('/ada/work/').toString('base64url'),
  timeZone: 'UTC',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: [],
  defaultOnlineMeetingProvider: '',
};
const session: ProviderSession = {
  accountId: 'acc_1',
  email: 'ada@dav.example',
  accessToken: () => Promise.reject(new Error('a CalDAV account has no access token')),
  credentials: async () => ({ kind: 'password', serverUrl: HOME, username: 'ada', password: 'x' }),
};

const found = (href: string, tag = '"1"') =>
  `<response><href>${href}</href><propstat><prop><getetag>${tag}</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response>`;
const failed = (href: string, status: string) =>
  `<response><href>${href}</href><status>HTTP/1.1 ${status}</status></response>`;
const listOf = (...responses: readonly string[]) =>
  new Response(`<multistatus xmlns="DAV:">${responses.join('')}</multistatus>`, { status: 207 });

/** Lists the objects' tags, as the engine does to sweep away what is absent. */
async function tagsFrom(answer: (url: string, body: string) => Response): Promise<readonly string[] | string> {
  const provider = caldav({
    fetch: async (input, init) => answer(String(input), String(init?.body)),
    clock: waitlessClock(() => 0),
    random: seededRandom(1),
  });
  const paths: string[] = [];
  try {
    for await (const page of provider.events.listTags?.(session, CALENDAR) ?? []) {
      paths.push(...page.map(({ providerEventId }) => Buffer.from(providerEventId, 'base64url').toString()));
    }
  } catch (error) {
    if (!ProviderError.isInstance(error)) throw error;
    return error.reason;
  }
  return paths;
}

it('takes a list that is not whole for no list, so that nothing counts as deleted', async () => {
  const self = found('/ada/work/');
  expect(await tagsFrom(() => listOf(self, found('/ada/work/a.ics')))).toEqual(['/ada/work/a.ics']);
  expect(await tagsFrom(() => listOf(self))).toEqual([]);
  expect(await tagsFrom(() => listOf())).toBe('malformed');
  const cut = failed('/ada/work/', '507 Insufficient Storage');
  expect(await tagsFrom(() => listOf(cut, found('/ada/work/a.ics')))).toBe('malformed');
  // Xandikos, for a calendar that does not exist.
  expect(await tagsFrom(() => listOf(failed('http%3A//dav.example/ada/work/', '404 Not Found')))).toBe('not-found');
  expect(await tagsFrom(() => listOf(self, found('http://internal:8080/ada/work/a.ics')))).toBe('malformed');
});

const isQuery = (body: string) => /<C:calendar-query .*<C:comp-filter name="VEVENT"\/>/.test(body.replaceAll('\n', ''));

it('lists no tasks where the server tells them from events', async () => {
  const all = [found('/ada/work/'), found('/ada/work/a.ics'), found('/ada/work/task.ics')];
  const asked: string[] = [];
  const tags = await tagsFrom((_url, body) => {
    asked.push(body);
    return isQuery(body) ? listOf(found('/ada/work/a.ics')) : listOf(...all);
  });
  expect([tags, asked.length]).toEqual([['/ada/work/a.ics'], 1]);
  // Of a calendar with tasks alone too.
  expect(await tagsFrom((_url, body) => listOf(...(isQuery(body) ? [] : all.slice(0, 1))))).toEqual([]);
});

it.each([
  ['403', () => new Response('<error xmlns="DAV:"><supported-report/></error>', { status: 403 })],
  ['500', () => new Response('', { status: 500 })],
  ['501', () => new Response('', { status: 501 })],
  ['200', () => new Response('')],
  ['a part, and 507', () => listOf(found('/ada/work/a.ics'), failed('/ada/work/', '507 Insufficient Storage'))],
  ['404 inside of 207', () => listOf(failed('/ada/work/', '404 Not Found'))],
])('lists every object where the query for events is answered %s', async (_answer, refuse) => {
  const all = listOf(found('/ada/work/'), found('/ada/work/a.ics'), found('/ada/work/b.ics'));
  const tags = await tagsFrom((_url, body) => (isQuery(body) ? refuse() : all.clone()));
  expect(tags).toEqual(['/ada/work/a.ics', '/ada/work/b.ics']);
});

it('takes no empty answer for that of a calendar that is gone', async () => {
  const gone = new Response('', { status: 404 });
  expect(await tagsFrom((_url, body) => (isQuery(body) ? listOf() : gone.clone()))).toBe('not-found');
});

it('finds the objects of a server that redirects and writes absolute addresses', async () => {
  const answer = (url: string) =>
    new URL(url).host === 'dav.example'
      ? new Response(null, { status: 301, headers: { location: 'https://p2.dav.example/ada/work/' } })
      : listOf(found('https://p2.dav.example/ada/work/'), found('https://p2.dav.example/ada/work/a.ics'));
  expect(await tagsFrom(answer)).toEqual(['/ada/work/a.ics']);
});
