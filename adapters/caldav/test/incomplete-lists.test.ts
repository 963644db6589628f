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
async function tagsFrom(answer: (url: string) => Response): Promise<readonly string[] | string> {
  const provider = caldav({
    fetch: async (input) => answer(String(input)),
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

it('finds the objects of a server that redirects and writes absolute addresses', async () => {
  const answer = (url: string) =>
    new URL(url).host === 'dav.example'
      ? new Response(null, { status: 301, headers: { location: 'https://p2.dav.example/ada/work/' } })
      : listOf(found('https://p2.dav.example/ada/work/'), found('https://p2.dav.example/ada/work/a.ics'));
  expect(await tagsFrom(answer)).toEqual(['/ada/work/a.ics']);
});
