import { ProviderError } from 'kalends/ports';
import { expect, it } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type Services, syncWorld } from '../mirror/sync-world.ts';

const WRITERS = 6;

it('an event follows the provider a minute later, however many writers could not find out what became of a write', async () => {
  const world = await syncWorld();
  const { switches } = world.fake;
  const update = (title: string) => world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title });
  const title = async () => {
    const [event] = (await world.events.list(CALLER, ACCOUNT, CALENDAR, {})).data;
    return event !== undefined && 'title' in event ? event.title : undefined;
  };
  world.fake.put(CALENDAR, fakeEvent('a', { title: 'before' }));
  expect(await title()).toBe('before');

  switches.fail = (call) =>
    call === 'events.update' || call === 'events.get' ? new ProviderError('unavailable', 'down') : undefined;
  // Each of them looks at once, in vain, and what fails again and again is tried more and more seldom.
  for (let writer = 0; writer < WRITERS; writer++) {
    await expect(update(`writer ${writer}`)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  }
  switches.fail = undefined;
  world.fake.put(CALENDAR, fakeEvent('a', { title: 'theirs' }));

  await world.clock.advance(60_000);
  await sweep(world);
  await world.mirror.pull(world.account, CALENDAR);
  expect(await title()).toBe('theirs');
  await world.close();
});

/** Lets a process settle what is due now. */
async function sweep({ settleIntents }: Services): Promise<void> {
  const ending = new AbortController();
  const running = settleIntents(ending.signal);
  for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
  ending.abort();
  await running;
}
