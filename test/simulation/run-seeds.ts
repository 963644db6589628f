import { expect } from 'vitest';
import { faultsOf, HOLD_ACTS, HOLD_AWAITS, killedAwaits } from './faults.ts';
import { HABITS } from './habits.ts';
import type { ProviderName } from './provider-acts.ts';
import { type SimulationResult, simulate } from './simulation.ts';
import { type Tally, tally } from './tally.ts';

/** From so many on, every fault must have had its turn. */
const ENOUGH_FOR_FAULTS = 80;
/** From so many on, every await too: some are rare, and another kill may come before theirs. */
const ENOUGH_FOR_KILLS = 200;
/** Only some histories have bookings, and few of their processes die at a given await. */
const ENOUGH_FOR_HOLD_KILLS = 1_000;

export interface Seeds {
  readonly from: number;
  readonly count: number;
}

/** Plays histories one after the other and fails with the first that does not hold. */
export async function runSeeds(provider: ProviderName, { from, count }: Seeds): Promise<void> {
  const faults = tally();
  const kills = tally();
  for (let seed = from; seed < from + count; seed++) {
    const result = await simulate({ provider, seed });
    if (result.failures.length > 0) throw new Error(report(provider, seed, result));
    faults.add(result.faults);
    kills.add(result.kills);
  }
  process.stdout.write(
    `${provider}: seeds ${from} to ${from + count - 1} hold\n  faults: ${list(faults)}\n  kills: ${list(kills)}\n`,
  );
  if (count < ENOUGH_FOR_FAULTS) return;
  const kinds = [...faultsOf(provider), ...HABITS[provider]];
  expect(kinds.filter((kind) => faults.get(kind) === 0)).toEqual([]);
  if (count < ENOUGH_FOR_KILLS) return;
  const hit = (kind: string) => kills.get(`${kind}, before`) + kills.get(`${kind}, after`);
  expect(HOLD_ACTS.filter((kind) => faults.get(kind) === 0)).toEqual([]);
  const awaits = [...killedAwaits(provider), ...(count < ENOUGH_FOR_HOLD_KILLS ? [] : HOLD_AWAITS)];
  expect(awaits.filter((kind) => hit(kind) === 0)).toEqual([]);
}

/** Everything about one history, with the command that plays it again. */
function report(provider: ProviderName, seed: number, { failures, history }: SimulationResult): string {
  const command = `npm run prove -- simulation ${provider} --from=${seed} --seeds=1`;
  return [`${provider}, seed ${seed}:`, ...failures, '', 'history:', ...history, '', `again: ${command}`].join('\n');
}

function list(counts: Tally): string {
  return counts
    .entries()
    .map(([name, times]) => `${name} ${times}`)
    .join('; ');
}
