import { compileSeries } from 'kalends/recurrence';
import { formatInstant } from 'kalends/zones';
import { expect, test } from 'vitest';

/*
 * Zone tables are built in blocks, and the part of a window in one block used to end at any second. An hourly step just
 * after such an end lost the slot that BYMINUTE puts before it.
 */
test.each([
  ['America/New_York', 38],
  ['Asia/Kathmandu', 59],
  ['UTC', 40],
])('no hour is lost where one block of the table of %s meets the next', (zone, minute) => {
  const series = compileSeries({
    dtstart: `2010-01-01T00:${minute}:00`,
    timeZone: zone,
    lines: ['RRULE:FREQ=HOURLY;BYMINUTE=0'],
  });
  const window = { from: Date.UTC(2010, 0, 3), to: Date.UTC(2032, 0, 1), limit: Number.POSITIVE_INFINITY };
  let last = Number.NaN;
  for (const { startMs } of series.occurrences(window)) {
    const isHole = startMs - last > 3_600_000;
    if (isHole) expect.fail(`a hole before ${formatInstant(zone, startMs)}`);
    last = startMs;
  }
  expect(last).toBe(window.to - (zone === 'Asia/Kathmandu' ? 2_700_000 : 3_600_000));
});
