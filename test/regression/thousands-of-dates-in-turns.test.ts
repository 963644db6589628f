import { expect, test } from 'vitest';
import { readObjectChanges } from '../../adapters/caldav/src/events/object-reading.ts';
import { readCalendars, readCalendarsInSteps, type Steps } from '../../src/icalendar/index.ts';

/** 60,000 dates of one event held the event loop for 0.2 s: no step may read more than some hundred of them. */
const COUNT = 20_000;
const DATES_PER_STEP = 200;

const stamps = (time: string) =>
  Array.from(
    { length: COUNT },
    (_, day) => `${new Date(Date.UTC(2026, 2, 2 + day)).toISOString().slice(0, 10).replaceAll('-', '')}${time}`,
  );

const textOf = (...lines: readonly string[]) =>
  [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:dates',
    'DTSTART;TZID=Europe/Berlin:20260302T090000',
    'RRULE:FREQ=DAILY',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const ZONED = 'TZID=Europe/Berlin:';
const ONE_LINE = textOf(`EXDATE;${ZONED}${stamps('T090000').join(',')}`);
const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ['EXDATEs in one line', ONE_LINE],
  ['EXDATEs in lines of their own', textOf(...stamps('T090000').map((stamp) => `EXDATE;${ZONED}${stamp}`))],
  ['RDATEs', textOf(...stamps('T110000').map((stamp) => `RDATE;${ZONED}${stamp}`))],
  ['EXDATEs that are days', textOf('RRULE:FREQ=DAILY;BYHOUR=9,11', ...stamps('').map((day) => `EXDATE:${day}`))],
  ['EXDATEs that cannot be read', textOf(...stamps('').map((day) => `EXDATE:${day}T`))],
];

function stepsOf<Result>(steps: Steps<Result>): { readonly count: number; readonly result: Result } {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { count, result: step.value };
  }
}

test.each(TEXTS)('%s are read in steps', (_name, text) => {
  const { count, result } = stepsOf(readCalendarsInSteps(text, { ignoresStamps: true }));
  expect(result[0]?.groups).toMatchObject([{ uid: 'dates', unreadable: [] }]);
  expect(count).toBeGreaterThan(COUNT / DATES_PER_STEP);
});

test('dates that are read in many steps stay in one line', () => {
  const [calendar] = readCalendars(ONE_LINE);
  const lines = calendar?.groups[0]?.master?.content?.recurrence;
  expect(lines).toEqual(['RRULE:FREQ=DAILY', `EXDATE;${ZONED}${stamps('T090000').join(',')}`]);
});

test('an object of a CalDAV server is read in steps', () => {
  const person = { email: 'o@example.com', self: [], isKnown: true };
  const calendar = { timeZone: 'Europe/Berlin', isShared: false, inviteEmail: 'o@example.com' };
  const { count, result } = stepsOf(
    readObjectChanges({ path: '/c/a.ics', tag: 't', scheduleTag: undefined, text: ONE_LINE }, person, calendar),
  );
  expect(result).toMatchObject([{ kind: 'series' }]);
  expect(count).toBeGreaterThan(COUNT / DATES_PER_STEP);
});
