import type { Engine } from 'kalends';
import type { Fetch, Storage } from 'kalends/ports';
import type { Bookings } from './bookings.ts';
import type { ClientLog } from './client-log.ts';
import type { Dice } from './dice.ts';
import { FIRST_DAY } from './edit.ts';
import type { Habits } from './habits.ts';
import type { CalendarAddress, Follower } from './mirrored.ts';
import type { AwaitKind, Fate, Moment, Process } from './process.ts';
import type { ReadingClient } from './reading-client.ts';
import type { Tally } from './tally.ts';
import type { SimulatedWorld } from './world.ts';

/** Ways to break the product from outside, for proving that the simulation would notice. */
export interface Tampering {
  readonly storage?: (storage: Storage) => Storage;
  readonly fetch?: (fetch: Fetch) => Fetch;
}

export interface Slot {
  process: Process;
  engine: Engine;
}

export interface Ambush {
  readonly kind: AwaitKind;
  readonly moment: Moment;
  readonly fate: Exclude<Fate, 'goes on'>;
  left: number;
}

export interface Simulation {
  readonly seed: number;
  readonly world: SimulatedWorld;
  readonly dice: Dice;
  readonly faults: Tally;
  readonly kills: Tally;
  readonly history: string[];
  readonly failures: string[];
  readonly slots: Slot[];
  readonly storage: Storage;
  readonly tampering: Tampering;
  readonly followers: readonly { readonly calendar: 0 | 1; readonly follower: Follower }[];
  readonly underWay: Set<Promise<void>>;
  /** Clients that wait for an answer. */
  readonly syncing: Set<Follower>;
  /** Deaths and pauses that await processes. */
  ambushes: Ambush[];
  isStormy: boolean;
  hasLostChannels: boolean;
  readonly habits: Habits;
  readonly bookings: Bookings;
  readonly reader: ReadingClient;
  /** Requests of the clients and their answers. */
  readonly log: ClientLog;
  /** Calendars whose change feed at Graph has failed so often that their events are listed for a while. */
  readonly refusedFeeds: Set<string>;
  /** When the last completed reconciliation of each calendar began. */
  readonly reconciledAsOf: Map<string, number>;
  /** Interval of reconciliations of engines started from now on; undefined for their own. */
  reconcileEveryMs: number | undefined;
}

export function note({ history, world }: Simulation, text: string): void {
  history.push(`${((world.time.now() - FIRST_DAY) / 1000 - 32_400).toFixed(1)} s  ${text}`);
}

export function callerOf({ world }: Simulation) {
  return { applicationId: world.applicationId };
}

export function addressOf(simulation: Simulation, calendar: 0 | 1): CalendarAddress {
  const { accountId, person } = simulation.world;
  return { caller: callerOf(simulation), accountId, calendarId: person.calendarIds[calendar] };
}

export function keyOf({ world }: Simulation, calendarId: string) {
  return { applicationId: world.applicationId, accountId: world.accountId, calendarId };
}
