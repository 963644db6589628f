import { describe, expect, it } from 'vitest';
import { BROKEN_VARIANTS, type BrokenVariant } from './broken-variants.ts';
import { habitsOf } from './habits.ts';
import type { ProviderName } from './provider-acts.ts';
import { simulate } from './simulation.ts';

/** Searched when the seed that noticed last plays another history since. */
const MOST_SEEDS = 1_000;

/** A seed whose history shows that something is wrong: the first one, unless that which is played before it does. */
async function failingSeed(provider: ProviderName, variant: BrokenVariant): Promise<number | undefined> {
  const { against, noticedBy, ...tampering } = variant;
  const all = Array.from({ length: MOST_SEEDS }, (_, index) => index + 1);
  const fitting = all.filter((seed) => against === undefined || habitsOf(provider, seed).includes(against));
  for (const seed of new Set([noticedBy[provider] ?? 1, ...fitting])) {
    if ((await simulate({ provider, seed, tampering })).failures.length > 0) return seed;
  }
  return undefined;
}

describe.each(['google', 'microsoft', 'caldav'] as const)('the simulation of %s notices', (provider) => {
  const variants = Object.entries(BROKEN_VARIANTS).filter(([, { noticedBy }]) => noticedBy[provider] !== undefined);

  it.each(variants)('%s', { timeout: 1_200_000 }, async (name, variant) => {
    const seed = await failingSeed(provider, variant);
    expect(seed, name).toBeLessThanOrEqual(MOST_SEEDS);
    process.stdout.write(`${provider}, ${name}: noticed by seed ${seed}\n`);
  });
});
