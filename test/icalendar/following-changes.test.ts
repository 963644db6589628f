import { editResource, ICalendarError, type IcsEvent, type IcsGroup, readCalendars } from 'kalends/icalendar';
import { recurrenceIdText } from 'kalends/recurrence';
import { expect, test } from 'vitest';

/** Prints an object of one UID from the lines of its components. */
function objectOf(...components: readonly (readonly string[])[]): string {
  const events = components.flatMap((lines) => [
    'BEGIN:VEVENT',
    'UID:u',
    'DTSTAMP:20260101T000000Z',
    ...lines,
    'END:VEVENT',
  ]);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
}

const zoned = (name: string, time: string) => `${name};TZID=Europe/Berlin:${time}`;

/** Mondays at 9:00 in Berlin, across the change of the clocks on 29 March. */
const WEEKLY = [
  'SUMMARY:Weekly',
  zoned('DTSTART', '20260302T090000'),
  zoned('DTEND', '20260302T100000'),
  'RRULE:FREQ=WEEKLY;COUNT=7',
];

function followingChange(slot: string, start: string, end: string, ...lines: readonly string[]): readonly string[] {
  return [
    `RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:${slot}`,
    zoned('DTSTART', start),
    zoned('DTEND', end),
    ...lines,
  ];
}

function read(text: string): IcsGroup {
  const [group] = readCalendars(text, { calendarZone: 'Europe/Berlin' })[0]?.groups ?? [];
  if (group === undefined) throw new Error('the text has no event');
  return group;
}

/** Slot, title, start and end of each exception. */
function shown({ exceptions }: Pick<IcsGroup, 'exceptions'>): readonly string[] {
  const line = ({ recurrenceId, content }: IcsEvent) => {
    const slot = recurrenceId === null ? '' : recurrenceIdText(recurrenceId);
    return content === null
      ? `${slot} cancelled`
      : [slot, content.title, content.start.dateTime, content.end.dateTime].join(' ');
  };
  return exceptions.map(line).toSorted();
}

test('moves all following occurrences by the same time of the wall clock, with the new length', () => {
  const change = followingChange('20260316T090000', '20260317T110000', '20260317T113000', 'SUMMARY:Moved');
  const group = read(objectOf(WEEKLY, change));
  expect(group.unreadable).toEqual([]);
  expect(group.master?.unreadableParts).toEqual([]);
  expect(shown(group)).toEqual([
    '20260316T080000Z Moved 2026-03-17T11:00:00+01:00 2026-03-17T11:30:00+01:00',
    '20260323T080000Z Moved 2026-03-24T11:00:00+01:00 2026-03-24T11:30:00+01:00',
    '20260330T070000Z Moved 2026-03-31T11:00:00+02:00 2026-03-31T11:30:00+02:00',
    '20260406T070000Z Moved 2026-04-07T11:00:00+02:00 2026-04-07T11:30:00+02:00',
    '20260413T070000Z Moved 2026-04-14T11:00:00+02:00 2026-04-14T11:30:00+02:00',
  ]);
});

test('leaves alone what the series excludes and what has a change of its own; the next change takes over', () => {
  const first = followingChange('20260309T090000', '20260309T100000', '20260309T110000', 'SUMMARY:First');
  const own = [
    zoned('RECURRENCE-ID', '20260316T090000'),
    zoned('DTSTART', '20260316T150000'),
    zoned('DTEND', '20260316T160000'),
    'SUMMARY:Own',
  ];
  const second = followingChange('20260330T090000', '20260330T080000', '20260330T083000', 'SUMMARY:Second');
  const group = read(objectOf([...WEEKLY, zoned('EXDATE', '20260406T090000')], second, own, first));
  expect(shown(group)).toEqual([
    '20260309T080000Z First 2026-03-09T10:00:00+01:00 2026-03-09T11:00:00+01:00',
    '20260316T080000Z Own 2026-03-16T15:00:00+01:00 2026-03-16T16:00:00+01:00',
    '20260323T080000Z First 2026-03-23T10:00:00+01:00 2026-03-23T11:00:00+01:00',
    '20260330T070000Z Second 2026-03-30T08:00:00+02:00 2026-03-30T08:30:00+02:00',
    '20260413T070000Z Second 2026-04-13T08:00:00+02:00 2026-04-13T08:30:00+02:00',
  ]);
});

test('keeps the version of an occurrence that cannot be read itself', () => {
  const change = followingChange('20260330T090000', '20260330T100000', '20260330T110000', 'SUMMARY:Moved');
  const broken = [zoned('RECURRENCE-ID', '20260406T090000'), 'SUMMARY:without times'];
  const group = read(objectOf(WEEKLY, change, broken));
  expect(group.unreadable).toMatchObject([{ isMaster: false, recurrenceId: { startMs: Date.UTC(2026, 3, 6, 7) } }]);
  expect(shown(group).map((line) => line.slice(0, 16))).toEqual(['20260330T070000Z', '20260413T070000Z']);
});

test('cancels all following occurrences', () => {
  const change = followingChange('20260330T090000', '20260330T090000', '20260330T100000', 'STATUS:CANCELLED');
  expect(shown(read(objectOf(WEEKLY, change)))).toEqual(
    ['20260330T070000Z', '20260406T070000Z', '20260413T070000Z'].map((slot) => `${slot} cancelled`),
  );
});

test('moves days by days', () => {
  const series = ['SUMMARY:Days', 'DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20260308'];
  const change = [
    'RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20260304',
    'SUMMARY:Longer',
    'DTSTART;VALUE=DATE:20260305',
    'DTEND;VALUE=DATE:20260307',
  ];
  expect(shown(read(objectOf(series, change)))).toEqual([
    '20260304 Longer 2026-03-05T00:00:00 2026-03-07T00:00:00',
    '20260306 Longer 2026-03-07T00:00:00 2026-03-09T00:00:00',
    '20260308 Longer 2026-03-09T00:00:00 2026-03-11T00:00:00',
  ]);
});

test('reads a thousand following occurrences, and says that there are more', () => {
  const endless = WEEKLY.map((line) => line.replace(';COUNT=7', ''));
  const change = followingChange('20260309T090000', '20260309T100000', '20260309T110000', 'SUMMARY:Moved');
  const group = read(objectOf(endless, change));
  expect(group.exceptions).toHaveLength(1_001);
  expect(shown(group).at(-1)).toBe('20450508T070000Z Moved 2045-05-08T10:00:00+02:00 2045-05-08T11:00:00+02:00');
  expect(group.master?.unreadableParts).toEqual([
    'RECURRENCE-ID: RANGE=THISANDFUTURE reaches 1000 occurrences at most',
  ]);
});

test('cannot be read without the series, nor in the direction that RFC 5545 has dropped', () => {
  const change = followingChange('20260309T090000', '20260309T100000', '20260309T110000');
  expect(read(objectOf(change))).toMatchObject({
    exceptions: [],
    unreadable: [{ reason: 'RECURRENCE-ID: RANGE=THISANDFUTURE needs the series that it belongs to' }],
  });
  const before = change.map((line) => line.replace('THISANDFUTURE', 'THISANDPRIOR'));
  expect(read(objectOf(WEEKLY, before))).toMatchObject({
    exceptions: [],
    unreadable: [{ reason: 'RECURRENCE-ID: RANGE must be THISANDFUTURE' }],
  });
});

test('is not edited', () => {
  const text = objectOf(WEEKLY, followingChange('20260309T090000', '20260309T100000', '20260309T110000'));
  const edit = () =>
    editResource(text, { kind: 'event' }, { title: 'New' }, { now: 0, calendarZone: 'Europe/Berlin', email: '' });
  expect(edit).toThrow(ICalendarError);
  expect(edit).toThrow(/^recurrence: .*RANGE=THISANDFUTURE/);
});

test('moves every following occurrence alike from one that a gap shifts', () => {
  const daily = (start: string, end: string) =>
    read(
      objectOf(
        [newYork('DTSTART', '20260306T023000'), newYork('DTEND', '20260306T030000'), 'RRULE:FREQ=DAILY;COUNT=5'],
        [
          'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20260308T023000',
          newYork('DTSTART', `20260308T${start}`),
          newYork('DTEND', `20260308T${end}`),
        ],
      ),
    ).exceptions.map(({ content }) => content?.start.dateTime);
  expect(daily('050000', '053000')).toEqual([
    '2026-03-08T05:00:00-04:00',
    '2026-03-09T05:00:00-04:00',
    '2026-03-10T05:00:00-04:00',
  ]);
  expect(daily('023000', '030000')).toEqual([
    '2026-03-08T03:30:00-04:00',
    '2026-03-09T02:30:00-04:00',
    '2026-03-10T02:30:00-04:00',
  ]);
});

const newYork = (name: string, time: string) => `${name};TZID=America/New_York:${time}`;
