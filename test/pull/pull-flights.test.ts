import { manualClock } from '@kalends/conformance';
import { KalendsError } from 'kalends';
import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PullFlights } from '../../src/pull/pull-flights.ts';
import type { PullRunner } from '../../src/pull/pull-runner.ts';
import { KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const OTHER = { ...KEY, calendarId: 'other' };
const DOWN = new ProviderError('unavailable', 'down');

let world: SyncWorld;
let flights: PullFlights;
let failure: Error | undefined;
const clock = manualClock();
const logged: string[] = [];
beforeEach(async () => {
  world = await syncWorld();
  failure = undefined;
  logged.length = 0;
  const note = (message: string) => void logged.push(message);
  const runner: PullRunner = {
    async run() {
      if (failure !== undefined) throw failure;
    },
  };
  flights = new PullFlights(
    { runner, clock, logger: { debug: note, info: note, warn: note, error: note } },
    new AbortController().signal,
  );
});
afterEach(() => world.close());

const fly = (key = KEY) => flights.join(world.account, key, () => false);
const fail = async (error: Error, key = KEY) => {
  failure = error;
  await expect(fly(key).done).rejects.toBe(error);
};

test('a collection has one flight at a time, and flights are numbered', async () => {
  expect(flights.latest).toBe(0);
  const first = fly();
  expect(fly()).toBe(first);
  expect(fly(OTHER).sequence).toBe(2);
  expect([first.sequence, flights.latest]).toEqual([1, 2]);
  await flights.settled();
  expect(fly().sequence).toBe(3);
  await flights.settled();
});

test('a failure is remembered for five seconds, or until the provider may be asked again', async () => {
  await fail(DOWN);
  expect(logged).toEqual(['a pull ended with an error']);
  await clock.advance(4_999);
  expect(flights.findFailure(KEY)?.error).toBe(DOWN);
  expect(flights.findFailure(OTHER)).toBeUndefined();
  await clock.advance(1);
  expect(flights.findFailure(KEY)).toBeUndefined();
  await fail(new ProviderError('rate-limited', 'later', { retryAfterMs: 60_000 }));
  await clock.advance(59_999);
  expect(flights.findFailure(KEY)).toBeDefined();
});

test('a later failure is remembered from its own time, and a success forgets it', async () => {
  await fail(DOWN);
  await clock.advance(4_000);
  await fail(DOWN, OTHER);
  expect(flights.findFailure(KEY)?.error).toBe(DOWN);
  await fail(DOWN);
  await clock.advance(4_999);
  expect(flights.findFailure(KEY)).toBeDefined();
  failure = undefined;
  await fly().done;
  expect(flights.findFailure(KEY)).toBeUndefined();
});

test('a dead grant is not remembered: the next caller has reconnected the account', async () => {
  await fail(new ProviderError('invalid-grant', 'revoked'));
  expect(flights.findFailure(KEY)).toBeUndefined();
});

test('nor is a lease that another process has taken over: the next read waits for that pull, and answers no 409', async () => {
  await fail(new KalendsError('Conflict', 'The lease was lost'));
  expect(flights.findFailure(KEY)).toBeUndefined();
});
