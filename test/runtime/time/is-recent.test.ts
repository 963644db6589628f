import { manualClock } from '@kalends/conformance';
import { isRecent } from 'kalends/runtime';
import { expect, it } from 'vitest';

it('an instant is recent for less than the given time, and not before it', async () => {
  const clock = manualClock();
  const at = clock.now();
  const answers: boolean[] = [];
  for (const ms of [0, 99, 1, -101, 1]) {
    await clock.advance(ms);
    answers.push(isRecent(clock, at, 100));
  }
  expect(answers).toEqual([true, true, false, false, true]);
});
