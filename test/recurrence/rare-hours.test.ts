import { compileSeries, type Series } from 'kalends/recurrence';
import { formatInstant } from 'kalends/zones';
import { describe, expect, test } from 'vitest';

/*
 * Sub-daily rules whose parts rarely meet: their search used to be cut off after fifty years, in silence.
 */

const CENTURY = { from: Date.UTC(2000, 0, 1), to: Date.UTC(2100, 0, 1) };

const seriesOf = (dtstart: string, rule: string, timeZone: string | null = 'UTC'): Series =>
  compileSeries({ dtstart, timeZone, lines: [`RRULE:${rule}`] });

const lastOf = (dtstart: string, rule: string, timeZone = 'UTC'): string => {
  const last = seriesOf(dtstart, rule, timeZone).last();
  return last ? formatInstant(timeZone, last.startMs) : String(last);
};

describe('no search is cut off by years', () => {
  const rare = 'FREQ=HOURLY;INTERVAL=45;BYMONTH=4,9;BYYEARDAY=-146,1,266;BYDAY=TH,SA,MO,SU';

  test('a window of a hundred years has what its halves have', () => {
    const series = seriesOf('2001-09-23T21:00:00', rare);
    const middle = Date.UTC(2050, 0, 1);
    const halves = [
      series.occurrences({ ...CENTURY, to: middle }).length,
      series.occurrences({ ...CENTURY, from: middle }).length,
    ];
    expect(series.occurrences(CENTURY)).toHaveLength(31);
    expect(halves[0]! + halves[1]!).toBe(31);
  });

  test('steps of a year go on for a hundred years', () => {
    const series = seriesOf('2000-01-01T00:00:00', 'FREQ=HOURLY;INTERVAL=8766');
    expect(series.occurrences(CENTURY)).toHaveLength(100);
  });

  // 8766 hours are 365.25 days: the hundredth step is 99 × 365.25 days after the first.
  test('COUNT is followed over any distance', () => {
    const everyMonth = 'BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12';
    expect(lastOf('2000-01-01T00:00:00', 'FREQ=HOURLY;INTERVAL=8766;COUNT=101')).toBe('2100-01-01T00:00:00+00:00');
    expect(lastOf('2000-01-01T00:00:00', `FREQ=HOURLY;INTERVAL=8766;COUNT=101;${everyMonth}`)).toBe(
      '2100-01-01T00:00:00+00:00',
    );
    const all = seriesOf('2001-09-23T21:00:00', rare).occurrences({ ...CENTURY, to: Date.UTC(2200, 0, 1) });
    const last = seriesOf('2001-09-23T21:00:00', `${rare};COUNT=${all.length}`).last();
    expect(last).toEqual(all.at(-1));
    // 366 days of nine o'clock in each leap year, 365 in others: 146,097 in four hundred years.
    expect(lastOf('2010-01-01T09:00:00', 'FREQ=HOURLY;BYHOUR=9;COUNT=146098', 'Europe/Kyiv')).toBe(
      '2410-01-01T09:00:00+02:00',
    );
  });

  test('the first slot may be centuries away', () => {
    // Each step is a second earlier in the day: 08:59:59 comes 86,398 steps after 09:00:00 … 02:03:04 after 25,016.
    const series = seriesOf('2010-01-04T09:00:00', 'FREQ=SECONDLY;INTERVAL=86399;BYHOUR=2;BYMINUTE=3;BYSECOND=4');
    const stepsBack = 9 * 3600 - (2 * 3600 + 3 * 60 + 4);
    expect(series.first()?.startMs).toBe(Date.UTC(2010, 0, 4, 9) + stepsBack * 86_399_000);
    expect(
      seriesOf('2010-01-04T09:00:00', 'FREQ=SECONDLY;INTERVAL=86399;BYHOUR=9;BYMINUTE=0;BYSECOND=1').first()?.startMs,
    ).toBe(Date.UTC(2010, 0, 4, 9) + 86_399 * 86_399_000);
  });

  test('rules that never fire are empty', () => {
    for (const zone of ['America/New_York', 'Africa/Casablanca', null]) {
      for (const rule of [
        'FREQ=MINUTELY;INTERVAL=2;BYMINUTE=19',
        'FREQ=HOURLY;INTERVAL=168;BYDAY=SU',
        'FREQ=HOURLY;INTERVAL=24;BYHOUR=15',
        'FREQ=HOURLY;BYMINUTE=0,1;BYSETPOS=3',
        'FREQ=SECONDLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=30',
        'FREQ=HOURLY;INTERVAL=45;BYYEARDAY=1;BYMONTH=12',
      ]) {
        const series = seriesOf('2010-01-04T09:00:00', `${rule};COUNT=5`, zone);
        expect([series.first(), series.last()], `${zone} ${rule}`).toEqual([undefined, undefined]);
      }
    }
  });
});
