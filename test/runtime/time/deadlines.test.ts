import { manualClock } from '@kalends/conformance';
import fc from 'fast-check';
import { createDeadlines, systemClock } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

describe('deadlines', () => {
  it('strike each at its time unless lifted, as timers of their own would', async () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 30 }),
      ms: fc.constantFrom(0, 5, 20, 20, 50),
      liftedAfterMs: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = manualClock();
        const deadlines = createDeadlines(clock);
        const struck: (number | undefined)[] = [];
        const expected: (number | undefined)[] = [];
        const lifts: { readonly at: number; readonly lift: () => void }[] = [];
        /** Millisecond by millisecond: who is lifted in the millisecond of its deadline comes too late. */
        const pass = async (ms: number) => {
          for (let passed = 0; passed < ms; passed += 1) {
            await clock.advance(1);
            for (const { at, lift } of lifts) if (at === clock.now()) lift();
          }
        };
        for (const [index, { waitMs, ms, liftedAfterMs }] of steps.entries()) {
          await pass(waitMs);
          const lift = deadlines.set(ms, () => {
            struck[index] = clock.now();
          });
          await clock.advance(0);
          const isLifted = liftedAfterMs !== undefined && liftedAfterMs < ms;
          expected[index] = isLifted ? undefined : clock.now() + ms;
          if (liftedAfterMs === 0) lift();
          else if (liftedAfterMs !== undefined) lifts.push({ at: clock.now() + liftedAfterMs, lift });
        }
        await pass(200);
        expect(Array.from(expected, (_, index) => struck[index])).toEqual(expected);
        expect(clock.sleeping).toBe(0);
      }),
    );
  });

  it('of a thousand requests cost one sleep', async () => {
    const clock = manualClock();
    const deadlines = createDeadlines(clock);
    const lifts = Array.from({ length: 1_000 }, () => deadlines.set(15_000, () => undefined));
    expect(clock.sleeping).toBe(1);
    for (const lift of lifts) lift();
    await clock.advance(15_000);
    expect(clock.sleeping).toBe(0);
  });

  it('end when the clock is set back, rather than wait for it', async () => {
    let shift = 0;
    const clock = manualClock();
    const deadlines = createDeadlines({ ...clock, now: () => clock.now() + shift });
    const struck: string[] = [];
    deadlines.set(1_000, () => struck.push('first'));
    deadlines.set(1_000, () => struck.push('second'));
    shift = -3_600_000;
    await clock.advance(1_000);
    expect(struck).toEqual(['first', 'second']);
  });

  it('are reached no more once closed, and keep no process running', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const deadlines = createDeadlines(systemClock);
    deadlines.set(86_400_000, () => expect.unreachable());
    expect(timers()).toBe(before + 1);
    deadlines.close();
    expect(timers()).toBe(before);
  });
});
