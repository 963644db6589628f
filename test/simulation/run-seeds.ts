import { expect } from 'vitest';
import { EVENT_FAULTS, KILLED_AWAITS } from './faults.ts';
import { REQUEST_FAULTS } from './network.ts';
import type { ProviderName } from './provider-acts.ts';
import { type SimulationResult, simulate } from './simulation.ts';
import { type Tally, tally } from './tally.ts';

/** Histories played by default for each provider. */
const DEFAULT_SEEDS = 250;
/** From so many on, every fault must have had its turn. */
const ENOUGH_FOR_FAULTS = 80;
/** From so many on, every await too: some are rare, and another kill may come before theirs. */
const ENOUGH_FOR_KILLS = 200;

/**
 * Plays histories one after the other and fails with the first that does not hold. `KALENDS_SIMULATION_SEEDS` says how
 * many, `KALENDS_SIMULATION_FROM` with which seed to begin.
 */
export async function runSeeds(provider: ProviderName): Promise<void> {
  const { env } = process;
  const from = Number(env['KALENDS_SIMULATION_FROM'] ?? 1);
  const seeds = Number(env['KALENDS_SIMULATION_SEEDS'] ?? DEFAULT_SEEDS);
  const faults = tally();
  const kills = tally();
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await simulate({ provider, seed });
    if (result.failures.length > 0) throw new Error(report(provider, seed, result));
    faults.add(result.faults);
    kills.add(result.kills);
  }
  process.stdout.write(
    `${provider}: seeds ${from} to ${from + seeds - 1} hold\n  faults: ${list(faults)}\n  kills: ${list(kills)}\n`,
  );
  if (seeds < ENOUGH_FOR_FAULTS) return;
  const kinds = [...REQUEST_FAULTS, ...EVENT_FAULTS];
  expect(kinds.filter((kind) => faults.get(kind) === 0)).toEqual([]);
  if (seeds < ENOUGH_FOR_KILLS) return;
  const hit = (kind: string) => kills.get(`${kind}, before`) + kills.get(`${kind}, after`);
  expect(KILLED_AWAITS.filter((kind) => hit(kind) === 0)).toEqual([]);
}

/** Everything about one history, with the command that plays it again. */
function report(provider: ProviderName, seed: number, { failures, history }: SimulationResult): string {
  const command = `KALENDS_SIMULATION_FROM=${seed} KALENDS_SIMULATION_SEEDS=1 npx vitest run test/simulation/${provider}`;
  return [`${provider}, seed ${seed}:`, ...failures, '', 'history:', ...history, '', `again: ${command}`].join('\n');
}

function list(counts: Tally): string {
  return counts
    .entries()
    .map(([name, times]) => `${name} ${times}`)
    .join('; ');
}
