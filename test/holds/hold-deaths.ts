import type { Caller, Engine } from 'kalends';
import type { HoldConfirm, HoldCreate } from 'kalends/model';
import { describe, expect, it } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { createPerson, type Person } from '../simulation/person.ts';
import { startProcess } from '../simulation/process.ts';
import type { ProviderName } from '../simulation/provider-acts.ts';
import { connectAccount, createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';

export const HOUR_MS = 3_600_000;
export const FIRST = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;
/** Overlaps the first. */
export const OTHER = FIRST + HOUR_MS / 2;
export const TITLE = 'booked';
/** Longer than any hold, and than the time that a booking takes its slot besides. */
export const OVER_MS = 11 * 60_000;

/** Where the second participant is, if there is one: at another provider than the organizer. */
const SECOND = { google: 'caldav', microsoft: 'google', caldav: 'google' } as const;

export interface Stage {
  readonly world: SimulatedWorld;
  readonly caller: Caller;
  readonly participants: { endUserAccountId: string; calendarIds: string[] }[];
  /** The people who take part, in the same order. */
  readonly people: readonly Person[];
}

/** An act during which a process dies; the one that finds out works with another engine afterwards. */
export interface Act {
  /** Prepares the act, in the process that is going to die. Resolves with what the act needs to know. */
  prepare(engine: Engine, stage: Stage): Promise<string>;
  perform(engine: Engine, stage: Stage, prepared: string): Promise<unknown>;
  /** Throws or fails an expectation when anything is wrong afterwards. */
  judge(engine: Engine, stage: Stage, prepared: string): Promise<void>;
}

export const slotOf = (startMs: number) => ({
  startDateTime: new Date(startMs).toISOString(),
  endDateTime: new Date(startMs + HOUR_MS).toISOString(),
  timeZone: 'Europe/Berlin',
});
export const take = (
  engine: Engine,
  { caller, participants }: Stage,
  startMs = FIRST,
  more: Pick<HoldCreate, 'tentativeEvent'> = {},
) => engine.holds.create(caller, { participants, ...slotOf(startMs), ...more });
export const confirm = (engine: Engine, { caller }: Stage, id: string, more: Pick<HoldConfirm, 'writeTo'> = {}) =>
  engine.holds.confirm(caller, id, { event: { title: TITLE }, ...more });

/** Resolves with an error's code, or with null. */
export const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    ({ code }: { readonly code: string }) => code,
  );

/** Occurrences of ours at the provider of a person, in its own words. */
export async function written({ people }: Stage, person = 0): Promise<readonly string[]> {
  const lines = await people[person]!.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS);
  return lines.filter((line) => line.includes(TITLE));
}

/** The slot can be taken exactly if nothing is in it. */
export async function expectFree(engine: Engine, stage: Stage, startMs: number, isFree: boolean): Promise<void> {
  expect(await codeOf(take(engine, stage, startMs))).toBe(isFree ? null : 'SlotTaken');
}

export interface DeathOptions {
  readonly provider: ProviderName;
  readonly act: Act;
  /** Whether a second participant takes part, at another provider. */
  readonly isForTwo: boolean;
}

/** Plays an act by a process that dies at its n-th await, and what another one finds. False when there is no such await. */
async function playDeath({ provider, act, isForTwo }: DeathOptions, n: number): Promise<boolean> {
  const world = await createSimulatedWorld({ provider, seed: n + 1 });
  const { time, storage, reach } = world;
  let awaits = Number.NEGATIVE_INFINITY;
  const process = startProcess({ storage, fetch: reach, time, fate: () => (awaits++ === n ? 'dies' : 'goes on') });
  try {
    const writer = engineOn({ ...process, seed: n + 2 });
    const people = [world.person];
    const accountIds = [world.accountId];
    if (isForTwo) {
      const second = await createPerson({ ...world, provider: SECOND[provider] }, 'second@person.example');
      const asked = { provider: second.provider, applicationId: world.applicationId, email: second.email };
      const connected = await time.until(time.hold(() => connectAccount(writer, world.sandbox, asked)));
      people.push(second);
      accountIds.push(connected.id);
    }
    const participants = people.map((person, index) => ({
      endUserAccountId: accountIds[index] ?? '',
      calendarIds: [...person.calendarIds.slice(0, 1)],
    }));
    const stage: Stage = { world, caller: { applicationId: world.applicationId }, participants, people };
    const prepared = await time.until(act.prepare(writer, stage));
    awaits = 0;
    await time.until(Promise.race([act.perform(writer, stage, prepared), process.death]));
    if (!process.isDead) return false;
    const finder = engineOn({
      storage: { ...storage, open: async () => undefined, close: async () => undefined },
      fetch: reach,
      clock: { now: time.now, sleep: time.sleep },
      seed: n + 3,
    });
    await finder.start();
    await time.until(act.judge(finder, stage, prepared));
    await time.until(finder.stop());
    return true;
  } finally {
    await world.close();
  }
}

/** Plays every act with a death at every `stride`-th await, for each provider of the organizer. */
export function describeDeaths(
  acts: Readonly<Record<string, Act>>,
  { stride, isForTwo }: { readonly stride: number; readonly isForTwo: boolean },
): void {
  describe.each(['google', 'microsoft', 'caldav'] as const)('a process that dies at any await at %s', (provider) => {
    it.each(Object.entries(acts))(
      'while it %s: no slot is taken for ever, and no event is written twice or left',
      async (_name, act) => {
        let deaths = 0;
        const play = (n: number) => playDeath({ provider, act, isForTwo }, n).catch((error) => failedAt(n, error));
        while (await play(deaths * stride)) deaths += 1;
        expect(deaths).toBeGreaterThan(0);
      },
      300_000,
    );
  });
}

function failedAt(n: number, error: unknown): never {
  throw new Error(`It died at await ${n}: ${error instanceof Error ? error.message : error}`, { cause: error });
}
