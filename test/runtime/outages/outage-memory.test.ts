import { manualClock } from '@kalends/conformance';
import { OUTAGE_GRACE_MS } from 'kalends/ports';
import { createOutageMemory } from 'kalends/runtime';
import { beforeEach, expect, test } from 'vitest';

let clock: ReturnType<typeof manualClock>;
let memory: ReturnType<typeof createOutageMemory>;
beforeEach(() => {
  clock = manualClock();
  memory = createOutageMemory(clock);
});

/** How long ago leases must have ended to have run out. */
const line = () => 1_000_000 - memory.runOutBy(1_000_000);

async function outage(ms: number): Promise<void> {
  memory.missed(clock.now());
  await clock.advance(ms);
  memory.missed(clock.now());
  memory.reached();
}

test('a lease that ended has run out as long as the storage is there', async () => {
  memory.reached();
  await clock.advance(60_000);
  expect(line()).toBe(0);
});

test('after an outage only what ended before it has run out, for a while', async () => {
  memory.reached();
  await clock.advance(4_000);
  await outage(20_000);
  expect(line()).toBe(24_000);
  await clock.advance(OUTAGE_GRACE_MS - 1);
  expect(line()).toBe(24_000 + OUTAGE_GRACE_MS - 1);
  await clock.advance(1);
  expect(line()).toBe(0);
});

test('the first to get through counts as in the outage', async () => {
  memory.reached();
  memory.missed(clock.now());
  await clock.advance(20_000);
  expect(line()).toBe(20_000);
});

test('a lost connection is no outage, nor is a statement that fails late beside others that get through', async () => {
  memory.reached();
  await clock.advance(4_000);
  await outage(500);
  expect(line()).toBe(0);
  const startedAt = clock.now();
  await clock.advance(30_000);
  memory.reached();
  memory.missed(startedAt);
  memory.reached();
  expect(line()).toBe(0);
});

test('of two outages shortly after each other the first counts still', async () => {
  memory.reached();
  await outage(10_000);
  await clock.advance(1_000);
  memory.reached();
  await outage(10_000);
  expect(line()).toBe(21_000);
});
