import type { HistoryReport } from '../../adapters/server/src/history/findings.ts';
import { edit, randomQuery } from './acts-of-people.ts';
import { createBookings } from './bookings.ts';
import { calm, recover } from './calm.ts';
import { checkLog, clientLog } from './client-log.ts';
import { dice } from './dice.ts';
import { drawHabits } from './habits.ts';
import { follower } from './mirrored.ts';
import { receive, spawn } from './processes.ts';
import type { ProviderName } from './provider-acts.ts';
import { createReadingClient } from './reading-client.ts';
import { callerOf, type Simulation, type Tampering } from './simulation-state.ts';
import { storm } from './storm.ts';
import { type Tally, tally } from './tally.ts';
import { checkPromptness, checkStillness, compare, compareApart } from './verdict.ts';
import { witness } from './witness.ts';
import { createSimulatedWorld } from './world.ts';

export interface SimulationOptions {
  readonly provider: ProviderName;
  readonly seed: number;
  readonly tampering?: Tampering;
}

export interface SimulationResult {
  /** The failures, empty when everything holds. */
  readonly failures: readonly string[];
  /** The events of the history, one line each. */
  readonly history: readonly string[];
  /** Faults that fired, by kind. */
  readonly faults: Tally;
  /** Kills by the await that they hit. */
  readonly kills: Tally;
  /** Requests of the clients and their answers, with the report of `kalends check-history`. */
  readonly log: readonly string[];
  readonly report: HistoryReport;
}

const PROCESSES = 2;

/** Plays one history; the same seed plays the same one. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { provider, seed, tampering = {} } = options;
  const world = await createSimulatedWorld({ provider, seed });
  const source = dice(seed);
  const failures: string[] = [];
  const faults = tally();
  const habits = drawHabits(world, seed, faults);
  const tampered = tampering.storage?.(world.storage) ?? world.storage;
  const simulation: Simulation = {
    seed,
    world,
    dice: source,
    faults,
    kills: tally(),
    history: [],
    failures,
    slots: [],
    storage: witness(tampered, world, habits, failures),
    tampering,
    followers: [0, 1, 0].map((calendar) => ({
      calendar: calendar as 0 | 1,
      follower: follower(randomQuery(source)),
    })),
    underWay: new Set(),
    syncing: new Set(),
    ambushes: [],
    isStormy: false,
    hasLostChannels: false,
    habits,
    bookings: createBookings(seed),
    reader: createReadingClient(seed),
    log: clientLog(world.time),
    refusedFeeds: new Set(),
    reconciledAsOf: new Map(),
    reconcileEveryMs: habits.reconcileEveryMs,
  };
  try {
    await begin(simulation);
    await storm(simulation);
    await calm(simulation);
    await compareApart(simulation);
    await recover(simulation);
    await simulation.bookings.settle(simulation);
    await compare(simulation);
    await checkStillness(simulation);
    await checkPromptness(simulation);
  } catch (error) {
    failures.push(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
  } finally {
    for (const { process } of simulation.slots) process.kill();
    countPushes(simulation);
    await world.close();
  }
  const { history, kills, log } = simulation;
  const report = checkLog(log);
  for (const { promise, lines, message } of report.violations) {
    failures.push(`${promise}: ${message}\n  ${lines.map((line) => log.lines[line - 1]).join('\n  ')}`);
  }
  return { failures, history, faults, kills, log: log.lines, report };
}

async function begin(simulation: Simulation): Promise<void> {
  const { world } = simulation;
  for (let slot = 0; slot < PROCESSES; slot++) spawn(simulation, slot);
  world.setReceiver((request) => receive(simulation, request));
  for (let i = simulation.dice.between(2, 5); i > 0; i--) await edit(simulation);
  await simulation.bookings.begin(simulation);
  const { engine } = simulation.slots[0]!;
  for (const calendarId of world.person.calendarIds) {
    const body = { calendarId, webhookUrl: 'http://127.0.0.1:8080/hook' };
    await world.time.until(engine.subscriptions.create(callerOf(simulation), world.accountId, body));
  }
}

/** The sandbox notes what became of notifications. */
function countPushes({ world, faults }: Simulation): void {
  const seen = new Set<unknown>();
  for (const { outcome, notification } of world.sandbox.notifications.records()) {
    if (outcome === 'dropped') faults.count('push dropped');
    if (outcome === 'held') faults.count('push held back');
    if (outcome === 'delivered' && seen.has(notification)) faults.count('push doubled');
    if (outcome === 'delivered') seen.add(notification);
  }
}
