import { type EditContext, editResource, readCalendars, respondInResource } from 'kalends/icalendar';
import type { EventPatch } from 'kalends/ports';
import { describe, expect, it } from 'vitest';

const BERLIN = 'Europe/Berlin';
const CONTEXT: EditContext = { now: Date.UTC(2026, 1, 1), calendarZone: BERLIN, email: 'ada@example.org' };

/** A series at 9 o'clock of each day of a week, wherever it is read. */
function floatingSeries(...lines: readonly string[]): string {
  const event = ['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Pills', 'DTSTART:20260302T090000'];
  const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...event, 'DTEND:20260302T091500', ...lines];
  return [...all, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
}

const DAILY = 'RRULE:FREQ=DAILY;COUNT=7';

/** The slot at 9 o'clock in Berlin on a day of March 2026, in winter time. */
const slotOn = (day: number) => ({ kind: 'instant', startMs: Date.UTC(2026, 2, day, 8) }) as const;
const occurrenceOn = (day: number) => ({ kind: 'occurrence', recurrenceId: slotOn(day) }) as const;
const at = (day: number, hour: number, timeZone = BERLIN) => ({
  dateTime: `2026-03-0${day}T${String(hour).padStart(2, '0')}:00:00+01:00`,
  timeZone,
});

/** Lines of these properties in the VEVENTs of a text. */
function linesOf(text: string, ...names: readonly string[]): readonly string[] {
  return text
    .replaceAll('\r\n ', '')
    .replaceAll(/BEGIN:VTIMEZONE.*?END:VTIMEZONE/gs, '')
    .split('\r\n')
    .filter((line) => names.some((name) => new RegExp(`^${name}[;:]`).test(line)));
}

const edit = (text: string, patch: EventPatch) => editResource(text, { kind: 'event' }, patch, CONTEXT);
const editOn = (text: string, day: number, patch: EventPatch) => editResource(text, occurrenceOn(day), patch, CONTEXT);

/** Returns the recurrence and the exceptions of a text as kalends reads them. */
function read(text: string) {
  const [group] = readCalendars(text, { calendarZone: BERLIN }).flatMap(({ groups }) => groups);
  const { master, exceptions = [] } = group ?? {};
  return {
    recurrence: master?.content?.recurrence,
    slots: exceptions.map(({ recurrenceId, isCancelled }) => ({ recurrenceId, isCancelled })),
  };
}

describe('a series of floating times has the form of its DTSTART (RFC 5545 §3.8.4.4, §3.8.5.1, §3.3.10) in', () => {
  it('EXDATE of a cancelled occurrence', () => {
    const text = editOn(floatingSeries(DAILY), 4, { isCancelled: true });
    expect(linesOf(text, 'EXDATE')).toEqual(['EXDATE:20260304T090000']);
    expect(read(text).slots).toEqual([{ recurrenceId: slotOn(4), isCancelled: true }]);
    expect(text).not.toContain('VTIMEZONE');
  });

  it('RECURRENCE-ID, DTSTART and DTEND of a changed occurrence', () => {
    const text = editOn(floatingSeries(DAILY), 4, { title: 'Two pills' });
    expect(linesOf(text, 'RECURRENCE-ID')).toEqual(['RECURRENCE-ID:20260304T090000']);
    expect(linesOf(text, 'DTSTART', 'DTEND').slice(-2)).toEqual(['DTSTART:20260304T090000', 'DTEND:20260304T091500']);
    expect(read(text).slots).toEqual([{ recurrenceId: slotOn(4), isCancelled: false }]);
  });

  it('RECURRENCE-ID of an answered one', () => {
    const people = ['ORGANIZER:mailto:boss@example.org', 'ATTENDEE:mailto:ada@example.org'];
    const text = respondInResource(floatingSeries(DAILY, ...people), occurrenceOn(4), 'declined', CONTEXT);
    expect(linesOf(text, 'RECURRENCE-ID')).toEqual(['RECURRENCE-ID:20260304T090000']);
  });

  it('UNTIL, RDATE and EXDATE of a new recurrence', () => {
    const recurrence = [
      'RRULE:FREQ=DAILY;UNTIL=20260306T080000Z',
      'EXDATE;TZID=Europe/Berlin:20260304T090000',
      'RDATE:20260310T080000Z',
    ];
    const text = edit(floatingSeries(DAILY), { recurrence });
    expect(linesOf(text, 'RRULE', 'EXDATE', 'RDATE').toSorted()).toEqual([
      'EXDATE:20260304T090000',
      'RDATE:20260310T090000',
      'RRULE:FREQ=DAILY;UNTIL=20260306T090000',
    ]);
    expect(read(text).recurrence).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20260306T080000Z',
      'RDATE;TZID=Europe/Berlin:20260310T090000',
      'EXDATE;TZID=Europe/Berlin:20260304T090000',
    ]);
  });

  it('RECURRENCE-ID of a moved occurrence, whose own times have the zone that they are given', () => {
    const text = editOn(floatingSeries(DAILY), 4, { start: at(4, 10), end: at(4, 11) });
    expect(linesOf(text, 'RECURRENCE-ID')).toEqual(['RECURRENCE-ID:20260304T090000']);
    expect(linesOf(text, 'DTSTART').at(-1)).toBe(`DTSTART;TZID=${BERLIN}:20260304T100000`);
  });
});

describe('a series of floating times that is moved', () => {
  it.each([
    [BERLIN, BERLIN],
    [BERLIN, 'Europe/Paris'],
    ['Europe/Paris', 'Europe/Paris'],
  ])('has the zone that it is given, %s to %s, in all its lines and in the slots of its exceptions', (startZone, endZone) => {
    const exception = 'EXDATE:20260305T090000';
    const cancelled = editOn(floatingSeries(DAILY, exception), 6, { isCancelled: true });
    const before = editOn(cancelled, 4, { title: 'Two pills' });
    const text = edit(before, { start: at(2, 9, startZone), end: at(2, 10, endZone) });
    const named = `;TZID=${startZone}`;
    expect(linesOf(text, 'DTSTART', 'DTEND').slice(0, 2)).toEqual([
      `DTSTART${named}:20260302T090000`,
      `DTEND;TZID=${endZone}:20260302T100000`,
    ]);
    const dates = linesOf(text, 'EXDATE');
    expect(dates).toHaveLength(2);
    for (const line of dates) expect(line).toMatch(new RegExp(`^EXDATE(?:${named}:[^Z]+|:.+Z)$`));
    expect(read(text).slots).toEqual([
      { recurrenceId: slotOn(6), isCancelled: true },
      { recurrenceId: slotOn(4), isCancelled: false },
    ]);
    expect(read(text).recurrence?.some((line) => /^EXDATE.*20260305T0[89]0000Z?$/.test(line))).toBe(true);
    expect(linesOf(text, 'RECURRENCE-ID')).toEqual([`RECURRENCE-ID${named}:20260304T090000`]);
  });
});

it('writes the second of two equal times in UTC, which no floating time tells', () => {
  const start = { dateTime: '2026-10-25T02:30:00+01:00', timeZone: BERLIN };
  const end = { dateTime: '2026-10-25T03:30:00+01:00', timeZone: BERLIN };
  const text = editOn(floatingSeries(DAILY), 4, { start, end });
  expect(linesOf(text, 'DTSTART').at(-1)).toBe('DTSTART:20261025T013000Z');
});

it('leaves the forms of zones, of UTC and of dates as they are', () => {
  const zoned = floatingSeries(DAILY).replace('DTSTART:', `DTSTART;TZID=${BERLIN}:`);
  expect(linesOf(editOn(zoned, 4, { isCancelled: true }), 'EXDATE')).toEqual([`EXDATE;TZID=${BERLIN}:20260304T090000`]);
  const utc = floatingSeries(DAILY).replace('DTSTART:20260302T090000', 'DTSTART:20260302T080000Z');
  expect(linesOf(editOn(utc, 4, { isCancelled: true }), 'EXDATE')).toEqual(['EXDATE:20260304T080000Z']);
});
