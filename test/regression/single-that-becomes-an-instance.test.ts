import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeEvent, fakeException } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

/*
 * An instance that was once shown without its series was mirrored as a single event. When it was shown as an instance again,
 * the single event stayed beside the series for ever: its own GET answers the series, which says nothing about other items.
 */
let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld({ freshWithoutPushMs: 1, freshWithPushMs: 1 });
});
afterEach(() => world.close());

async function titles(): Promise<readonly string[]> {
  await world.clock.advance(10);
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  return data.flatMap((event) => ('title' in event ? [event.title] : [])).sort();
}

it('the single event leaves with the next full pass', async () => {
  world.fake.switches.wholeSeries = true;
  world.fake.put(CALENDAR, fakeEvent('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }));
  world.fake.put(CALENDAR, fakeEvent('odd', { title: 'stray' }));
  expect(await titles()).toEqual(['series', 'stray']);
  const slot = { kind: 'instant', startMs: Date.UTC(2026, 2, 3, 14) } as const;
  world.fake.put(CALENDAR, fakeException('odd', 'series', slot, { title: 'special' }));
  world.fake.expireTokens();
  expect(await titles()).toEqual(['series', 'special']);
});
