import { manualClock } from 'kalends/conformance';
import { createRests } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

describe('rests', () => {
  it('are over after their time, which a new one begins anew, or when they are ended', async () => {
    const clock = manualClock();
    const rests = createRests(clock, 1_000);
    const resting = () => ['a', 'b', 'c', 'd'].filter((name) => rests.isResting(name));
    for (const name of ['a', 'b', 'c']) rests.begin(name);
    rests.end('b');
    expect(resting()).toEqual(['a', 'c']);
    await clock.advance(999);
    rests.begin('a');
    expect(resting()).toEqual(['a', 'c']);
    await clock.advance(1);
    expect(resting()).toEqual(['a']);
  });

  it('that are over are forgotten, so that names that never come back fill no memory', async () => {
    const clock = manualClock();
    const rests = createRests(clock, 1_000);
    for (let second = 0; second < 100; second += 1) {
      rests.begin(`one of second ${second}`);
      rests.begin('always the same');
      await clock.advance(1_000);
    }
    expect(rests.size).toBe(2);
  });
});
