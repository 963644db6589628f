import { describe, expect, test } from 'vitest';
import { compileMaster, leastSpanMs, seriesBounds } from '../../src/mirror/master-series.ts';
import { allDay, fakeEvent, newYork } from './fake-events.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 2, 2, 9);
const EARLIER = 'RDATE:20260227T140000Z';

function master(recurrence: readonly string[], times: object = newYork('2026-03-02', '09:00', '10:00')) {
  const { content } = fakeEvent('s', { ...times, recurrence: [...recurrence] });
  if (content === null) throw new Error('An event without content');
  return compileMaster(content);
}

describe('the bounds of a series', () => {
  const boundsOf = (...recurrence: readonly string[]) => seriesBounds(master(recurrence));
  const instant = (day: number) => Date.UTC(2026, 2, day, 14);
  /** Returns dates at nine in New York on the days after the start, the last ones in summer time. */
  const datesOf = (count: number) => {
    const days = Array.from({ length: count }, (_, index) => new Date(START + (index + 1) * DAY_MS));
    const texts = days.map((day) => `${day.toISOString().slice(0, 10).replaceAll('-', '')}T090000`);
    return `RDATE;TZID=America/New_York:${texts.join(',')}`;
  };

  test('end with the last slot of a counted series', () => {
    expect(boundsOf('RRULE:FREQ=DAILY;COUNT=3').last).toBe(instant(4));
    expect(boundsOf('RRULE:FREQ=DAILY;COUNT=2000').last).toBe(instant(2) + 1_999 * DAY_MS - 3_600_000);
  });

  test('begin with the earliest date', () => {
    expect(boundsOf('RRULE:FREQ=DAILY;COUNT=3', EARLIER).first).toBeLessThan(
      boundsOf('RRULE:FREQ=DAILY;COUNT=3').first,
    );
    expect(boundsOf('RRULE:FREQ=DAILY;COUNT=3', 'RDATE:20260305T140000Z').first).toBe(
      boundsOf('RRULE:FREQ=DAILY;COUNT=3').first,
    );
  });

  test('end at most two days after UNTIL', () => {
    const { last } = boundsOf('RRULE:FREQ=DAILY;UNTIL=20260310T140000Z');
    expect(last).toBeGreaterThanOrEqual(instant(10));
    expect(last).toBeLessThanOrEqual(instant(12));
  });

  test('have no end for an endless rule, one among ended ones too', () => {
    expect(boundsOf('RRULE:FREQ=DAILY').last).toBeNull();
    expect(boundsOf('RRULE:FREQ=DAILY;UNTIL=20260310T140000Z', 'RRULE:FREQ=WEEKLY').last).toBeNull();
  });

  test('have no end where it costs too much to compute', () => {
    expect(boundsOf('RRULE:FREQ=DAILY;COUNT=2001').last).toBeNull();
    expect(boundsOf('RRULE:FREQ=SECONDLY;COUNT=5').last).toBeNull();
    expect(boundsOf('RRULE:FREQ=DAILY;UNTIL=20260310T140000Z', 'RDATE:20270305T140000Z').last).toBeNull();
    expect(boundsOf(datesOf(2_000)).last).toBe(Date.UTC(2026, 2, 2, 14) + 2_000 * DAY_MS - 3_600_000);
    expect(boundsOf(datesOf(2_001)).last).toBeNull();
  });
});

describe('the least time that slots span', () => {
  const spanOf = (count: number, ...recurrence: readonly string[]) => leastSpanMs(master(recurrence), count);

  test('is the steps of one rule', () => {
    expect(spanOf(10, 'RRULE:FREQ=DAILY')).toBe(10 * leastSpanMs(master(['RRULE:FREQ=DAILY']), 1));
    expect(spanOf(10, 'RRULE:FREQ=DAILY')).toBeGreaterThan(0);
  });

  test('is shared by several rules, each at the pace of the fastest', () => {
    expect(spanOf(10, 'RRULE:FREQ=DAILY', 'RRULE:FREQ=HOURLY')).toBe(spanOf(5, 'RRULE:FREQ=HOURLY'));
  });

  test('is less by the dates, and never negative', () => {
    expect(spanOf(10, 'RRULE:FREQ=DAILY', EARLIER)).toBe(spanOf(9, 'RRULE:FREQ=DAILY'));
    expect(spanOf(0, 'RRULE:FREQ=DAILY', EARLIER)).toBe(0);
  });
});

describe('a compiled master', () => {
  test('lasts as long as its times say, at least a day when it is all-day', () => {
    expect(master(['RRULE:FREQ=DAILY']).durationMs).toBe(3_600_000);
    expect(master(['RRULE:FREQ=DAILY'], allDay('2026-03-02', '2026-03-05')).durationMs).toBe(3 * DAY_MS);
    expect(master(['RRULE:FREQ=DAILY'], allDay('2026-03-02', '2026-03-02')).durationMs).toBe(DAY_MS);
  });

  test('keeps RDATEs with a duration or an end of their own', () => {
    const { periods } = master(['RDATE;VALUE=PERIOD:20260303T140000Z/PT5H,20260304T140000Z/20260304T160000Z']);
    expect(periods.map(({ startMs, durationMs }) => [startMs, durationMs])).toEqual([
      [Date.UTC(2026, 2, 3, 14), 5 * 3_600_000],
      [Date.UTC(2026, 2, 4, 14), 2 * 3_600_000],
    ]);
    expect(master([EARLIER]).periods).toEqual([]);
  });

  test('is dense when a rule is finer than hourly', () => {
    expect(master(['RRULE:FREQ=HOURLY']).isDense).toBe(false);
    expect(master(['RRULE:FREQ=MINUTELY']).isDense).toBe(true);
  });

  test('has its first occurrence only when its lines cannot be parsed', () => {
    expect(seriesBounds(master(['RRULE:FREQ=NEVER'])).last).toBe(START + 5 * 3_600_000);
  });
});
