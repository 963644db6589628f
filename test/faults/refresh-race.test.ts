import type { Fetch } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { tokensOf } from '../accounts/tokens-of.ts';
import { createSimulatedWorld, engineOn } from '../simulation/world.ts';
import { sizeOf } from '../size-of.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';

const PROCESSES = 4;
/** Lower ones are the world's own. */
const FIRST_SEED = 3;
const CALLERS = 50;
const EXPIRIES = {
  sqlite: sizeOf('expiries', { short: 10, long: 100 }),
  postgres: sizeOf('expiries', { short: 3, long: 20 }),
};
/** Longer than any access token lives. */
const TOKEN_LIFE_MS = 2 * 3_600_000;

describe.each(['google', 'microsoft'] as const)('access tokens of %s that expire', (provider) => {
  it.each(STORAGES)('are refreshed once for all callers in all processes on %s, and expire no account', {
    timeout: 900_000,
  }, async (storage) => {
    const world = await createSimulatedWorld({ provider, seed: 1, database: await newDatabase(storage) });
    try {
      let refreshes = 0;
      const slow: Fetch = async (input, init) => {
        const request = new Request(input, init);
        if (request.url.endsWith('/token')) refreshes += 1;
        await world.time.sleep(200);
        const response = await world.reach(request);
        await world.time.sleep(300);
        return response;
      };
      const engines = Array.from({ length: PROCESSES }, (_, index) =>
        engineOn({ storage: world.storage, fetch: slow, clock: world.time, seed: FIRST_SEED + index }),
      );
      const caller = { applicationId: world.applicationId };
      for (let expiry = 1; expiry <= EXPIRIES[storage]; expiry++) {
        await world.time.pass(TOKEN_LIFE_MS);
        const calls = engines.flatMap((engine) =>
          Array.from({ length: CALLERS }, () => tokensOf(engine.accounts.getCredentials(caller, world.accountId))),
        );
        const answers = await world.time.until(Promise.all(calls));
        expect(new Set(answers.map(({ accessToken }) => accessToken)).size).toBe(1);
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['ACTIVE']));
        expect(refreshes).toBe(expiry);
      }
    } finally {
      await world.close();
    }
  });
});
