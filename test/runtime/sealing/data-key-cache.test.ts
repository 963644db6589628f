import { manualClock } from '@kalends/conformance';
import { expect, it } from 'vitest';
import { createDataKeyCache } from '../../../src/runtime/sealing/data-key-cache.ts';

const MINUTE = 60_000;

/** A cache on a manual clock, in front of a keyring that notes what it is asked. */
function world(limit = 100) {
  const clock = manualClock();
  const cache = createDataKeyCache(clock, limit);
  const asked: string[] = [];
  const get = (wrapped: string, owner = 'o') =>
    cache.get(wrapped, owner, async () => {
      asked.push(`${wrapped}/${owner}`);
      return Buffer.from(wrapped);
    });
  return { clock, cache, asked, get };
}

it('uses a key for five minutes, however often, and no longer', async () => {
  const { clock, asked, get } = world();
  for (let minute = 0; minute < 5; minute += 1) {
    expect(String(await get('a'))).toBe('a');
    await clock.advance(MINUTE);
  }
  expect(asked).toEqual(['a/o']);
  await get('a');
  expect(asked).toEqual(['a/o', 'a/o']);
});

it('counts the life of a key from the question, not from the answer', async () => {
  const { clock, cache } = world();
  let times = 0;
  const slowly = async () => {
    times += 1;
    await clock.sleep(4 * MINUTE);
    return Buffer.from('a');
  };
  const first = cache.get('a', 'o', slowly);
  await clock.advance(4 * MINUTE);
  await first;
  await clock.advance(MINUTE);
  void cache.get('a', 'o', slowly);
  expect(times).toBe(2);
  await clock.advance(4 * MINUTE);
});

it('does not trust a clock that was set back', async () => {
  let now = 10 * MINUTE;
  const cache = createDataKeyCache({ now: () => now, sleep: () => Promise.resolve() }, 10);
  let times = 0;
  const unwrap = async () => {
    times += 1;
    return Buffer.from('a');
  };
  await cache.get('a', 'o', unwrap);
  now = 0;
  await cache.get('a', 'o', unwrap);
  expect(times).toBe(2);
});

it('asks once for callers at the same time, and gives each owner its own key', async () => {
  const { asked, get } = world();
  const keys = await Promise.all([get('a'), get('a'), get('a', 'other'), get('a')]);
  expect(keys.map(String)).toEqual(['a', 'a', 'a', 'a']);
  expect(asked).toEqual(['a/o', 'a/other']);
  await get('a', 'other');
  expect(asked).toHaveLength(2);
});

it('tells a failure to all who wait for it, and keeps none', async () => {
  const { cache } = world();
  let times = 0;
  const unwrap = async () => {
    times += 1;
    if (times < 3) throw new Error(`outage ${times}`);
    return Buffer.from('a');
  };
  const both = [cache.get('a', 'o', unwrap), cache.get('a', 'o', unwrap)];
  for (const one of both) await expect(one).rejects.toThrow('outage 1');
  await expect(cache.get('a', 'o', unwrap)).rejects.toThrow('outage 2');
  expect(String(await cache.get('a', 'o', unwrap))).toBe('a');
  await cache.get('a', 'o', unwrap);
  expect(times).toBe(3);
});

it('holds so many keys and no more; the oldest leave', async () => {
  const { cache, asked, get } = world(3);
  for (const key of ['a', 'b', 'c', 'd']) await get(key);
  asked.length = 0;
  for (const key of ['b', 'c', 'd']) await get(key);
  expect(asked).toEqual([]);
  await get('a');
  expect(asked).toEqual(['a/o']);
  cache.put('e', 'o', Buffer.from('e'));
  await get('e');
  expect(asked).toEqual(['a/o']);
  await get('c');
  expect(asked).toEqual(['a/o', 'c/o']);
});

it('keeps nothing with a limit of 0', async () => {
  const { cache, asked, get } = world(0);
  cache.put('a', 'o', Buffer.from('a'));
  await get('a');
  await get('a');
  expect(asked).toEqual(['a/o', 'a/o']);
});
