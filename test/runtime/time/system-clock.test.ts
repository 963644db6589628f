import { systemClock } from 'kalends/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('sleeps longer than one timer of Node can', async () => {
  let isAwake = false;
  const slept = systemClock.sleep(60 * DAY_MS).then(() => {
    isAwake = true;
  });
  await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1);
  expect(isAwake).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await slept;
});

it('ends a long sleep with its signal, and leaves no timer', async () => {
  const ending = new AbortController();
  const slept = systemClock.sleep(60 * DAY_MS, ending.signal);
  const refused = expect(slept).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(30 * DAY_MS);
  ending.abort(new Error('enough'));
  await refused;
  expect(vi.getTimerCount()).toBe(0);
});
