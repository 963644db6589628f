import { runInTurns } from 'kalends/runtime';
import { expect, test } from 'vitest';

test('steps are taken in turns, and their result comes back', async () => {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  function* steps() {
    for (let taken = 0; taken < 1_000; taken += 1) yield;
    return 'done';
  }
  expect(await runInTurns(steps())).toBe('done');
  isRunning = false;
  expect(turns).toBeGreaterThanOrEqual(49);
});

test('an error of a step is the error of the work', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first step ends
  function* steps(): Generator<void, string, void> {
    throw new Error('broken');
  }
  await expect(runInTurns(steps())).rejects.toThrow('broken');
});
