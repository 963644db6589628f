import { expect, it } from 'vitest';
import { readMultistatus } from '../../src/protocol/multistatus.ts';
import { apple, dav } from '../../src/protocol/names.ts';

const inside = (content: string): string =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:x="http://apple.com/ns/ical/">${content}</d:multistatus>`;

const response = (content: string): string => inside(`<d:response><d:href>/a</d:href>${content}</d:response>`);

const propstat = (prop: string, status: string): string =>
  `<d:propstat><d:prop>${prop}</d:prop><d:status>${status}</d:status></d:propstat>`;

async function only(text: string) {
  const { responses } = await readMultistatus(text);
  expect(responses).toHaveLength(1);
  const [first] = responses;
  if (first === undefined) throw new Error('there is none');
  return first;
}

it('keeps the found value when a second propstat has it empty, before or after (iCloud)', async () => {
  const found = propstat('<d:displayname>Home</d:displayname>', 'HTTP/1.1 200 OK');
  const missing = propstat('<d:displayname/><x:calendar-color/>', 'HTTP/1.1 404 Not Found');
  for (const text of [response(found + missing), response(missing + found)]) {
    const { props } = await only(text);
    expect(props.get(dav('displayname'))?.text).toBe('Home');
    expect(props.has(apple('calendar-color'))).toBe(false);
  }
});

it('joins text and CDATA, decodes references, and coerces nothing', async () => {
  for (const [written, read] of [
    ['1.10', '1.10'],
    ['true', 'true'],
    ['a<![CDATA[<b>&amp;]]>&#13;&lt;', 'a<b>&amp;\r<'],
    ['tab\tand\u0001control', 'tab\tandcontrol'],
  ] as const) {
    const { props } = await only(response(propstat(`<d:displayname>${written}</d:displayname>`, 'HTTP/1.1 200 OK')));
    expect(props.get(dav('displayname'))?.text).toBe(read);
  }
});

it('goes by namespaces, whatever their prefixes', async () => {
  const text = `<multistatus xmlns="DAV:"><response><href>/a</href><propstat><prop><c:getetag xmlns:c="DAV:">"1"</c:getetag>
    <getetag xmlns="urn:other">other</getetag></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`;
  expect([...(await only(text)).props.values()].map(({ name, text: value }) => [name, value])).toEqual([
    ['{DAV:}getetag', '"1"'],
    ['{urn:other}getetag', 'other'],
  ]);
});

it('reads statuses of resources, preconditions, several hrefs, and status lines without a phrase', async () => {
  const gone = '<d:response><d:href>/a</d:href><d:href>/b</d:href><d:status>HTTP/1.1 404</d:status></d:response>';
  const full =
    '<d:response><d:href>/</d:href><d:status>HTTP/2 507 Insufficient Storage</d:status><d:error><d:number-of-matches-within-limits/></d:error></d:response>';
  const { responses, syncToken } = await readMultistatus(inside(`${gone}${full}<d:sync-token> t1 </d:sync-token>`));
  expect(responses.map(({ href, status, errors }) => [href, status, errors])).toEqual([
    ['/a', 404, []],
    ['/b', 404, []],
    ['/', 507, ['{DAV:}number-of-matches-within-limits']],
  ]);
  expect(syncToken).toBe('t1');
});

it('takes an empty sync token for none', async () => {
  expect((await readMultistatus(inside('<d:sync-token/>'))).syncToken).toBeUndefined();
});

it.each([
  ['a DOCTYPE', '<!DOCTYPE d [<!ENTITY a "aaaa">]><d:multistatus xmlns:d="DAV:"/>'],
  ['HTML', '<html><body>Sign in</body></html>'],
  ['broken XML', '<d:multistatus xmlns:d="DAV:"><d:response></d:multistatus>'],
  ['an unknown entity', inside('<d:response><d:href>&boom;</d:href></d:response>')],
  ['a body that was cut', '<d:multistatus xmlns:d="DAV:"><d:response>'],
  ['elements without end', `<d:multistatus xmlns:d="DAV:"><d:response>${'<d:a>'.repeat(1000)}`],
  ['nothing', ''],
])('%s is malformed', async (_name, text) => {
  await expect(readMultistatus(text)).rejects.toMatchObject({ reason: 'malformed' });
});

it('reads a long list in several turns of the event loop', async () => {
  const one = `<d:response><d:href>/a</d:href>${propstat(`<d:getetag>"${'x'.repeat(500)}"</d:getetag>`, 'HTTP/1.1 200 OK')}</d:response>`;
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 0);
  const { responses } = await readMultistatus(inside(one.repeat(5_000)));
  clearInterval(ticking);
  expect(responses).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(2);
});
