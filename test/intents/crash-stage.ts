import type { Caller, Engine } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import type { Fetch } from 'kalends/ports';
import { type Dice, dice } from '../simulation/dice.ts';
import { DAY_MS, type Edit, FIRST_DAY } from '../simulation/edit.ts';
import { linesOf, readWhole } from '../simulation/mirrored.ts';
import { type AwaitKind, type Moment, startProcess } from '../simulation/process.ts';
import type { Lines, ProviderName } from '../simulation/provider-acts.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';

/** Where a process dies while it carries a write out. */
export const CRASH_POINTS = [
  'before the intent',
  'between the intent and the provider',
  'when the provider has done it, its answer lost',
  'between the answer and the commit',
  'between the commit and the answer to the caller',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** A write about to be sent, and how to tell what became of it. */
export interface StagedWrite {
  /** The request at the provider that carries it out. */
  readonly carriedOutBy: 'POST' | 'PATCH' | 'DELETE';
  send(engine: Engine): Promise<unknown>;
  /** Whether a caller who got no answer sends it again here, and is answered. */
  readonly isRepeated: boolean;
  /** Whether another process completes the begun write; no other write is sent again. @default false */
  readonly isCompleted?: boolean;
  /** Compares the provider's state with that before; undefined: nothing is wrong. `isDone`: it must have been done. */
  judge(before: Lines, after: Lines, isDone: boolean): string | undefined;
}

/** Where a write is staged: a calendar with a single event, a series of which one occurrence differs, and another series. */
export interface CrashStage {
  readonly world: SimulatedWorld;
  readonly dice: Dice;
  readonly caller: Caller;
  readonly calendarId: string;
  /** The engine that is going to die. */
  readonly engine: Engine;
  /** Unexpanded records, masters and singles. */
  readonly events: readonly CalendarEvent[];
}

export interface CrashCase {
  readonly provider: ProviderName;
  readonly point: CrashPoint;
  readonly seed: number;
  readonly stage: (stage: CrashStage) => Promise<StagedWrite>;
}

const FROM = FIRST_DAY - 30 * DAY_MS;
const TO = FIRST_DAY + 400 * DAY_MS;
/** Longer than a lease, a few attempts, and a poll. */
const RECOVERY_MS = 120_000;

/** Plays one crash and the recovery from it by another process; resolves with what is wrong. */
export async function playCrash({ provider, point, seed, stage }: CrashCase): Promise<readonly string[]> {
  const world = await createSimulatedWorld({ provider, seed });
  const source = dice(seed * 7 + CRASH_POINTS.indexOf(point));
  const failures: string[] = [];
  try {
    await furnish(world, source);
    const writer = createWriter(world, seed);
    const caller = { applicationId: world.applicationId };
    const calendarId = world.person.calendarIds[0];
    const address = { caller, accountId: world.accountId, calendarId };
    const listed = await world.time.until(readWhole(writer.engine, address, {}));
    const events = (listed.data as readonly CalendarEvent[]).filter(({ isException }) => !isException);
    const write = await stage({ world, dice: source, caller, calendarId, engine: writer.engine, events });
    const linesNow = () => world.person.occurrences(0, FROM, TO);
    const before = await linesNow();

    writer.dieAt(point, write.carriedOutBy);
    await world.time.until(Promise.race([write.send(writer.engine).catch(() => undefined), writer.death]));
    if (!writer.isDead()) failures.push('the process did not die');
    const atCrash = await linesNow();
    const mayAct = write.isRepeated || write.isCompleted === true;
    const theirs = mayAct ? undefined : await theirChange(world, source, seed);
    const left = await linesNow();

    const sent: string[] = [];
    const finder = engineOn({ ...portsOf(world, noting(world.reach, sent)), seed: seed + 77 });
    await finder.start();
    if (write.isRepeated)
      await world.time.until(write.send(finder).catch((error) => failures.push(`repeated: ${error}`)));
    await world.time.pass(RECOVERY_MS);

    const after = await linesNow();
    const wrong = write.judge(before, theirs === undefined ? after : atCrash, write.isRepeated);
    if (wrong !== undefined) failures.push(wrong);
    if (!mayAct && left.join('\n') !== after.join('\n')) failures.push('the recovery changed the provider');
    if (!mayAct && sent.length > 0) failures.push(`the recovery sent ${sent.join(', ')}`);
    const mirrored = await world.time.until(
      readWhole(finder, address, {
        expandRecurrences: 'true',
        startDateTime: new Date(FROM).toISOString(),
        endDateTime: new Date(TO).toISOString(),
        limit: '1000',
      }),
    );
    if (linesOf(mirrored.data).join('\n') !== after.join('\n')) {
      failures.push(`the mirror differs:\n${linesOf(mirrored.data).join('\n')}\n--- provider:\n${after.join('\n')}`);
    }
    if ((await world.storage.intents.nextAbandonedAt()) !== null) failures.push('an intent is open still');
    await world.time.until(finder.stop());
  } catch (error) {
    failures.push(error instanceof Error ? `${error.message}\n${error.stack}` : String(error));
  } finally {
    await world.close();
  }
  return failures;
}

async function furnish(world: SimulatedWorld, source: Dice): Promise<void> {
  const edit = (kind: Edit['kind'], title: string, pick = 0) =>
    world.person.edit({
      kind,
      title,
      pick,
      slot: source.below(3),
      day: source.below(20),
      hour: source.between(8, 18),
      isAllDay: source.chance(0.3),
      rule: {
        frequency: source.pick(['DAILY', 'WEEKLY']),
        interval: source.between(1, 2),
        count: source.between(3, 6),
      },
    });
  await edit('single', 'single');
  await edit('series', 'first series');
  await edit('series', 'second series');
  await edit('retitle-slot', 'exception', source.below(2));
  if (source.chance(0.5)) await edit('cancel-slot', '', source.below(2));
}

/** Changes something at the provider while no process is running. */
async function theirChange(world: SimulatedWorld, source: Dice, seed: number): Promise<true | undefined> {
  if (!source.chance(0.4)) return undefined;
  const change = { pick: source.below(9), slot: 0, day: 1, hour: 9, isAllDay: false, title: `theirs${seed}` } as const;
  const rule = { frequency: 'DAILY', interval: 1, count: 3 } as const;
  await world.person.edit({ ...change, rule, kind: 'retitle' });
  return true;
}

const portsOf = (world: SimulatedWorld, fetch: Fetch) => ({
  storage: { ...world.storage, open: async () => undefined, close: async () => undefined },
  fetch,
  clock: { now: world.time.now, sleep: world.time.sleep },
});

/** Notes what is written to events. */
function noting(fetch: Fetch, sent: string[]): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (request.method !== 'GET' && /\/events/.test(pathname) && !/\/watch$/.test(pathname)) {
      sent.push(`${request.method} ${pathname}`);
    }
    return await fetch(request);
  };
}

/** An engine whose process can be told where to die. It does nothing in the background. */
function createWriter(world: SimulatedWorld, seed: number) {
  let point: { readonly kind: AwaitKind; readonly moment: Moment } | undefined;
  const process = startProcess({
    storage: world.storage,
    fetch: world.reach,
    time: world.time,
    fate: (kind, moment) => (point?.kind === kind && point.moment === moment ? 'dies' : 'goes on'),
  });
  return {
    engine: engineOn({ ...process, seed: seed + 5 }),
    death: process.death,
    isDead: () => process.isDead,
    dieAt(crash: CrashPoint, method: string) {
      point = {
        'before the intent': { kind: 'intents.begin', moment: 'before' },
        'between the intent and the provider': { kind: 'intents.begin', moment: 'after' },
        'when the provider has done it, its answer lost': { kind: `fetch ${method}`, moment: 'after' },
        'between the answer and the commit': { kind: 'mirror.commit', moment: 'before' },
        'between the commit and the answer to the caller': { kind: 'mirror.commit', moment: 'after' },
      }[crash] as typeof point;
    },
  };
}
