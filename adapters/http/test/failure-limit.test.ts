import { manualClock } from '@kalends/conformance';
import { expect, it } from 'vitest';
import { createFailureLimit } from '../src/failure-limit.ts';

it('an address that has failed too often waits no longer once the clock was set back', async () => {
  const clock = manualClock();
  const failures = createFailureLimit({ perSecond: 1, burst: 2 }, clock);
  for (let failure = 0; failure < 2; failure += 1) failures.count('192.0.2.1');
  expect(failures.waitMs('192.0.2.1')).toBe(1_000);
  await clock.advance(-3_600_000);
  expect(failures.waitMs('192.0.2.1')).toBe(1_000);
  await clock.advance(400);
  expect(failures.waitMs('192.0.2.1')).toBe(600);
  await clock.advance(600);
  expect(failures.waitMs('192.0.2.1')).toBe(0);
});
