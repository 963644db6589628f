import fc from 'fast-check';
import { type EditContext, editResource, readCalendars, readComponents, respondInResource } from 'kalends/icalendar';
import type { EventPatch, RecurrenceId } from 'kalends/ports';
import { expect, test } from 'vitest';

const CONTEXT: EditContext = {
  now: Date.UTC(2026, 5, 1),
  calendarZone: 'Europe/Berlin',
  email: 'me@example.com',
};

/** Lines of other programs, each of them one that a careless edit loses or writes otherwise. */
const FOREIGN = [
  'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC',
  'X-MOZ-LASTACK:20260101T000000Z',
  'X-VENDOR;X-PARAM="a:b;c,d";X-OTHER=^n:geo:1,2;3\\,4',
  'X-EMPTY:',
  'CONTACT;ALTREP="cid:x":Jim\\, the second',
  'RELATED-TO;RELTYPE=SIBLING:other@example.com',
  'ATTACH;FMTTYPE=image/png;ENCODING=BASE64;VALUE=BINARY:aGVsbG8=',
  'RESOURCES:EASEL,PROJECTOR',
  'PRIORITY:5',
  'REQUEST-STATUS:2.0;Success',
  'IMAGE;VALUE=URI;DISPLAY=BADGE:https://example.com/a.png',
  'the second line of a text that another program did not escape',
];

const ALARM = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'UID:alarm-1', 'TRIGGER:PT10M', 'X-WR-ALARMUID:alarm-1', 'END:VALARM'];
const OTHER = ['BEGIN:X-VENDOR-PART', 'X-A:1', 'BEGIN:X-INNER', 'X-B:2', 'END:X-INNER', 'END:X-VENDOR-PART'];
const ZONE = [
  'BEGIN:VTIMEZONE',
  'TZID:Own Zone',
  'X-LIC-LOCATION:Europe/Berlin',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
];

function textWith(foreign: readonly string[], rule: readonly string[]): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//another//program//EN',
    'X-CALENDAR-LEVEL:kept',
    ...ZONE,
    'BEGIN:VEVENT',
    'UID:one',
    'DTSTAMP:20260101T000000Z',
    'SEQUENCE:4',
    'SUMMARY;LANGUAGE=en:Title',
    'DTSTART;TZID=Own Zone:20260302T090000',
    'DURATION:PT1H',
    ...rule,
    'ORGANIZER;CN=Me;SENT-BY="mailto:x@example.com":mailto:me@example.com',
    'ATTENDEE;CN=Ann;PARTSTAT=ACCEPTED;X-NUM-GUESTS=2:mailto:ann@example.com',
    'ATTENDEE;CN=Bob;CUTYPE=INDIVIDUAL;SCHEDULE-STATUS="1.2":mailto:bob@example.com',
    ...foreign,
    ...ALARM,
    ...OTHER,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

function linesOf(text: string): string[] {
  return text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
}

/** Lines that any edit writes anew. */
const STAMPS = /^(?:DTSTAMP|LAST-MODIFIED|SEQUENCE):/;

function without(lines: readonly string[], names: RegExp): string[] {
  return lines.filter((line) => !STAMPS.test(line) && !names.test(line));
}

const PATCHES: readonly { readonly patch: EventPatch; readonly writes: RegExp }[] = [
  { patch: { title: 'Other' }, writes: /^SUMMARY/ },
  { patch: { title: null }, writes: /^SUMMARY/ },
  { patch: { description: 'Text' }, writes: /^DESCRIPTION/ },
  { patch: { location: 'Room' }, writes: /^LOCATION/ },
  { patch: { visibility: 'private' }, writes: /^CLASS/ },
  { patch: { transparency: 'transparent' }, writes: /^TRANSP/ },
  { patch: { status: 'tentative' }, writes: /^STATUS/ },
  { patch: { showAs: 'oof' }, writes: /^(?:X-MICROSOFT-CDO-BUSYSTATUS|X-KALENDS-EVENT-TYPE)/ },
  { patch: { customColor: 'tomato' }, writes: /^COLOR/ },
  { patch: { categories: ['a,b'] }, writes: /^CATEGORIES/ },
  { patch: { publicExtendedProperties: { a: 'b' } }, writes: /^X-KALENDS-PUBLIC/ },
  { patch: { conferenceData: { joinUrl: 'https://meet.example/a' } }, writes: /^CONFERENCE/ },
  { patch: { locationDetails: { coordinates: { latitude: 1, longitude: 2 } } }, writes: /^GEO/ },
];

test('an edit writes what it says and leaves every other line', () => {
  fc.assert(
    fc.property(
      fc.subarray(FOREIGN),
      fc.constantFrom(...PATCHES),
      fc.boolean(),
      (foreign, { patch, writes }, isSeries) => {
        const before = textWith(foreign, isSeries ? ['RRULE:FREQ=DAILY;X-VENDOR=1'] : []);
        const after = editResource(before, { kind: 'event' }, patch, CONTEXT);
        expect(without(linesOf(after), writes)).toEqual(without(linesOf(before), writes));
        expect(readCalendars(after)[0]?.groups[0]?.master?.content).toMatchObject(shownOf(patch));
      },
    ),
  );
});

function shownOf(patch: EventPatch): object {
  return Object.fromEntries(Object.entries(patch).map(([field, value]) => [field, value ?? '']));
}

test('a changed time takes the zone as the text spells it, and DTEND the place of DURATION', () => {
  const start = { dateTime: '2026-03-02T11:00:00+01:00', timeZone: 'Europe/Berlin' };
  const end = { dateTime: '2026-03-02T13:00:00+01:00', timeZone: 'Europe/Berlin' };
  const before = textWith(FOREIGN, []);
  const after = editResource(before, { kind: 'event' }, { start, end, isAllDay: false }, CONTEXT);
  expect(linesOf(after)).toContain('DTSTART;TZID=Own Zone:20260302T110000');
  expect(linesOf(after)).toContain('DTEND;TZID=Own Zone:20260302T130000');
  expect(without(linesOf(after), /^DT(?:START|END)/)).toEqual(without(linesOf(before), /^(?:DTSTART|DURATION)/));
  expect(linesOf(after)).toContain('SEQUENCE:5');
});

test('SEQUENCE counts revisions of the organizer, not small changes, and never those of a guest', () => {
  const small = editResource(textWith([], []), { kind: 'event' }, { title: 'x' }, CONTEXT);
  expect(linesOf(small)).toContain('SEQUENCE:4');
  expect(linesOf(small)).toContain('LAST-MODIFIED:20260601T000000Z');
  const guest = { ...CONTEXT, email: 'ann@example.com' };
  const answered = respondInResource(textWith([], []), { kind: 'event' }, 'declined', guest);
  expect(linesOf(answered)).toContain('SEQUENCE:4');
});

test('an answer changes the own PARTSTAT alone', () => {
  const before = textWith(FOREIGN, []);
  const after = respondInResource(before, { kind: 'event' }, 'declined', { ...CONTEXT, email: 'Ann@example.com' });
  expect(linesOf(after)).toContain('ATTENDEE;CN=Ann;X-NUM-GUESTS=2;PARTSTAT=DECLINED:mailto:ann@example.com');
  expect(without(linesOf(after), /^ATTENDEE;CN=Ann/)).toEqual(without(linesOf(before), /^ATTENDEE;CN=Ann/));
});

test('an answer of an account that is not invited is refused', () => {
  const eve = { ...CONTEXT, email: 'eve@example.com' };
  expect(() => respondInResource(textWith([], []), { kind: 'event' }, 'accepted', eve)).toThrow(
    'attendees: the account is not invited',
  );
});

test('an answer for one occurrence is its own, and the series stays', () => {
  const ann = { ...CONTEXT, email: 'ann@example.com' };
  const recurrenceId: RecurrenceId = { kind: 'instant', startMs: Date.parse('2026-03-04T09:00:00+01:00') };
  const text = respondInResource(
    textWith([], ['RRULE:FREQ=DAILY']),
    { kind: 'occurrence', recurrenceId },
    'tentative',
    ann,
  );
  const [group] = readCalendars(text, { self: ['ann@example.com'] })[0]?.groups ?? [];
  expect(group?.master?.content?.myResponseStatus).toBe('accepted');
  expect(group?.exceptions).toMatchObject([{ recurrenceId, content: { myResponseStatus: 'tentative' } }]);
});

test('guests who stay keep their lines; new ones are added, others go', () => {
  const attendees = [
    { email: 'Bob@example.com' },
    { email: 'new@example.com', name: 'New', kind: 'optional' as const },
  ];
  const after = linesOf(editResource(textWith([], []), { kind: 'event' }, { attendees }, CONTEXT));
  expect(after.filter((line) => line.startsWith('ATTENDEE'))).toEqual([
    'ATTENDEE;CN=Bob;CUTYPE=INDIVIDUAL;SCHEDULE-STATUS="1.2":mailto:bob@example.com',
    'ATTENDEE;CN=New;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:new@example.com',
  ]);
});

test('reminders replace the alarms that they are about, and keep those that cannot be shown', () => {
  const shown = { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup' as const, minutes: 5 }] };
  const after = editResource(textWith([], []), { kind: 'event' }, { reminders: shown }, CONTEXT);
  const event = readComponents(after).components[0]?.components.find(({ name }) => name === 'VEVENT');
  const alarms = event?.components.filter(({ name }) => name === 'VALARM') ?? [];
  const triggers = alarms.map(({ properties }) => properties.find(({ name }) => name === 'trigger')?.raw);
  expect(triggers).toEqual(['PT10M', '-PT5M']);
  const off = { useDefault: false, isReminderOn: false, overrides: [] };
  const silent = editResource(after, { kind: 'event' }, { reminders: off }, CONTEXT);
  expect(silent).not.toContain('VALARM');
});

test('reminders, guests and times that the event has already change nothing', () => {
  const overrides = [{ method: 'popup' as const, minutes: 5 }];
  const text = editResource(textWith([], []), { kind: 'event' }, { reminders: { overrides } }, CONTEXT);
  const attendees = [{ email: 'ann@example.com', name: 'Ann' }, { email: 'bob@example.com' }];
  const start = { dateTime: '2026-03-02T09:00:00+01:00', timeZone: 'Europe/Berlin' };
  const end = { dateTime: '2026-03-02T10:00:00+01:00', timeZone: 'Europe/Berlin' };
  const later = { ...CONTEXT, now: CONTEXT.now + 60_000 };
  expect(editResource(text, { kind: 'event' }, { reminders: { overrides }, attendees, start, end }, later)).toBe(text);
});

test('a series that loses slots loses what was said of them, and keeps the rest', () => {
  const at = (day: string) => ({ kind: 'instant', startMs: Date.parse(`${day}T09:00:00+01:00`) }) as const;
  let text = textWith([], ['RRULE:FREQ=DAILY']);
  for (const day of ['2026-03-03', '2026-03-09']) {
    text = editResource(text, { kind: 'occurrence', recurrenceId: at(day) }, { title: day }, CONTEXT);
  }
  for (const day of ['2026-03-04', '2026-03-16']) {
    text = editResource(text, { kind: 'occurrence', recurrenceId: at(day) }, { isCancelled: true }, CONTEXT);
  }
  const weekly = editResource(text, { kind: 'event' }, { recurrence: ['RRULE:FREQ=WEEKLY'] }, CONTEXT);
  const [group] = readCalendars(weekly)[0]?.groups ?? [];
  expect(group?.master?.content?.recurrence).toEqual(['RRULE:FREQ=WEEKLY']);
  expect(group?.exceptions.map(({ recurrenceId, isCancelled }) => [recurrenceId, isCancelled])).toEqual([
    [at('2026-03-16'), true],
    [at('2026-03-09'), false],
  ]);
  const single = editResource(weekly, { kind: 'event' }, { recurrence: null }, CONTEXT);
  expect(readCalendars(single)[0]?.groups[0]).toMatchObject({
    master: { content: { recurrence: null } },
    exceptions: [],
  });
});

test('METHOD has no place in a stored object', () => {
  const text = textWith([], []).replace('VERSION:2.0', 'VERSION:2.0\r\nMETHOD:REQUEST');
  expect(editResource(text, { kind: 'event' }, { title: 'x' }, CONTEXT)).not.toContain('METHOD');
});

test('a cancelled event is brought back', () => {
  const cancelled = editResource(textWith([], []), { kind: 'event' }, { isCancelled: true }, CONTEXT);
  expect(readCalendars(cancelled)[0]?.groups[0]?.master?.isCancelled).toBe(true);
  const back = editResource(cancelled, { kind: 'event' }, { isCancelled: false }, CONTEXT);
  expect(readCalendars(back)[0]?.groups[0]?.master?.isCancelled).toBe(false);
});

test('a line that cannot be read is refused, not dropped', () => {
  const patch = { recurrence: ['RRULE:FREQ=NEVER'] };
  expect(() => editResource(textWith([], []), { kind: 'event' }, patch, CONTEXT)).toThrow(
    'recurrence: FREQ cannot be read',
  );
});
