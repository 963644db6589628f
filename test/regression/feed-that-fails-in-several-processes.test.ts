import { afterEach, beforeEach, expect, test } from 'vitest';
import { ADA, collect, createHarness, type Harness } from '../../adapters/microsoft/test/harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

/** Pulls as a process of its own, which has seen none of the pulls before. */
async function pull(token: string | null, failures: number) {
  const session = await harness.session(ADA);
  const calendar = await harness.primary(ADA);
  const known = { tagsOf: async () => new Map<string, string>(), async *listIds() {}, failures };
  return await collect(harness.providerWith({}).events.pull(session, calendar, token, known));
}

test('counts as refused at the third failure in a row, whichever processes pulled, and begins again after a success', async () => {
  const { token } = await pull(null, 0);
  harness.control('setDeltaRefusal', { refusal: 'always' });
  for (const failures of [0, 1, 0, 1]) {
    await expect(pull(token, failures)).rejects.toMatchObject({ reason: 'unavailable' });
  }
  expect(JSON.parse((await pull(token, 2)).token).refusal).toMatchObject({ waitMs: 300_000 });
});
