import { manualClock } from '@kalends/conformance';
import { expect, test } from 'vitest';
import { createReadCounter } from '../../src/pull/read-counter.ts';

const MINUTE_MS = 60_000;

test('a calendar is read often in the tenth minute with reads of an hour, and counted anew then', async () => {
  const clock = manualClock();
  const counter = createReadCounter(clock);
  for (let round = 0; round < 2; round++) {
    for (let minute = 1; minute < 10; minute++) {
      expect(counter.note('a')).toBe(false);
      await clock.advance(MINUTE_MS);
    }
    expect(counter.note('a')).toBe(true);
  }
});

test('the count begins anew an hour after its first minute', async () => {
  const clock = manualClock();
  const counter = createReadCounter(clock);
  expect(counter.note('a')).toBe(false);
  await clock.advance(30 * MINUTE_MS);
  for (let minute = 2; minute < 10; minute++) expect(counter.note('a')).toBe(false);
  await clock.advance(30 * MINUTE_MS);
  for (let minute = 1; minute < 10; minute++) expect(counter.note('a')).toBe(false);
  await clock.advance(60 * MINUTE_MS - 1);
  expect(counter.note('a')).toBe(true);
});

test('calendars are counted apart, and the oldest of ten thousand is forgotten', () => {
  const counter = createReadCounter(manualClock());
  for (let minute = 1; minute < 10; minute++) {
    counter.note('first');
    counter.note('second');
  }
  for (let i = 0; i < 9_999; i++) expect(counter.note(`other${i}`)).toBe(false);
  expect(counter.note('second')).toBe(true);
  expect(counter.note('first')).toBe(false);
});
