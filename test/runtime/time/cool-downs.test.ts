import { manualClock } from '@kalends/conformance';
import { createCoolDowns } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

describe('cool-downs', () => {
  it('expire after their duration, start anew when begun again, and can be ended early', async () => {
    const clock = manualClock();
    const coolDowns = createCoolDowns(clock, 1_000);
    const active = () => ['a', 'b', 'c', 'd'].filter((name) => coolDowns.isActive(name));
    for (const name of ['a', 'b', 'c']) coolDowns.begin(name);
    coolDowns.end('b');
    expect(active()).toEqual(['a', 'c']);
    await clock.advance(999);
    coolDowns.begin('a');
    expect(active()).toEqual(['a', 'c']);
    await clock.advance(1);
    expect(active()).toEqual(['a']);
  });

  it('are evicted once expired, so that names that never return do not fill memory', async () => {
    const clock = manualClock();
    const coolDowns = createCoolDowns(clock, 1_000);
    for (let second = 0; second < 100; second += 1) {
      coolDowns.begin(`name of second ${second}`);
      coolDowns.begin('recurring name');
      await clock.advance(1_000);
    }
    expect(coolDowns.size).toBe(2);
  });
});
