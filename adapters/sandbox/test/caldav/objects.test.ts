import { expect, test } from 'vitest';
import {
  bodyOf,
  calendarOf,
  conditionOf,
  eventOf,
  homeOf,
  KATE,
  multigetOf,
  put,
  queryOf,
  readMultistatus,
  startCalDav,
} from './harness.ts';

const href = (name: string): string => `${calendarOf(KATE)}${name}`;

test('keeps each byte of a body, under a new tag for each write', async () => {
  const dav = startCalDav();
  const body = bodyOf(eventOf('a', ['SUMMARY:Zoë \\, and \\; more', 'X-ODD;P="q:r":1,2', 'CLASS:PUBLIC']));
  const made = await put(dav, 'a.ics', body, { 'if-none-match': '*' });
  expect(made.status).toBe(201);
  const read = await dav.kate('GET', href('a.ics'));
  expect([read.body, read.headers.get('etag')]).toEqual([body, made.headers.get('etag')]);
  const listed = await dav.kate('REPORT', calendarOf(KATE), {
    body: multigetOf([href('a.ics')]),
    headers: { depth: '1' },
  });
  const [response] = readMultistatus(listed.body).responses;
  expect(response?.props['calendar-data']).toBe(body);
  expect(response?.props['getetag']).toBe(made.headers.get('etag'));
  const again = await put(dav, 'a.ics', body);
  expect(again.status).toBe(204);
  expect(again.headers.get('etag')).not.toBe(made.headers.get('etag'));
  const known = { 'if-none-match': again.headers.get('etag') ?? '' };
  expect((await dav.kate('GET', href('a.ics'), { headers: known })).status).toBe(304);
});

test('writes under conditions', async () => {
  const dav = startCalDav();
  const first = await put(dav, 'a.ics', bodyOf(eventOf('a')));
  const etag = first.headers.get('etag') ?? '';
  expect((await put(dav, 'a.ics', bodyOf(eventOf('a')), { 'if-none-match': '*' })).status).toBe(412);
  expect((await put(dav, 'b.ics', bodyOf(eventOf('b')), { 'if-match': etag })).status).toBe(412);
  const second = await put(dav, 'a.ics', bodyOf(eventOf('a')), { 'if-match': etag });
  expect(second.status).toBe(204);
  expect((await dav.kate('DELETE', href('a.ics'), { headers: { 'if-match': etag } })).status).toBe(412);
  const newest = second.headers.get('etag') ?? '';
  expect((await dav.kate('DELETE', href('a.ics'), { headers: { 'if-match': `W/${newest}` } })).status).toBe(412);
  expect((await dav.kate('DELETE', href('a.ics'), { headers: { 'if-match': newest } })).status).toBe(204);
  expect((await dav.kate('DELETE', href('a.ics'))).status).toBe(404);
});

test.each([
  ['no iCalendar', 'hello', '403 C:valid-calendar-data'],
  ['no UID', bodyOf(eventOf('a').replace('UID:a\r\n', '')), '403 C:valid-calendar-object-resource'],
  ['two UIDs', bodyOf(eventOf('a'), eventOf('b')), '403 C:valid-calendar-object-resource'],
  ['two masters', bodyOf(eventOf('a'), eventOf('a')), '403 C:valid-calendar-object-resource'],
  ['METHOD', bodyOf('METHOD:REQUEST', eventOf('a')), '403 C:valid-calendar-object-resource'],
  [
    'a task',
    bodyOf('BEGIN:VTODO\r\nUID:a\r\nDTSTAMP:20260301T000000Z\r\nEND:VTODO'),
    '403 C:supported-calendar-component',
  ],
  ['no start', bodyOf(eventOf('a').replace(/DTSTART.*\r\n/, '')), '403 C:valid-calendar-data'],
  ['an end before the start', bodyOf(eventOf('a', ['DTEND:20260302T090000Z'])), '403 C:valid-calendar-data'],
  ['a date and a time', bodyOf(eventOf('a', ['DTEND;VALUE=DATE:20260304'])), '403 C:valid-calendar-data'],
  ['no rule', bodyOf(eventOf('a', ['RRULE:FREQ=SOMETIMES'])), '403 C:valid-calendar-data'],
  ['too much', bodyOf(eventOf('a', [`SUMMARY:${'x'.repeat(1_100_000)}`])), '403 C:max-resource-size'],
])('refuses a body with %s', async (_name, body, condition) => {
  const dav = startCalDav();
  expect(conditionOf(await put(dav, 'a.ics', body))).toBe(condition);
  expect((await dav.kate('GET', href('a.ics'))).status).toBe(404);
});

test('has one resource for each UID', async () => {
  const dav = startCalDav();
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  const second = await put(dav, 'b.ics', bodyOf(eventOf('a')));
  expect(conditionOf(second)).toBe('403 C:no-uid-conflict');
  expect(second.body).toContain(`${calendarOf(KATE)}a.ics`);
  expect(conditionOf(await put(dav, 'a.ics', bodyOf(eventOf('other'))))).toBe('403 C:no-uid-conflict');
  await dav.kate('MKCALENDAR', `${homeOf(KATE)}two/`);
  const input = { body: bodyOf(eventOf('a')), headers: { 'content-type': 'text/calendar' } };
  expect((await dav.kate('PUT', `${homeOf(KATE)}two/a.ics`, input)).status, 'another calendar may').toBe(201);
});

test('names what multiget does not find, and finds hrefs however they are escaped', async () => {
  const dav = startCalDav();
  await put(dav, 'a%20%2B@.ics', bodyOf(eventOf('a')));
  const hrefs = [`${calendarOf(KATE).replace('%40', '@')}a%20+%40.ics`, href('gone.ics'), '/elsewhere/x.ics'];
  const answer = await dav.kate('REPORT', calendarOf(KATE), { body: multigetOf(hrefs), headers: { depth: '1' } });
  expect(
    readMultistatus(answer.body).responses.map(({ status, props }) => status ?? props['getetag'] !== undefined),
  ).toEqual([true, 404, 404]);
});

test('finds by property and by window, with every series that may meet it', async () => {
  const dav = startCalDav();
  await put(dav, 'one.ics', bodyOf(eventOf('one')));
  await put(dav, 'series.ics', bodyOf(eventOf('series', ['RRULE:FREQ=YEARLY'])));
  await put(dav, 'ended.ics', bodyOf(eventOf('ended', ['RRULE:FREQ=DAILY;UNTIL=20260310T090000Z'])));
  const find = async (filter: string, depth = '1') => {
    const answer = await dav.kate('REPORT', calendarOf(KATE), { body: queryOf(filter), headers: { depth } });
    return readMultistatus(answer.body).responses.map((each) => each.href.split('/').at(-1));
  };
  expect(await find('')).toEqual(['one.ics', 'series.ics', 'ended.ics']);
  expect(await find('', '0')).toEqual([]);
  expect(await find('<C:time-range start="20260901T000000Z" end="20261001T000000Z"/>')).toEqual(['series.ics']);
  expect(await find('<C:time-range end="20250101T000000Z"/>')).toEqual([]);
  expect(await find('<C:prop-filter name="UID"><C:text-match>ONE</C:text-match></C:prop-filter>')).toEqual(['one.ics']);
  expect(await find('<C:prop-filter name="RRULE"><C:is-not-defined/></C:prop-filter>')).toEqual(['one.ics']);
});

test('sends a corrupt body until it is repaired', async () => {
  const dav = startCalDav();
  const { headers } = await put(dav, 'a.ics', bodyOf(eventOf('a')));
  dav.control('corruptObject', { email: KATE, href: href('a.ics') });
  const odd = await dav.kate('GET', href('a.ics'));
  expect(odd.body).toContain('DTSTART;VALUE=DATE-TIME:soon\r\n');
  expect(odd.headers.get('etag')).toBe(headers.get('etag'));
  dav.control('repairObject', { email: KATE, href: href('a.ics') });
  expect((await dav.kate('GET', href('a.ics'))).body).toBe(bodyOf(eventOf('a')));
});
