import { setImmediate as nextTurn } from 'node:timers/promises';
import { outageTimeoutReader, withOutageTimeout } from 'kalends/runtime';
import { expect, test } from 'vitest';
import { inSameTurn } from '../../src/statements/in-same-turn.ts';

/** A lookup that notes what it was asked for, and answers with the number of its call. */
function counted(limit = 100, weightOf?: (key: string) => number) {
  const calls: (readonly string[])[] = [];
  const look = inSameTurn(async (keys: readonly string[]) => calls.push([...keys]), limit, weightOf);
  return { calls, look };
}

test('what is asked for in one turn is looked up at once, the same key too', async () => {
  const { calls, look } = counted();
  const asked = [look('a'), look('b')];
  await Promise.resolve();
  asked.push(look('a'));
  expect(calls).toEqual([]);
  expect(await Promise.all(asked)).toEqual([1, 1, 1]);
  expect(calls).toEqual([['a', 'b', 'a']]);
});

test('what is asked for once a lookup has begun is another one', async () => {
  const { calls, look } = counted();
  const first = look('a');
  await nextTurn();
  const second = look('a');
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(calls).toEqual([['a'], ['a']]);
});

test('a lookup takes no more than the limit, by weight', async () => {
  const { calls, look } = counted(4, (key) => key.length);
  await Promise.all(['aa', 'bb', 'c', 'ddd', 'eeee'].map(look));
  expect(calls).toEqual([['aa', 'bb'], ['c', 'ddd'], ['eeee']]);
});

test('a key that is heavier than the limit goes alone', async () => {
  const { calls, look } = counted(2, (key) => key.length);
  await Promise.all(['a', 'heavy', 'b'].map(look));
  expect(calls).toEqual([['a'], ['heavy'], ['b']]);
});

test('the first caller gets a failure; the others retry once, together', async () => {
  const calls: (readonly string[])[] = [];
  const look = inSameTurn(async (keys: readonly string[]) => {
    calls.push([...keys]);
    if (keys.includes('bad')) throw new Error(`no ${keys.join()}`);
    return keys.join();
  }, 9);
  const ends = await Promise.allSettled(['bad', 'good', 'fine'].map(look));
  expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : String(end.reason)))).toEqual([
    'Error: no bad,good,fine',
    'good,fine',
    'good,fine',
  ]);
  expect(calls).toEqual([
    ['bad', 'good', 'fine'],
    ['good', 'fine'],
  ]);
});

test('of a lookup that goes on failing there are two, however many have asked', async () => {
  let calls = 0;
  const look = inSameTurn(async (): Promise<never> => {
    calls += 1;
    throw new Error(`no ${calls}`);
  }, 100);
  const ends = await Promise.allSettled(Array.from({ length: 50 }, (_, key) => look(key)));
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
  expect(calls).toBe(2);
});

test('a lookup has the timeout of its first caller; when it ends the others have their own', async () => {
  const timeout = outageTimeoutReader();
  const limits: unknown[] = [];
  const look = inSameTurn(async () => {
    const limitMs = timeout()?.limitMs;
    limits.push(limitMs);
    if (limitMs === 1) throw new Error('away');
    return limitMs;
  }, 9);
  const ends = await Promise.allSettled(
    [1, 20, 30].map((limitMs) => withOutageTimeout({ limitMs }, () => look('key'))),
  );
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(limits).toEqual([1, 20]);
});
