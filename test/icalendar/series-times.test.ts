import { printEvents, readCalendars } from 'kalends/icalendar';
import { describe, expect, test } from 'vitest';
import { compileMaster } from '../../src/mirror/index.ts';

/** Starts and ends of a series by the clocks of New York. */
function occurrences(...lines: readonly string[]): readonly string[] {
  return occurrencesIn(textOf(...lines));
}

function textOf(...lines: readonly string[]): string {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:u', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''];
  return text.join('\r\n');
}

function occurrencesIn(text: string): readonly string[] {
  const content = readCalendars(text)[0]?.groups[0]?.master?.content;
  const { series, endOf } = compileMaster(content!);
  const clock = (ms: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'short' }).format(
      ms,
    );
  return series
    .occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
    .map((slot) => `${clock(slot.startMs)} to ${clock(endOf(slot)).slice(11)}`);
}

const newYork = (name: string, time: string) => `${name};TZID=America/New_York:${time}`;

describe('a DURATION', () => {
  test('is the length of every occurrence by the clock, on the day that the clocks change too', () => {
    expect(occurrences(newYork('DTSTART', '20260307T220000'), 'DURATION:PT8H', 'RRULE:FREQ=DAILY;COUNT=2')).toEqual([
      '2026-03-07 22:00 to 06:00',
      '2026-03-08 22:00 to 06:00',
    ]);
    expect(occurrences(newYork('DTSTART', '20261031T220000'), 'DURATION:PT8H', 'RDATE:20261101T220000')).toEqual([
      '2026-10-31 22:00 to 06:00',
      '2026-11-01 22:00 to 06:00',
    ]);
  });

  test('of a single event is elapsed time', () => {
    const lines = [newYork('DTSTART', '20260307T220000'), 'DURATION:PT8H', 'RECURRENCE-ID:20260308T030000Z'];
    const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:u', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
    const [exception] = readCalendars(text)[0]?.groups[0]?.exceptions ?? [];
    expect(exception?.content?.end.dateTime).toBe('2026-03-08T07:00:00-04:00');
  });

  test.each([
    ['PT24H', '2026-03-08T23:00:00-04:00'],
    ['PT1440M', '2026-03-08T23:00:00-04:00'],
    ['P1D', '2026-03-08T22:00:00-04:00'],
    ['P1DT24H', '2026-03-09T22:00:00-04:00'],
    ['PT48H', '2026-03-09T23:00:00-04:00'],
    ['P1W', '2026-03-14T22:00:00-04:00'],
  ])('%s of a single event: days of the calendar where it is written in days, else elapsed time', (duration, end) => {
    const [group] =
      readCalendars(textOf(newYork('DTSTART', '20260307T220000'), `DURATION:${duration}`))[0]?.groups ?? [];
    expect(group?.master?.content?.end.dateTime).toBe(end);
  });
});

describe('a series that starts or ends at a time that the clocks skip', () => {
  const rule = 'RRULE:FREQ=DAILY;COUNT=2';
  const start = newYork('DTSTART', '20260308T023000');
  test.each([
    [
      'a start and an end behind the gap',
      [start, newYork('DTEND', '20260308T033000')],
      '03:30 to 04:30',
      '02:30 to 03:30',
    ],
    ['a start and an end in the gap', [start, newYork('DTEND', '20260308T024500')], '03:30 to 03:45', '02:30 to 02:45'],
    ['a start and a length', [start, 'DURATION:PT1H'], '03:30 to 04:30', '02:30 to 03:30'],
    ['a start', [start], '03:30 to 03:30', '02:30 to 02:30'],
    [
      'an end',
      [newYork('DTSTART', '20260308T013000'), newYork('DTEND', '20260308T023000')],
      '01:30 to 03:30',
      '01:30 to 02:30',
    ],
    [
      'an end by its length',
      [newYork('DTSTART', '20260308T013000'), 'DURATION:PT1H'],
      '01:30 to 03:30',
      '01:30 to 02:30',
    ],
  ])('is shifted on that day alone: %s', (_, lines, first, second) => {
    const text = textOf(...lines, rule);
    const shown = [`2026-03-08 ${first}`, `2026-03-09 ${second}`];
    expect(occurrencesIn(text)).toEqual(shown);
    const printed = printEvents(readCalendars(text)[0]?.groups ?? [], { timeZone: 'UTC' });
    expect(occurrencesIn(printed)).toEqual(shown);
    expect(printed).toContain(lines[0]);
  });

  test('has the exception of its first slot there', () => {
    const exception = [
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:u',
      'SUMMARY:moved',
      newYork('RECURRENCE-ID', '20260308T023000'),
    ];
    const text = textOf(start, rule, ...exception, newYork('DTSTART', '20260308T120000'));
    const [group] = readCalendars(text)[0]?.groups ?? [];
    const { series } = compileMaster(group!.master!.content!);
    const slot = group!.exceptions[0]!.recurrenceId;
    expect(slot?.kind === 'instant' && series.slotAt(slot.startMs)?.wallMs).toBe(Date.UTC(2026, 2, 8, 2, 30));
  });
});

describe('an EXDATE with a date', () => {
  const start = newYork('DTSTART', '20260501T090000');
  const rule = 'RRULE:FREQ=DAILY;BYHOUR=9,14;COUNT=6';
  const kept = [
    '2026-05-01 09:00 to 09:30',
    '2026-05-01 14:00 to 14:30',
    '2026-05-03 09:00 to 09:30',
    '2026-05-03 14:00 to 14:30',
  ];

  test('takes out every slot of that day, those of an RDATE below it too', () => {
    const lines = [start, 'DURATION:PT30M', rule, 'EXDATE;VALUE=DATE:20260502'];
    expect(occurrences(...lines)).toEqual(kept);
    expect(occurrences(...lines, newYork('RDATE', '20260502T180000'))).toEqual(kept);
  });

  test('takes out slots in both passes of an hour, and none of the days beside it', () => {
    const lines = [newYork('DTSTART', '20261031T223000'), 'DURATION:PT10M', 'RRULE:FREQ=HOURLY;COUNT=28'];
    expect(occurrences(...lines, 'EXDATE;VALUE=DATE:20261101')).toEqual([
      '2026-10-31 22:30 to 22:40',
      '2026-10-31 23:30 to 23:40',
      '2026-11-02 00:30 to 00:40',
    ]);
  });

  test('takes out the second pass of the hour of the start', () => {
    const lines = [newYork('DTSTART', '20261031T013000'), 'DURATION:PT10M', 'RRULE:FREQ=HOURLY;COUNT=40'];
    const shown = occurrences(...lines, 'EXDATE;VALUE=DATE:20261101');
    expect(shown).toHaveLength(23);
    expect(shown.at(-1)).toBe('2026-10-31 23:30 to 23:40');
  });
});

test.each([
  ['a day whose last hour comes twice', 'Asia/Beirut:20261024T210000', 'HOURLY;UNTIL=20261024', '20261024T215959Z'],
  ['a day whose last hour is left out', 'America/Nuuk:20260328T210000', 'HOURLY;UNTIL=20260328', '20260329T005959Z'],
  ['a day whose last slot is shifted', 'America/Nuuk:20260327T233000', 'DAILY;UNTIL=20260328', '20260329T015959Z'],
])('an UNTIL with a date is the end of %s', (_which, start, rule, until) => {
  const text = textOf(`DTSTART;TZID=${start}`, 'DURATION:PT10M', `RRULE:FREQ=${rule}`);
  const content = readCalendars(text)[0]?.groups[0]?.master?.content;
  expect(content?.recurrence).toEqual([`RRULE:FREQ=${rule.replace(/\d{8}/, until)}`]);
});
