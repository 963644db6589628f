import { providerConformance } from '@kalends/conformance';
import { expect, test } from 'vitest';
import { ADA, primaryOf, startHarness } from '../../../google/test/harness.ts';

type Run = Parameters<Parameters<typeof providerConformance>[0]['test']>[1];

/** A world with nothing optional in it. */
async function createWorld() {
  const { provider, sessionOf, close } = await startHarness();
  return { provider, session: sessionOf(ADA), calendar: primaryOf(ADA), close };
}

const cases = new Map<string, Run>();
providerConformance({ test: (name, run) => cases.set(name, run), createWorld });

test.each([
  ['respond: each answer shows on both sides', 'needs a guest'],
  ['attachments: are told in the feed and listed with all of their names', 'needs attach'],
  ['unreadable: findCreated returns the object as unreadable', 'needs corrupt'],
  ['pull: a dead resume point is sync-token-expired, and a pull of everything goes on', 'needs expireFeeds'],
  ['meetings: one given by hand comes back, or is refused', undefined],
])('%s: left out as %j', async (name, reason) => {
  const reasons: string[] = [];
  await cases.get(name)?.({ skip: (told) => reasons.push(told) });
  expect(reasons).toEqual(reason === undefined ? [] : [reason]);
  await cases.get(name)?.();
});

test('no case takes a parameter that a runner could wait for', () => {
  for (const run of cases.values()) expect(run).toHaveLength(0);
});
