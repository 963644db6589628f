import { type ManualClock, manualClock } from '@kalends/conformance';
import fc from 'fast-check';
import { createMailboxLimiter, type MailboxLimiter, type MailboxLimiterOptions } from 'kalends/runtime';
import { beforeEach, describe, expect, test } from 'vitest';

const MINUTE_MS = 60_000;
const startedAt = Date.UTC(2026, 2, 2, 9);

let clock: ManualClock;

beforeEach(() => {
  clock = manualClock(startedAt);
});

function limiter(options: Partial<MailboxLimiterOptions> = {}): MailboxLimiter {
  return createMailboxLimiter({
    clock,
    concurrency: 2,
    callsPerInterval: Number.POSITIVE_INFINITY,
    intervalMs: MINUTE_MS,
    ...options,
  });
}

/** Work that is under way until it is ended. */
function openWork() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('places', () => {
  test('so many calls at a time and mailbox, others do not wait, in order of arrival', async () => {
    const limits = limiter();
    const begun: string[] = [];
    const works = new Map<string, () => void>();
    const call = (mailbox: string, name: string) => {
      const { work, end } = openWork();
      works.set(name, end);
      return limits.run(mailbox, undefined, () => {
        begun.push(name);
        return work();
      });
    };
    const calls = ['1', '2', '3', '4', '5'].map((name) => call('a', name));
    calls.push(call('b', 'other'));
    await settle();
    expect(begun.sort()).toEqual(['1', '2', 'other']);
    begun.length = 0;
    for (const name of ['2', '1', '3']) {
      works.get(name)?.();
      await settle();
    }
    expect(begun).toEqual(['3', '4', '5']);
    for (const end of works.values()) end();
    await Promise.all(calls);
  });

  test('results and errors come through, and both give the place back', async () => {
    const limits = limiter({ concurrency: 1 });
    expect(await limits.run('a', undefined, async () => 7)).toBe(7);
    const error = new TypeError('not ours');
    await expect(limits.run('a', undefined, () => Promise.reject(error))).rejects.toBe(error);
    const thrown = () => {
      throw error;
    };
    await expect(limits.run('a', undefined, thrown)).rejects.toBe(error);
    expect(await limits.run('a', undefined, async () => 8)).toBe(8);
  });

  test('a newcomer does not overtake those who wait', async () => {
    const limits = limiter({ concurrency: 1 });
    const order: string[] = [];
    const first = openWork();
    const note = (name: string) => async () => void order.push(name);
    const running = limits.run('a', undefined, first.work);
    const second = limits.run('a', undefined, note('second'));
    first.end();
    const third = running.then(() => limits.run('a', undefined, note('third')));
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
  });

  test('background work leaves one place free, and begins after all other callers', async () => {
    const limits = limiter({ concurrency: 3 });
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const call = (name: string, isBackground: boolean) => {
      const { work, end } = openWork();
      ends.set(name, end);
      const begin = () => {
        begun.push(name);
        return work();
      };
      return limits.run('a', undefined, begin, isBackground);
    };
    const calls = ['b1', 'b2', 'b3', 'b4'].map((name) => call(name, true));
    calls.push(call('f1', false), call('f2', false));
    await settle();
    expect(begun).toEqual(['b1', 'b2', 'f1']);
    ends.get('b1')?.();
    await settle();
    expect(begun.slice(3)).toEqual(['f2']);
    ends.get('f1')?.();
    await settle();
    expect(begun.slice(4)).toEqual(['b3']);
    ends.get('f2')?.();
    await settle();
    expect(begun.slice(5)).toEqual([]);
    ends.get('b2')?.();
    await settle();
    expect(begun.slice(5)).toEqual(['b4']);
    for (const end of ends.values()) end();
    await Promise.all(calls);
  });

  test('background work has the only place where there is just one', async () => {
    const limits = limiter({ concurrency: 1 });
    expect(await limits.run('a', undefined, async () => 1, true)).toBe(1);
  });

  test('a caller that gives up leaves the line, and the others keep their places', async () => {
    const limits = limiter({ concurrency: 1 });
    const first = openWork();
    const running = limits.run('a', undefined, first.work);
    const stop = new AbortController();
    const begun: string[] = [];
    const given = limits.run('a', stop.signal, async () => begun.push('given up'));
    const last = limits.run('a', undefined, async () => 'mine');
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    first.end();
    await running;
    expect(await last).toBe('mine');
    await expect(limits.run('a', stop.signal, async () => begun.push('too late'))).rejects.toThrow('enough');
    expect(begun).toEqual([]);
    expect(await limits.run('a', undefined, async () => 'free')).toBe('free');
  });
});

describe('pace', () => {
  test('so many calls begun in any interval and mailbox, the next ones in order', async () => {
    const limits = limiter({ concurrency: 8, callsPerInterval: 2 });
    const begun: (readonly [string, number])[] = [];
    const call = (name: string, mailbox = 'a') =>
      limits.run(mailbox, undefined, async () => void begun.push([name, clock.now() - startedAt]));
    await call('1');
    await clock.advance(10_000);
    await call('2');
    const waiting = [call('3'), call('4'), call('5'), call('other', 'b')];
    await clock.advance(49_999);
    expect(begun.map(([name]) => name)).toEqual(['1', '2', 'other']);
    await clock.advance(60_001);
    await Promise.all(waiting);
    expect(begun).toEqual([
      ['1', 0],
      ['2', 10_000],
      ['other', 10_000],
      ['3', 60_000],
      ['4', 70_000],
      ['5', 120_000],
    ]);
  });

  test('room in the interval is used at once, however many calls there were before', async () => {
    const limits = limiter({ callsPerInterval: 2 });
    for (let at = 0; at < 10; at += 1) {
      await limits.run('a', undefined, async () => undefined);
      await clock.advance(30_000);
    }
    expect(clock.sleeping).toBe(0);
  });

  test('Infinity never looks at the time', async () => {
    const limits = limiter({ concurrency: Number.POSITIVE_INFINITY });
    await Promise.all(Array.from({ length: 5000 }, () => limits.run('a', undefined, async () => undefined)));
    expect(clock.sleeping).toBe(0);
  });

  test('a caller that gives up passes its turn on, and uses none up', async () => {
    const limits = limiter({ concurrency: 8, callsPerInterval: 1 });
    await limits.run('a', undefined, async () => undefined);
    for (let at = 0; at < 20; at += 1) {
      const stop = new AbortController();
      const given = limits.run('a', stop.signal, async () => undefined);
      const outcome = expect(given).rejects.toThrow('enough');
      await clock.advance(10);
      stop.abort(new Error('enough'));
      await outcome;
      await settle();
      expect(clock.sleeping).toBe(0);
    }
    const last = limits.run('a', undefined, async () => clock.now() - startedAt);
    await clock.advance(MINUTE_MS);
    expect(await last).toBe(MINUTE_MS);
  });

  test('a clock whose sleep ends at once is taken at its word', async () => {
    const limits = limiter({ clock: { now: () => 0, sleep: async () => undefined }, callsPerInterval: 1 });
    for (let at = 0; at < 3; at += 1) await limits.run('a', undefined, async () => undefined);
    limits.pause('a', 1_000);
    expect(await limits.run('a', undefined, async () => 'done')).toBe('done');
  });

  test('a clock that is set back holds no turn back for longer than the interval', async () => {
    let now = startedAt;
    const limits = limiter({
      clock: { now: () => now, sleep: clock.sleep },
      callsPerInterval: 1,
      longestWaitMs: 0,
    });
    await limits.run('a', undefined, async () => undefined);
    now -= 86_400_000;
    const refused = limits.run('a', undefined, async () => undefined);
    await expect(refused).rejects.toMatchObject({ retryAfterMs: MINUTE_MS });
  });

  test('a wait that is too long is told at once, exactly, and gives the place back', async () => {
    const limits = limiter({ concurrency: 1, callsPerInterval: 2, longestWaitMs: 5_000 });
    const call = () => limits.run('a', undefined, async () => 'done');
    await call();
    await clock.advance(1_000);
    await call();
    await clock.advance(1_000);
    await expect(call()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 58_000 });
    await clock.advance(53_000);
    const soon = call();
    await clock.advance(5_000);
    expect(await soon).toBe('done');
  });

  test('calls keep to the sliding interval, in order, and waits are foretold: against a slow oracle', async () => {
    const scenario = fc.record({
      limit: fc.integer({ min: 1, max: 4 }),
      gaps: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 25 }),
      longest: fc.constantFrom(Number.POSITIVE_INFINITY, 700),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ limit, gaps, longest }) => {
        const limits = limiter({
          concurrency: 100,
          callsPerInterval: limit,
          intervalMs: 1_000,
          longestWaitMs: longest,
        });
        const origin = clock.now();
        const expected: (number | string)[] = [];
        const starts: number[] = [];
        const calls: Promise<number | string>[] = [];
        for (const gap of gaps) {
          await clock.advance(gap);
          const now = clock.now() - origin;
          const before = starts[starts.length - limit] ?? Number.NEGATIVE_INFINITY;
          const start = Math.max(now, before + 1_000);
          const isTooLong = start - now > longest;
          expected.push(isTooLong ? `refused ${start - now}` : start);
          if (!isTooLong) starts.push(start);
          const begun = limits.run('a', undefined, async () => clock.now() - origin);
          calls.push(begun.catch((error) => `refused ${error.retryAfterMs}`));
          await settle();
        }
        await clock.advance(30_000);
        expect(await Promise.all(calls)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe('pauses', () => {
  test('a paused mailbox begins no call until its time on the clock, others do', async () => {
    const limits = limiter();
    limits.pause('a', 3_000);
    limits.pause('a', 1_000);
    const paused = limits.run('a', undefined, async () => clock.now() - startedAt);
    await limits.run('b', undefined, async () => undefined);
    await clock.advance(2_000);
    limits.pause('a', 2_500);
    await clock.advance(2_500);
    expect(await paused).toBe(4_500);
  });

  test('a long pause is told, not waited for; giving up ends the wait', async () => {
    const limits = limiter({ concurrency: 1, longestWaitMs: 10_000 });
    limits.pause('a', 120_000);
    const call = limits.run('a', undefined, async () => undefined);
    await expect(call).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 120_000 });
    await clock.advance(115_000);
    const stop = new AbortController();
    const given = limits.run('a', stop.signal, async () => undefined);
    const outcome = expect(given).rejects.toThrow('enough');
    await settle();
    stop.abort(new Error('enough'));
    await outcome;
    expect(clock.sleeping).toBe(0);
    await clock.advance(5_000);
    expect(await limits.run('a', undefined, async () => 'done')).toBe('done');
  });

  test.each([999_999_999_000, Number.POSITIVE_INFINITY])('a pause of %s ms is one of an hour', async (forMs) => {
    const limits = limiter({ longestWaitMs: 0 });
    limits.pause('a', forMs);
    await clock.advance(3_600_000);
    expect(await limits.run('a', undefined, async () => 'done')).toBe('done');
  });

  test('a refused call uses up no turn', async () => {
    const limits = limiter({ callsPerInterval: 1, longestWaitMs: 10 });
    limits.pause('a', 1_000);
    for (let at = 0; at < 5; at += 1) await limits.run('a', undefined, async () => undefined).catch(() => undefined);
    await clock.advance(1_000);
    expect(await limits.run('a', undefined, async () => 'done')).toBe('done');
  });
});

describe('memory', () => {
  test('idle mailboxes are forgotten; busy, paused and recently paced ones are not', async () => {
    const limits = limiter({ callsPerInterval: 1, longestWaitMs: 0 });
    const { work, end } = openWork();
    const busy = limits.run('busy', undefined, work);
    limits.pause('paused', 3_600_000);
    await settle();
    for (let at = 0; at < 998; at += 1) await limits.run(`m${at}`, undefined, async () => undefined);
    expect(limits.size).toBe(1000);
    await clock.advance(MINUTE_MS + 1);
    await limits.run('late', undefined, async () => undefined);
    expect(limits.size).toBe(3);
    await expect(limits.run('paused', undefined, async () => undefined)).rejects.toMatchObject({
      reason: 'rate-limited',
    });
    end();
    await busy;
    for (let at = 0; at < 1500; at += 1) await limits.run(`n${at}`, undefined, async () => undefined);
    await expect(limits.run('n1', undefined, async () => undefined)).rejects.toMatchObject({ reason: 'rate-limited' });
  });
});

test('bounds that let nothing pass are refused', () => {
  expect(() => limiter({ concurrency: 0 })).toThrow('concurrency');
  expect(() => limiter({ callsPerInterval: 0.5 })).toThrow('callsPerInterval');
  expect(() => limiter({ callsPerInterval: Number.NaN })).toThrow(RangeError);
});
