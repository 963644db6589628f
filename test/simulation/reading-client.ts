import type { Engine } from 'kalends';
import type { EventListQuery } from 'kalends/model';
import type { ScheduleState, Storage } from 'kalends/ports';
import { randomQuery } from './acts-of-people.ts';
import { type Dice, dice } from './dice.ts';
import { type Follower, follower, readWhole } from './mirrored.ts';
import { addressOf, keyOf, type Simulation } from './simulation-state.ts';
import { observerOf } from './verdict.ts';

/** Added to seeds, for dice that no other part throws. */
const DICE = 1_700_000_003;

interface Copy {
  readonly calendar: 0 | 1;
  readonly follower: Follower;
}

/**
 * A client that lists, syncs and gets, again and again, from a process that pulls nothing: it sees each state of the mirror, and changes
 * nothing. It has dice of its own.
 */
export interface ReadingClient {
  /** Once for each step of the storm. */
  step(simulation: Simulation): Promise<void>;
}

export function createReadingClient(seed: number): ReadingClient {
  const source = dice(seed + DICE);
  const queries: readonly EventListQuery[] = [{}, {}, randomQuery(source)];
  const copies: Copy[] = [];
  let engine: Engine | undefined;

  async function read(simulation: Simulation, roll: Dice, reader: Engine): Promise<void> {
    const calendar = roll.chance(0.7) ? 0 : 1;
    const { syncedAt } = await simulation.storage.schedule.get(
      keyOf(simulation, simulation.world.person.calendarIds[calendar]),
    );
    if (syncedAt === null) return;
    const address = addressOf(simulation, calendar);
    const limit = roll.pick(['1', '3', '100']);
    const known = copies.filter((copy) => copy.calendar === calendar);
    if (known.length < 2 || roll.chance(0.3)) {
      const client = follower(roll.pick(queries));
      client.apply(await readWhole(reader, address, { ...client.query, limit }, () => turns(roll.below(40))));
      copies.push({ calendar, follower: client });
      if (copies.length > 6) copies.shift();
      return;
    }
    const { follower: client } = roll.pick(known);
    client.apply(await readWhole(reader, address, { ...client.next(), limit }, () => turns(roll.below(40))));
  }

  return {
    async step(simulation) {
      engine ??= simulation.log.logged(observerOf({ ...simulation, storage: neverStale(simulation.storage) }));
      for (let reads = 4; reads > 0; reads--) {
        // An answer that it has to live with: a record that is gone, an account that has expired.
        await read(simulation, source.split(), engine).catch(() => undefined);
      }
    },
  };
}

/** The storage for a reader who takes the mirror as it is: no read of it asks for a pull, or is a reason for polls. */
function neverStale(storage: Storage): Storage {
  const fresh = (schedule: ScheduleState): ScheduleState => ({ ...schedule, hintSeq: schedule.clearedHintSeq });
  return {
    ...storage,
    reads: {
      ...storage.reads,
      async start(...call) {
        const start = await storage.reads.start(...call);
        const calendars = start?.calendars.map((each) => ({ ...each, schedule: fresh(each.schedule) }));
        return start === undefined ? undefined : { ...start, calendars: calendars ?? [] };
      },
    },
    schedule: {
      ...storage.schedule,
      get: async (key) => fresh(await storage.schedule.get(key)),
      noteRead: async () => undefined,
    },
  };
}

/** Lets the others work meanwhile. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
