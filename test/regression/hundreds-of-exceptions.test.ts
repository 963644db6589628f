import { expect, it } from 'vitest';
import { restoreExceptions } from '../../src/events/series-edit/restore-exceptions.ts';
import type { SeriesCalls } from '../../src/events/series-edit/series-calls.ts';
import type { SeriesSnapshot } from '../../src/events/series-edit/series-snapshot.ts';
import { DAY_MS } from '../../src/zones/index.ts';
import { fakeEvent } from '../mirror/fake-events.ts';

const EXCEPTIONS = 500;
const FIRST_MS = Date.UTC(2026, 0, 1, 14);

it('looks at each exception of a long series a few times, not once for each other', async () => {
  const point = (time: string) => ({ dateTime: `2026-01-01T${time}:00Z`, timeZone: 'UTC' });
  const times = { start: point('14:00'), end: point('15:00') };
  const master = fakeEvent('series', { ...times, recurrence: ['RRULE:FREQ=DAILY;INTERVAL=7'] });
  const single = fakeEvent('exception', times);
  let looks = 0;
  const exceptions = Array.from({ length: EXCEPTIONS }, (_, index) => ({
    ...single,
    seriesId: 'series',
    get recurrenceId() {
      looks += 1;
      return { kind: 'instant', startMs: FIRST_MS + index * 7 * DAY_MS } as const;
    },
  }));
  const series = { master, exceptions } as SeriesSnapshot;
  const wanted = exceptions.map(({ recurrenceId: slot }) => ({ slot, isCancelled: false, patch: {} }));
  looks = 0;
  const calls = { calendarZone: 'UTC', withAnswers: true } as SeriesCalls;
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  expect(await restoreExceptions(calls, series, { wanted, before: series, isResumed: false, logger })).toBe(series);
  expect(looks).toBeLessThan(10 * EXCEPTIONS);
});
