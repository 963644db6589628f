import { expect, test } from 'vitest';
import {
  bodyOf,
  calendarOf,
  conditionOf,
  DOT,
  eventOf,
  KATE,
  multigetOf,
  propfindOf,
  put,
  readMultistatus,
  startCalDav,
  syncAs,
} from './harness.ts';

const href = (name: string): string => `${calendarOf(KATE)}${name}`;

function startWith(...quirks: readonly string[]) {
  const dav = startCalDav();
  dav.control('setQuirks', { quirks });
  return dav;
}

test('rewritesBodies: the body differs and says the same, and its tag is not promised', async () => {
  const dav = startWith('rewritesBodies');
  const body = bodyOf(eventOf('a', ['SUMMARY:x', 'CLASS:PUBLIC']));
  const made = await put(dav, 'a.ics', body);
  expect([made.status, made.headers.get('etag'), made.body]).toEqual([201, null, '']);
  const stored = (await dav.kate('GET', href('a.ics'))).body;
  expect(stored).not.toBe(body);
  expect(stored.split('\r\n').sort()).toEqual(body.split('\r\n').sort());
});

test('propfindTokenLosesChanges: a change of the same instant is lost after PROPFIND, and not after a report', async () => {
  const dav = startWith('propfindTokenLosesChanges');
  const { body } = await dav.kate('PROPFIND', calendarOf(KATE), {
    body: propfindOf('D:sync-token'),
    headers: { depth: '0' },
  });
  const token = readMultistatus(body).responses[0]?.props['sync-token'] ?? '';
  const { next } = await syncAs(dav, KATE, '');
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  expect((await syncAs(dav, KATE, token)).shown).toEqual([]);
  expect((await syncAs(dav, KATE, next)).shown).toEqual(['a.ics']);
  dav.advance(1);
  await put(dav, 'b.ics', bodyOf(eventOf('b')));
  expect((await syncAs(dav, KATE, token)).shown).toEqual(['b.ics']);
});

test('noSyncCollection: neither the report nor the property', async () => {
  const dav = startWith('noSyncCollection');
  expect(conditionOf((await syncAs(dav, KATE, '')).answer)).toBe('403 D:supported-report');
  const names = propfindOf('D:sync-token', 'D:supported-report-set');
  const { body } = await dav.kate('PROPFIND', calendarOf(KATE), { body: names, headers: { depth: '0' } });
  expect(readMultistatus(body).responses[0]?.missing).toEqual(['sync-token']);
  expect(body).not.toContain('sync-collection/');
});

test('weakEtags: headers are weak, properties are strong, and either opens a condition', async () => {
  const dav = startWith('weakEtags');
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  const weak = (await dav.kate('GET', href('a.ics'))).headers.get('etag') ?? '';
  expect(weak).toMatch(/^W\/"/);
  expect((await put(dav, 'a.ics', bodyOf(eventOf('a')), { 'if-match': weak })).status).toBe(204);
});

test('omitsMissingHrefs, omitsListedHref: a multiget answers fewer than it was asked for', async () => {
  const dav = startWith('omitsMissingHrefs', 'omitsListedHref');
  for (const name of ['a', 'b']) await put(dav, `${name}.ics`, bodyOf(eventOf(name)));
  const shown = async (...names: readonly string[]) => {
    const input = { body: multigetOf(names.map(href)), headers: { depth: '1' } };
    const { body } = await dav.kate('REPORT', calendarOf(KATE), input);
    return readMultistatus(body).responses.map((response) => response.href);
  };
  expect(await shown('a.ics', 'b.ics', 'gone.ics')).toEqual([href('b.ics')]);
  expect(await shown('a.ics')).toEqual([href('a.ics')]);
});

test('ignoresIfNoneMatch: a create overwrites', async () => {
  const dav = startWith('ignoresIfNoneMatch');
  await put(dav, 'a.ics', bodyOf(eventOf('a')));
  expect((await put(dav, 'a.ics', bodyOf(eventOf('a')), { 'if-none-match': '*' })).status).toBe(204);
});

test('fullListForEndedToken: everything that is there, and no deletion', async () => {
  const dav = startWith('fullListForEndedToken');
  for (const name of ['a', 'b']) await put(dav, `${name}.ics`, bodyOf(eventOf(name)));
  const { next } = await syncAs(dav, KATE, '');
  await dav.kate('DELETE', href('a.ics'));
  dav.control('expireSyncTokens');
  expect((await syncAs(dav, KATE, next)).shown).toEqual(['b.ics']);
});

test('keepsCancelledCopies, noScheduling: the copy stays cancelled; there is none', async () => {
  const dav = startWith('keepsCancelledCopies');
  const meeting = bodyOf(eventOf('m', [`ORGANIZER:mailto:${KATE}`, `ATTENDEE:mailto:${DOT}`]));
  await put(dav, 'm.ics', meeting);
  await dav.kate('DELETE', href('m.ics'));
  expect((await dav.dot('GET', `${calendarOf(DOT)}m.ics`)).body).toContain('STATUS:CANCELLED');
  const plain = startWith('noScheduling');
  expect((await put(plain, 'm.ics', meeting)).headers.get('schedule-tag')).toBe(null);
  expect((await plain.dot('GET', `${calendarOf(DOT)}m.ics`)).status).toBe(404);
});

test('a quirk that there is not is refused', () => {
  const dav = startCalDav();
  expect(() => dav.control('setQuirks', { quirks: ['slow'] })).toThrow(/^quirks\.0: /);
});

test('openPrincipals: another person reads whose the principal is, and whose the request is, and nothing else of theirs', async () => {
  const principal = `/caldav/principals/${encodeURIComponent(DOT)}/`;
  const body = propfindOf('D:current-user-principal', 'C:calendar-home-set');
  const ask = (dav: ReturnType<typeof startWith>, path: string) =>
    dav.kate('PROPFIND', path, { body, headers: { depth: '0' } });
  expect((await ask(startWith(), principal)).status).toBe(403);
  const dav = startWith('openPrincipals');
  const answer = await ask(dav, principal);
  const [first] = readMultistatus(answer.body).responses;
  expect(first?.href).toBe(principal);
  expect(first?.props['calendar-home-set']?.trim()).toBe(`/caldav/calendars/${encodeURIComponent(DOT)}/`);
  expect(first?.props['current-user-principal']?.trim()).toBe(`/caldav/principals/${encodeURIComponent(KATE)}/`);
  expect((await ask(dav, calendarOf(DOT))).status).toBe(403);
});
