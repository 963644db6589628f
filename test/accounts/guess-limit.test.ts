import { manualClock } from '@kalends/conformance';
import { parseSecrets } from 'kalends/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Attempt, createGuessLimit } from '../../src/accounts/guess-limit.ts';
import { newDatabase, STORAGES, type StorageName } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

const MINUTE = 60_000;

/** Two processes on one database. */
async function openWorld(storageName: StorageName) {
  const database = await newDatabase(storageName);
  const clock = manualClock();
  const secrets = parseSecrets(Buffer.alloc(32, 7).toString('base64'));
  const openProcess = async () => {
    const storage = await storageAt(database, clock);
    await storage.open();
    onTestFinished(() => storage.close());
    return createGuessLimit(storage.leases, secrets);
  };
  const processes = [await openProcess(), await openProcess()] as const;
  let turn = 0;
  /** Fails in the one process and in the other; resolves with the wait when the attempt is refused, else with 0. */
  const fail = async (attempt: Attempt): Promise<number> => {
    try {
      await processes[turn++ % 2 === 0 ? 0 : 1].take(attempt);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'RateLimited', status: 429 });
      return (error as { readonly retryAfterMs: number }).retryAfterMs;
    }
  };
  const failTimes = async (times: number, attemptOf: (index: number) => Attempt) => {
    const waits: number[] = [];
    for (let index = 0; index < times; index += 1) waits.push(await fail(attemptOf(index)));
    return waits;
  };
  return { clock, processes, fail, failTimes };
}

const HOST = 'dav.example';
/** One of many addresses. */
const addressOf = (index: number) => `10.${index >> 8}.${index & 255}.1`;

describe.each(STORAGES)('guesses in two processes on one database, %s', { timeout: 90_000 }, (storageName) => {
  it('are counted together by host: many users from many addresses, at a rate that other hosts do not feel', async () => {
    const { clock, fail, failTimes } = await openWorld(storageName);
    const guess = (index: number) => ({ address: addressOf(index), host: HOST, user: `user${index}` });
    expect(Math.max(...(await failTimes(90, () => ({ host: HOST }))))).toBe(0);
    expect(Math.max(...(await failTimes(10, guess)))).toBe(0);
    expect(await fail(guess(100))).toBe(2_000);
    expect(await fail({ ...guess(100), host: 'other.example' })).toBe(0);
    await clock.advance(10_000);
    expect(await failTimes(6, (index) => guess(101 + index))).toEqual([0, 0, 0, 0, 0, 2_000]);
  });

  it('are counted together by address, which no other address feels', async () => {
    const { fail, failTimes } = await openWorld(storageName);
    const guess = (index: number) => ({ address: addressOf(1), host: `dav${index}.example`, user: 'ada' });
    expect(await failTimes(11, guess)).toEqual([...Array(10).fill(0), MINUTE]);
    expect(await fail({ ...guess(11), address: addressOf(2) })).toBe(0);
  });

  it('leave a try to a person at another address, as long as guesses come from addresses that have failed', async () => {
    const { clock, processes, fail, failTimes } = await openWorld(storageName);
    const guess = { address: addressOf(1), host: HOST, user: 'ada' };
    expect(await failTimes(4, () => guess)).toEqual([0, 0, 0, 0]);
    const person = { ...guess, address: addressOf(2), user: ' ADA' };
    for (let hour = 0; hour < 5; hour += 1) {
      expect(await fail(guess)).toBeGreaterThan(0);
      const takeBack = await processes[0].take(person);
      await takeBack();
      await clock.advance(2 * MINUTE);
      // The guesser takes what has been forgiven, before the person does.
      expect(await fail(guess)).toBe(0);
    }
  });

  it('of API keys and of the browser page use up their own budgets', async () => {
    const { fail, failTimes } = await openWorld(storageName);
    const guess = { host: HOST, user: 'ada' };
    expect(await failTimes(6, () => guess)).toEqual([0, 0, 0, 0, 0, 2 * MINUTE]);
    expect(await failTimes(6, () => ({ ...guess, applicationId: 'app_1' }))).toEqual([0, 0, 0, 0, 0, 2 * MINUTE]);
    expect(await fail({ ...guess, applicationId: 'app_2' })).toBe(0);
  });

  it('that run at once are counted before they are answered, and successes and refusals cost nothing', async () => {
    const { processes, fail, failTimes } = await openWorld(storageName);
    const attempt = { address: addressOf(1), host: HOST, user: 'ada' };
    for (let time = 0; time < 12; time += 1) await (await processes[0].take(attempt))();
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => fail({ ...attempt, address: undefined })));
    expect(outcomes.filter((wait) => wait === 0)).toHaveLength(5);
    // Refused for the user name: the address has all of its failures still.
    expect(Math.min(...(await failTimes(12, () => attempt)))).toBeGreaterThan(0);
    expect(await failTimes(10, (index) => ({ ...attempt, host: `dav${index}.example` }))).toEqual(Array(10).fill(0));
  });
});
