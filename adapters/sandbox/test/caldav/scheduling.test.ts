import { expect, test } from 'vitest';
import { bodyOf, calendarOf, conditionOf, DOT, eventOf, homeOf, KATE, put, startCalDav, syncAs } from './harness.ts';

const PEOPLE = [`ORGANIZER:mailto:${KATE}`, `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${KATE}`];
const invited = (email: string, partstat = 'NEEDS-ACTION') => `ATTENDEE;PARTSTAT=${partstat}:mailto:${email}`;
const meeting = (lines: readonly string[] = []) => eventOf('m', ['SUMMARY:Plan', ...PEOPLE, invited(DOT), ...lines]);
const unfolded = (body: string): string => body.replaceAll('\r\n ', '');
const SERIES = 'RRULE:FREQ=DAILY;COUNT=5';

async function start() {
  const dav = startCalDav();
  const path = `${calendarOf(DOT)}m.ics`;
  return {
    ...dav,
    dav,
    copy: async () => unfolded((await dav.dot('GET', path)).body),
    own: async () => unfolded((await dav.kate('GET', `${calendarOf(KATE)}m.ics`)).body),
    answer: (body: string) => dav.dot('PUT', path, { body, headers: { 'content-type': 'text/calendar' } }),
    path,
  };
}

test('delivers to the guest, notes whom it could reach, and takes the answer back', async () => {
  const { dav, own, copy, answer } = await start();
  const made = await put(dav, 'm.ics', bodyOf(meeting([invited('out@example.org')])));
  expect([made.status, made.headers.get('etag'), made.headers.get('schedule-tag')]).toEqual([
    201,
    null,
    expect.any(String),
  ]);
  expect(await own()).toMatch(/SCHEDULE-STATUS=1\.2:mailto:dot@/);
  expect(await own()).toMatch(/SCHEDULE-STATUS=1\.1:mailto:out@/);
  const { next } = await syncAs(dav, KATE, '');
  const invitation = await copy();
  expect(invitation).toContain('SUMMARY:Plan');
  expect(invitation).not.toContain('SCHEDULE-STATUS');
  expect(
    (await answer(invitation.replace(/PARTSTAT=NEEDS-ACTION:mailto:dot/, 'PARTSTAT=ACCEPTED:mailto:dot'))).status,
  ).toBe(204);
  expect(await own()).toMatch(/PARTSTAT=ACCEPTED;SCHEDULE-STATUS=2\.0:mailto:dot@/);
  expect((await syncAs(dav, KATE, next)).shown).toEqual(['m.ics']);
  const tagged = await dav.kate('GET', `${calendarOf(KATE)}m.ics`);
  expect(tagged.headers.get('schedule-tag'), 'an answer is no change of the meeting').toBe(
    made.headers.get('schedule-tag'),
  );
  const stale = await put(dav, 'm.ics', bodyOf(meeting()), { 'if-schedule-tag-match': '"old"' });
  expect(stale.status).toBe(412);
});

test('asks again after a change of time, and not after one of the title', async () => {
  const { dav, own, copy } = await start();
  const accepted = (lines: readonly string[]) => eventOf('m', [...PEOPLE, invited(DOT, 'ACCEPTED'), ...lines]);
  await put(dav, 'm.ics', bodyOf(accepted(['SUMMARY:Plan'])));
  await put(dav, 'm.ics', bodyOf(accepted(['SUMMARY:Plan two'])));
  expect(await copy()).toMatch(/PARTSTAT=ACCEPTED:mailto:dot[\s\S]*SUMMARY:Plan two/);
  await put(dav, 'm.ics', bodyOf(accepted(['DTEND:20260303T110000Z'])));
  expect(await copy()).toMatch(/PARTSTAT=NEEDS-ACTION:mailto:dot/);
  expect(await own()).toMatch(/PARTSTAT=ACCEPTED:mailto:kate/);
});

test('takes the copy away from a guest who is not invited any more, and with the meeting', async () => {
  const { dav, dot, kate, path } = await start();
  await put(dav, 'm.ics', bodyOf(meeting()));
  await put(dav, 'm.ics', bodyOf(eventOf('m', PEOPLE)));
  expect((await dot('GET', path)).status).toBe(404);
  await put(dav, 'm.ics', bodyOf(meeting()));
  expect((await dot('GET', path)).status).toBe(200);
  await kate('DELETE', `${calendarOf(KATE)}m.ics`);
  expect((await dot('GET', path)).status).toBe(404);
});

test('declines for a guest who deletes, unless told not to', async () => {
  const { dav, dot, own, path } = await start();
  await put(dav, 'm.ics', bodyOf(meeting()));
  await dot('DELETE', path, { headers: { 'schedule-reply': 'F' } });
  expect(await own()).toMatch(/PARTSTAT=NEEDS-ACTION[^:]*:mailto:dot/);
  await put(dav, 'm.ics', bodyOf(meeting(['LOCATION:here'])));
  await dot('DELETE', path);
  expect(await own()).toMatch(/PARTSTAT=DECLINED[^:]*:mailto:dot/);
});

test('makes an exception of the answer to one occurrence, and declines an excluded one', async () => {
  const { dav, own, copy, answer } = await start();
  await put(dav, 'm.ics', bodyOf(meeting([SERIES])));
  const series = await copy();
  const occurrence = eventOf('m', [
    'RECURRENCE-ID:20260304T090000Z',
    'DTSTART:20260304T090000Z',
    'DTEND:20260304T100000Z',
    'SUMMARY:Plan',
    ...PEOPLE,
    invited(DOT, 'TENTATIVE'),
  ]);
  const excluded = series
    .replace('RRULE', 'EXDATE:20260305T090000Z\r\nRRULE')
    .replace('END:VCALENDAR', `${occurrence}\r\nEND:VCALENDAR`);
  expect((await answer(excluded)).status).toBe(204);
  const [, master = '', ...exceptions] = (await own()).split('BEGIN:VEVENT');
  expect(master).toMatch(/PARTSTAT=NEEDS-ACTION[^:]*:mailto:dot/);
  expect(
    exceptions.map((text) => [
      /RECURRENCE-ID:(\w+)/.exec(text)?.[1],
      /DTEND:(\w+)/.exec(text)?.[1],
      /PARTSTAT=(\w+)[^:]*:mailto:dot/.exec(text)?.[1],
    ]),
  ).toEqual([
    ['20260305T090000Z', '20260305T100000Z', 'DECLINED'],
    ['20260304T090000Z', '20260304T100000Z', 'TENTATIVE'],
  ]);
});

test('invites to single occurrences', async () => {
  const { dav, copy } = await start();
  const alone = eventOf('m', PEOPLE.concat(SERIES));
  const slot = (day: number, lines: readonly string[]) =>
    eventOf('m', [
      `RECURRENCE-ID:2026030${day}T090000Z`,
      `DTSTART:2026030${day}T090000Z`,
      `DTEND:2026030${day}T100000Z`,
      ...PEOPLE,
      ...lines,
    ]);
  await put(dav, 'm.ics', bodyOf(alone, slot(4, [invited(DOT)]), slot(5, [])));
  expect((await copy()).match(/RECURRENCE-ID:\w+|RRULE/g)).toEqual(['RECURRENCE-ID:20260304T090000Z']);
  await put(dav, 'm.ics', bodyOf(meeting([SERIES]), slot(5, [])));
  expect((await copy()).match(/EXDATE:\w+|RECURRENCE-ID:\w+/g)).toEqual(['EXDATE:20260305T090000Z']);
});

test('keeps the alarms and the transparency of a guest, and refuses the rest', async () => {
  const { dav, copy, answer } = await start();
  await put(dav, 'm.ics', bodyOf(meeting(['BEGIN:VALARM\r\nACTION:AUDIO\r\nTRIGGER:-PT5M\r\nEND:VALARM'])));
  const plain = await copy();
  expect(plain).not.toContain('VALARM');
  const alarm =
    'TRANSP:TRANSPARENT\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:x\r\nTRIGGER:-PT9M\r\nEND:VALARM\r\nEND:VEVENT';
  expect((await answer(plain.replace('END:VEVENT', alarm))).status).toBe(204);
  await put(dav, 'm.ics', bodyOf(meeting(['LOCATION:there'])));
  expect(await copy()).toMatch(/LOCATION:there[\s\S]*TRANSP:TRANSPARENT[\s\S]*TRIGGER:-PT9M/);
  const changed = (await copy()).replace('SUMMARY:Plan', 'SUMMARY:Mine');
  expect(conditionOf(await answer(changed))).toBe('403 C:allowed-attendee-scheduling-object-change');
});

test('has a meeting once in all calendars of a person', async () => {
  const { dav, kate } = await start();
  await put(dav, 'm.ics', bodyOf(meeting()));
  await kate('MKCALENDAR', `${homeOf(KATE)}two/`);
  const second = await kate('PUT', `${homeOf(KATE)}two/m.ics`, {
    body: bodyOf(meeting()),
    headers: { 'content-type': 'text/calendar' },
  });
  expect(conditionOf(second)).toBe('403 C:unique-scheduling-object-resource');
  const mixed = bodyOf(meeting([SERIES]), eventOf('m', ['RECURRENCE-ID:20260304T090000Z']));
  expect(conditionOf(await put(dav, 'm.ics', mixed))).toBe('403 C:same-organizer-in-all-components');
});
