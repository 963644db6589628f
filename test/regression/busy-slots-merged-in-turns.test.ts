import fc from 'fast-check';
import { normalize, type Slot } from 'kalends/free-busy';
import { expect, it } from 'vitest';
import { createBusyCollector } from '../../src/events/read/busy-collector.ts';
import type { YieldToEventLoop } from '../../src/runtime/event-loop/yield-to-event-loop.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../mirror/sync-world.ts';

/** Counts steps, and notes the most that were taken at once. */
function counting() {
  let steps = 0;
  let most = 0;
  const yieldToEventLoop: YieldToEventLoop = (taken = 1) => {
    steps += taken;
    most = Math.max(most, taken);
    return undefined;
  };
  return { yieldToEventLoop, steps: () => steps, most: () => most };
}

it('merges slots of any order to what a sort of all of them gives', async () => {
  const slot = fc
    .tuple(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 9 }))
    .map(([startMs, length]): Slot => ({ startMs, endMs: startMs + length }));
  const many = fc.array(slot, { minLength: 2_500, maxLength: 9_000, size: 'max' });
  await fc.assert(
    fc.asyncProperty(many, async (slots) => {
      const collector = createBusyCollector(counting().yieldToEventLoop);
      for (const one of slots) await collector.add(one);
      expect(await collector.finish()).toEqual(normalize(slots));
    }),
    { numRuns: 15 },
  );
});

it('counts all of its work in steps of at most 2,000, a few for each slot', async () => {
  const { yieldToEventLoop, steps, most } = counting();
  const collector = createBusyCollector(yieldToEventLoop);
  const total = 100_000;
  // Descending and apart: nothing merges, and every set has to be merged with those before it.
  for (let i = total; i > 0; i--) await collector.add({ startMs: 2 * i, endMs: 2 * i + 1 });
  expect(await collector.finish()).toHaveLength(total);
  expect(most()).toBeLessThanOrEqual(2_000);
  expect(steps()).toBeGreaterThan(2 * total);
  expect(steps()).toBeLessThan(12 * total);
});

it('leaves turns to others while it writes out many busy slots', async () => {
  const world = await syncWorld();
  const point = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
  const times = { start: point('2026-01-01T00:00:00Z'), end: point('2026-01-01T00:00:01Z') };
  world.fake.put(CALENDAR, fakeEvent('dense', { ...times, recurrence: ['RRULE:FREQ=SECONDLY;INTERVAL=2'] }));
  const query = {
    startDateTime: '2026-02-01T00:00:00Z',
    endDateTime: '2026-03-01T00:00:00Z',
    timeZone: 'UTC',
    calendarIds: [CALENDAR],
  };
  await world.freeBusy.query(CALLER, ACCOUNT, query);
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const [calendar] = await world.freeBusy.query(CALLER, ACCOUNT, query);
  isRunning = false;
  expect(calendar?.busySlots).toHaveLength(50_000);
  // 50,000 to collect, as many to merge, and as many to write out, 2,000 a turn.
  expect(turns).toBeGreaterThan(70);
  await world.close();
});
