import type { Habits } from './habits.ts';
import { restartAll, spawn } from './processes.ts';
import { keyOf, note, type Simulation } from './simulation-state.ts';

/** Everything has been made up for within this, or never will be. */
const LONGEST_CALM_MS = 4 * 3_600_000;

/**
 * Graph's change feed, when a storm has made it fail again and again, is tried again within this time. Until then removals are
 * left to reconciliation, and a feed that has expired meanwhile announces a gap.
 */
const FEED_RETRY_MS = 900_000;

/** Interval of reconciliations after what only they make up for. Large calendars are compared every 14 intervals. */
const RECONCILE_EVERY_MS = 30_000;

/** The storm is over: everything that died is started again, and all is left alone until nothing is pending. */
export async function calm(simulation: Simulation): Promise<void> {
  const { world, slots } = simulation;
  simulation.ambushes = [];
  simulation.isStormy = false;
  world.sandbox.notifications.setFaults({});
  note(simulation, 'calm');
  slots.forEach(({ process }, slot) => {
    if (process.isDead) spawn(simulation, slot);
  });
  await untilQuiet(simulation);
}

/** Waits for what takes longer than a pull: a refused feed is tried again, and reconciliations make up for the habits. */
export async function recover(simulation: Simulation): Promise<void> {
  const { world, habits, refusedFeeds } = simulation;
  if (refusedFeeds.size > 0) await world.time.pass(FEED_RETRY_MS);
  if (isReconciled(habits)) {
    habits.unreadable?.clear();
    note(simulation, 'all objects can be read, reconciliations are frequent');
    simulation.reconcileEveryMs = RECONCILE_EVERY_MS;
    await restartAll(simulation);
    await untilQuiet(simulation, hasReconciledSince(simulation, world.time.now()));
  } else if (refusedFeeds.size > 0) await untilQuiet(simulation);
}

/** The habits leave something that only reconciliation finds. */
function isReconciled({ refusedFeed, unreadable }: Habits): boolean {
  return refusedFeed !== undefined || unreadable !== undefined;
}

function hasReconciledSince({ world, reconciledAsOf }: Simulation, since: number): () => Promise<boolean> {
  return async () => {
    const { applicationId, accountId, person, storage } = world;
    if (person.calendarIds.some((id) => (reconciledAsOf.get(id) ?? 0) < since)) return false;
    return (await storage.mirror.listUnreadable(applicationId, accountId, { limit: 1 })).length === 0;
  };
}

/** Lets time pass until every calendar has been pulled, nothing is pending, and the condition holds. */
async function untilQuiet(simulation: Simulation, condition = async () => true): Promise<void> {
  const { world, storage, underWay } = simulation;
  const calmAt = world.time.now();
  for (;;) {
    await world.time.pass(30_000);
    const states = await Promise.all(
      world.person.calendarIds.map((calendarId) => storage.schedule.get(keyOf(simulation, calendarId))),
    );
    const isQuiet = states.every(
      ({ failures, hintSeq, clearedHintSeq, syncedAt }) =>
        failures === 0 && hintSeq <= clearedHintSeq && syncedAt !== null && syncedAt > calmAt,
    );
    // An open intent holds its events against pulls until a process has settled it.
    const isSettled = (await storage.intents.nextAbandonedAt()) === null;
    // A notification that reaches a paused process waits with it: there is no promptness to check.
    const isAwake = simulation.slots.every(({ process }) => !process.isPaused);
    if (isQuiet && isSettled && isAwake && underWay.size === 0 && (await condition())) return;
    if (world.time.now() - calmAt > LONGEST_CALM_MS) {
      throw new Error(`no quiet after the storm: ${JSON.stringify(states)}, ${underWay.size} calls under way`);
    }
  }
}
