import { manualClock } from '@kalends/conformance';
import { type RetryOptions, retry } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

const patient = (): RetryOptions => ({
  clock: { now: () => 0, sleep: async () => undefined },
  attempts: 3,
  shouldRetry: () => true,
  delayMs: () => 1,
});

/** Fails with the values in turn, then succeeds. */
function failing(...errors: readonly unknown[]): {
  readonly work: () => Promise<string>;
  readonly calls: () => number;
} {
  let calls = 0;
  return {
    calls: () => calls,
    work: async () => {
      calls += 1;
      if (calls <= errors.length) throw errors[calls - 1];
      return 'done';
    },
  };
}

describe('retry', () => {
  it('waits on the injected clock between attempts', async () => {
    const clock = manualClock();
    const at: number[] = [];
    const startedAt = clock.now();
    const result = retry(
      async (attempt) => {
        at.push(clock.now() - startedAt);
        if (attempt < 3) throw new Error('again');
        return 'done';
      },
      { ...patient(), clock, delayMs: (attempt) => attempt * 100 },
    );
    await clock.advance(100);
    await clock.advance(200);
    expect(await result).toBe('done');
    expect(at).toEqual([0, 100, 300]);
  });

  it('gives up without waiting when the error is final, the wait too long or the attempts are used up', async () => {
    const clock = manualClock();
    const error = new Error('final');
    const { work, calls } = failing(error, error, error, error);
    await expect(retry(work, { ...patient(), clock, shouldRetry: () => false })).rejects.toBe(error);
    await expect(retry(work, { ...patient(), clock, delayMs: () => undefined })).rejects.toBe(error);
    await expect(retry(work, { ...patient(), clock, attempts: 1 })).rejects.toBe(error);
    await expect(retry(work, { ...patient(), clock, attempts: 0 })).rejects.toBe(error);
    expect(calls()).toBe(4);
  });

  it('asks for the wait once per failure that leaves an attempt, with the number and the error', async () => {
    const asked: (readonly [number, unknown])[] = [];
    const { work } = failing('a', 'b', 'c');
    const options = {
      ...patient(),
      delayMs: (attempt: number, error: unknown) => {
        asked.push([attempt, error]);
        return 0;
      },
    };
    await expect(retry(work, options)).rejects.toBe('c');
    expect(asked).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it.each([
    ['a TypeError', new TypeError('x is not a function')],
    ['a network error', new TypeError('fetch failed')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['a plain value', 'no error at all'],
    ['nothing', undefined],
  ])('repeats after %s as after any other, and rejects with the very same', async (_name, error) => {
    const passing = failing(error, error);
    expect(await retry(passing.work, patient())).toBe('done');
    const lasting = failing(error, error, error);
    const outcome = await retry(lasting.work, patient()).then(
      () => 'resolved',
      (reason: unknown) => ({ reason }),
    );
    expect(outcome).toEqual({ reason: error });
    expect(lasting.calls()).toBe(3);
  });

  it('rejects with the signal’s reason when aborted while it waits, and leaves no sleeper', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const { work, calls } = failing(new Error('once'));
    const result = retry(work, { ...patient(), clock, delayMs: () => 1_000, signal: stop.signal });
    const outcome = expect(result).rejects.toThrow('stop');
    await clock.advance(1);
    stop.abort(new Error('stop'));
    await outcome;
    expect(clock.sleeping).toBe(0);
    expect(calls()).toBe(1);
  });

  it('keeps a result that came although the signal was aborted meanwhile', async () => {
    const stop = new AbortController();
    const work = async () => {
      stop.abort(new Error('stop'));
      return 'written';
    };
    expect(await retry(work, { ...patient(), signal: stop.signal })).toBe('written');
  });
});
