import fc from 'fast-check';
import { compileSeries } from 'kalends/recurrence';
import { shiftSeries } from 'kalends/recurrence/moves';
import { formatWall } from 'kalends/zones';
import { describe, expect, test } from 'vitest';

const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const from = (dtstart: string, lines: readonly string[], timeZone: string | null = ZONE) => ({
  dtstart,
  timeZone,
  lines,
});
const shifted = (dtstart: string, lines: readonly string[], to: string, zone: string | null = ZONE) =>
  shiftSeries(from(dtstart, lines), { dtstart: to, timeZone: zone });

describe('shiftSeries', () => {
  test('leaves the lines as they are spelled when nothing moves', () => {
    const lines = ['RRULE:COUNT=3;FREQ=DAILY'];
    expect(shifted('2026-03-02T09:00:00', lines, '2026-03-02T09:00:00')).toBe(lines);
  });

  test.each([
    [
      'an UNTIL by the wall time',
      '09:00',
      '10:30',
      'FREQ=DAILY;UNTIL=20260401T070000Z',
      'FREQ=DAILY;UNTIL=20260401T083000Z',
    ],
    ['a day in UNTIL stays one', '09:00', '10:30', 'FREQ=DAILY;UNTIL=20260401', 'FREQ=DAILY;UNTIL=20260401'],
    ['an hour that repeats the start', '09:00', '10:00', 'FREQ=DAILY;BYHOUR=9', 'FREQ=DAILY;BYHOUR=10'],
    ['no hours that say more', '09:00', '10:00', 'FREQ=DAILY;BYHOUR=9,15', 'FREQ=DAILY;BYHOUR=9,15'],
  ])('moves %s', (_, old, next, rule, expected) => {
    expect(shifted(`2026-03-02T${old}:00`, [`RRULE:${rule}`], `2026-03-02T${next}:00`)).toEqual([`RRULE:${expected}`]);
  });

  test('lets as many occurrences through UNTIL as before where the day of the month moves', () => {
    const day = fc.integer({ min: 1, max: 28 });
    const untils = fc.constantFrom('', 'T000000Z', 'T070000Z', 'T080000Z', 'T235959Z');
    const rules = fc.constantFrom('MONTHLY', 'MONTHLY;INTERVAL=2', 'MONTHLY;BYMONTHDAY', 'YEARLY');
    const property = fc.property(
      day,
      day,
      fc.nat(14),
      fc.nat(800),
      untils,
      rules,
      (day, to, months, days, form, rule) => {
        const date = (month: number, ofMonth: number) => formatWall(Date.UTC(2026, month, ofMonth, 9));
        const until = `${formatWall(Date.UTC(2026, 0, day + days))
          .slice(0, 10)
          .replaceAll('-', '')}${form}`;
        const lines = [`RRULE:FREQ=${rule}${rule.endsWith('DAY') ? `=${day}` : ''};UNTIL=${until}`];
        const dtstart = date(0, day);
        const moved = { dtstart: date(months, to), timeZone: ZONE };
        const countOf = (definition: Parameters<typeof compileSeries>[0]) =>
          compileSeries(definition).occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY })
            .length;
        const before = from(dtstart, lines);
        expect(countOf({ ...moved, lines: shiftSeries(before, moved) })).toBe(countOf(before));
      },
    );
    fc.assert(property, { numRuns: 1000 });
    expect(
      shifted('2026-01-28T09:00:00', ['RRULE:FREQ=MONTHLY;UNTIL=20260627T210000Z'], '2026-02-03T09:00:00'),
    ).toEqual(['RRULE:FREQ=MONTHLY;UNTIL=20260603T070000Z']);
  });

  test('moves the days that EXDATE names by months where the day of the month moves', () => {
    const lines = ['RRULE:FREQ=MONTHLY;BYMONTHDAY=28', 'EXDATE:20260228T080000Z,20260305T080000Z'];
    expect(shifted('2026-01-28T09:00:00', lines, '2026-02-01T09:00:00')).toEqual([
      'RRULE:FREQ=MONTHLY;BYMONTHDAY=1',
      'EXDATE:20260301T080000Z,20260309T080000Z',
    ]);
  });

  test.each([
    ['weekdays', '2026-03-02', '2026-03-03', 'FREQ=WEEKLY;BYDAY=MO,WE,SU', 'FREQ=WEEKLY;BYDAY=TU,TH,MO'],
    ['weekdays back', '2026-03-02', '2026-03-01', 'FREQ=WEEKLY;BYDAY=MO', 'FREQ=WEEKLY;BYDAY=SU'],
    [
      'the week itself, where it matters',
      '2026-03-06',
      '2026-03-07',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,SU',
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,MO;WKST=TU',
    ],
    ['no weekdays by whole weeks', '2026-03-02', '2026-03-09', 'FREQ=WEEKLY;BYDAY=MO', 'FREQ=WEEKLY;BYDAY=MO'],
    ['the day of the month', '2026-03-02', '2026-03-05', 'FREQ=MONTHLY;BYMONTHDAY=2', 'FREQ=MONTHLY;BYMONTHDAY=5'],
    [
      'day and month of the year',
      '2026-03-31',
      '2026-04-01',
      'FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=3',
      'FREQ=YEARLY;BYMONTHDAY=1;BYMONTH=4',
    ],
    ['no numbered weekday', '2026-03-02', '2026-03-03', 'FREQ=MONTHLY;BYDAY=1MO', 'FREQ=MONTHLY;BYDAY=1MO'],
    ['no several days', '2026-03-02', '2026-03-03', 'FREQ=MONTHLY;BYMONTHDAY=2,9', 'FREQ=MONTHLY;BYMONTHDAY=2,9'],
  ])('turns %s', (_, old, next, rule, expected) => {
    expect(shifted(`${old}T09:00:00`, [`RRULE:${rule}`], `${next}T09:00:00`)).toEqual([`RRULE:${expected}`]);
  });

  test('moves RDATE and EXDATE, and a day that is cut out by the days alone', () => {
    const lines = [
      'RRULE:FREQ=DAILY',
      'RDATE:20260302T200000Z',
      'EXDATE;TZID=Europe/Berlin:20260329T090000',
      'EXDATE;VALUE=DATE:20260310',
    ];
    // 29 March is the day on which the clocks go forward: its 9 o'clock is the 10 o'clock of the same day.
    expect(shifted('2026-03-02T09:00:00', lines, '2026-03-02T10:00:00')).toEqual([
      'RRULE:FREQ=DAILY',
      'RDATE:20260302T210000Z',
      'EXDATE:20260329T080000Z',
      'EXDATE;VALUE=DATE:20260310',
    ]);
  });

  test('makes dates of times and times of dates', () => {
    const lines = ['RRULE:FREQ=DAILY;UNTIL=20260305T080000Z', 'EXDATE:20260303T080000Z'];
    const days = shifted('2026-03-02T09:00:00', lines, '2026-03-02', null);
    expect(days).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260305', 'EXDATE;VALUE=DATE:20260303']);
    const back = shiftSeries(from('2026-03-02', days, null), { dtstart: '2026-03-02T09:00:00', timeZone: ZONE });
    expect(back).toEqual(lines);
  });

  test('to another zone keeps the wall time of UNTIL', () => {
    const lines = ['RRULE:FREQ=DAILY;UNTIL=20260305T080000Z'];
    expect(shifted('2026-03-02T09:00:00', lines, '2026-03-02T09:00:00', 'America/New_York')).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20260305T140000Z',
    ]);
  });

  test('every slot of a daily or weekly rule moves by the same wall time', () => {
    const rule = fc.record({
      freq: fc.constantFrom('DAILY', 'WEEKLY'),
      interval: fc.integer({ min: 1, max: 3 }),
      count: fc.integer({ min: 1, max: 20 }),
      days: fc.uniqueArray(fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'), { maxLength: 4 }),
      wkst: fc.constantFrom('MO', 'SU'),
      excluded: fc.integer({ min: 0, max: 10 }),
      day: fc.integer({ min: 0, max: 40 }),
      byHours: fc.integer({ min: -60, max: 60 }),
    });
    fc.assert(
      fc.property(rule, ({ freq, interval, count, days, wkst, excluded, day, byHours }) => {
        const byDay = days.length > 0 && (freq === 'WEEKLY' || interval === 1) ? `;BYDAY=${days.join(',')}` : '';
        const text = `RRULE:FREQ=${freq};INTERVAL=${interval};COUNT=${count}${byDay};WKST=${wkst}`;
        // Floating times: the clocks have their own tests.
        const rough = compileSeries(from(formatWall(Date.UTC(2026, 2, 1, 9) + day * DAY_MS), [text], null));
        const startMs = rough.first()!.startMs;
        const bare = from(formatWall(startMs), [text], null);
        const slots = compileSeries(bare).occurrences({ from: 0, to: Number.POSITIVE_INFINITY });
        const out = slots[Math.min(excluded, slots.length - 1)]!.wallMs;
        const exdate = `EXDATE:${formatWall(out).replaceAll(/[-:]/g, '')}`;
        const old = { ...bare, lines: [text, exdate] };
        const moved = { dtstart: formatWall(startMs + byHours * HOUR_MS), timeZone: null };
        const next = compileSeries({ ...moved, lines: shiftSeries(old, moved) });
        const walls = (series: ReturnType<typeof compileSeries>) =>
          series.occurrences({ from: 0, to: Number.POSITIVE_INFINITY }).map(({ wallMs }) => wallMs);
        expect(walls(next)).toEqual(walls(compileSeries(old)).map((wallMs) => wallMs + byHours * HOUR_MS));
      }),
      { numRuns: 300 },
    );
  });
});
