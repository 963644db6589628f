import { mapInTurns } from 'kalends/runtime';
import { expect, test } from 'vitest';

/** Runs work and counts the turns that others got meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isRunning = false;
  return turns;
}

test('a long list is mapped in turns, in its order', async () => {
  const items = Array.from({ length: 2_500 }, (_, i) => i);
  let mapped: readonly number[] = [];
  const turns = await turnsDuring(async () => {
    mapped = await mapInTurns(items, (item, index) => item + index);
  });
  expect(mapped).toEqual(items.map((item) => 2 * item));
  expect(turns).toBeGreaterThanOrEqual(49);
});
