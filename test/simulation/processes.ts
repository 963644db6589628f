import { KalendsError, type LogFields, type Logger } from 'kalends/ports';
import { unreliableNetwork } from './network.ts';
import { type AwaitKind, type Fate, type Moment, startProcess } from './process.ts';
import { note, type Simulation, type Slot } from './simulation-state.ts';
import { engineOn } from './world.ts';

/** Answers that a caller has to live with while things go wrong. */
const EXPECTED_ERRORS = [
  'CalendarSyncing',
  'Conflict',
  'Forbidden',
  'InvalidRequest',
  'NotFound',
  'PreconditionFailed',
  'ProviderError',
  'ProviderTimeout',
  'ProviderUnavailable',
  'RateLimited',
  'SlotTaken',
  'UnsupportedByProvider',
];

export function spawn(simulation: Simulation, slot: number): void {
  const { world, storage, dice: source, faults, tampering } = simulation;
  const network = unreliableNetwork({
    provider: simulation.habits.reach,
    time: world.time,
    dice: source.split(),
    tally: faults,
    faultShare: () => (simulation.isStormy ? 0.06 : 0),
    isSlow: () => simulation.isStormy,
  });
  const process = startProcess({
    storage,
    fetch: tampering.fetch?.(network) ?? network,
    time: world.time,
    fate: (kind, moment) => fateOf(simulation, kind, moment),
  });
  const engine = engineOn({
    ...process,
    seed: source.below(2 ** 31),
    logger: listener(simulation),
    sync: simulation.reconcileEveryMs === undefined ? {} : { reconcileEveryMs: simulation.reconcileEveryMs },
  });
  simulation.slots[slot] = { process, engine: simulation.log.logged(engine) };
  void engine.start();
  void process.death.then(() => {
    if (!simulation.isStormy) return;
    void world.time.sleep(source.between(1, 40_000)).then(() => {
      if (simulation.isStormy) spawn(simulation, slot);
    });
  });
}

/** Notes those of an engine's messages by which the verdict knows what it may expect. */
function listener({ world, refusedFeeds, reconciledAsOf }: Simulation): Logger {
  const note = (message: string, { calendarId, durationMs }: LogFields = {}) => {
    if (typeof calendarId !== 'string') return;
    if (message.startsWith('the change feed of a calendar fails')) refusedFeeds.add(calendarId);
    if (message === 'reconciliation') reconciledAsOf.set(calendarId, world.time.now() - Number(durationMs));
  };
  return { debug() {}, info: note, warn: note, error() {} };
}

/** Ends every process in order and starts it again, as a deployment does. */
export async function restartAll(simulation: Simulation): Promise<void> {
  for (const [slot, { engine, process }] of simulation.slots.entries()) {
    await simulation.world.time.until(engine.stop());
    process.kill();
    spawn(simulation, slot);
  }
}

function fateOf(simulation: Simulation, kind: AwaitKind, moment: Moment): Fate {
  const ambush = simulation.ambushes.find((each) => each.kind === kind && each.moment === moment);
  if (ambush === undefined) return 'goes on';
  if (ambush.left > 0) {
    ambush.left -= 1;
    return 'goes on';
  }
  simulation.ambushes = simulation.ambushes.filter((each) => each !== ambush);
  const isDeath = ambush.fate === 'dies';
  if (isDeath) simulation.kills.count(`${kind}, ${moment}`);
  simulation.faults.count(isDeath ? 'process killed' : 'process paused');
  note(simulation, `${isDeath ? 'killed' : 'paused'} ${moment} ${kind}`);
  return ambush.fate;
}

/** A living process; undefined when all are dead. */
function anyAlive({ slots, dice: source }: Simulation): Slot | undefined {
  const alive = slots.filter(({ process }) => !process.isDead);
  return alive.length === 0 ? undefined : source.pick(alive);
}

/** Returns the process's answer; rejects as a connection does when the process dies meanwhile. */
export async function through<Result>({ process }: Slot, work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  const dead = process.death.then(() => {
    throw new TypeError('the process died');
  });
  dead.catch(() => undefined);
  return await Promise.race([work, dead]);
}

export async function receive(simulation: Simulation, request: Request): Promise<Response> {
  const slot = anyAlive(simulation);
  if (slot === undefined) throw new TypeError('fetch failed: no process listens');
  const name = new URL(request.url).pathname.split('/').pop()!;
  return (await through(slot, slot.engine.push.receive(name, request))).response;
}

/** A client's call, in the background: what it may answer depends on the weather. */
export function inBackground(simulation: Simulation, name: string, work: (slot: Slot) => Promise<unknown>): void {
  const slot = anyAlive(simulation);
  if (slot === undefined) return;
  const call = through(slot, work(slot))
    .then(
      () => note(simulation, `${name}: done`),
      (error: unknown) => {
        note(simulation, `${name}: ${error}`);
        if (slot.process.isDead) return;
        if (KalendsError.isInstance(error) && EXPECTED_ERRORS.includes(error.code)) return;
        simulation.failures.push(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
      },
    )
    .finally(() => simulation.underWay.delete(call));
  simulation.underWay.add(call);
}
