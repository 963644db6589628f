import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@kalends/client/webhooks';
import type { Storage } from 'kalends/ports';
import { systemRandom } from 'kalends/runtime';
import { keyOf } from './job.ts';
import { ENDPOINT_SECRET, openProcessWorld } from './process-world.ts';
import { startWorker, type Worker } from './start-worker.ts';
import { openWaiting } from './waiting-messages.ts';

/** Each with a receiver of its own. */
export const SUBSCRIPTIONS = 50;
/** Of virtual time: the second retry comes after five minutes. */
const SPEED = 300;
const TIMEOUT_MS = 900_000;
/** Of the receiver: what it takes later than this may be too late for a sender on a machine that stood still. */
const TOLERANCE_MS = TIMEOUT_MS / 2;
const PROCESSES = 4;
/** An answer that came so shortly before a crash of the server, in real time, may not have been recorded. */
const SHORTLY_MS = 500;

export interface KillingOptions {
  /** A path or an address, as `storageAt` takes it. */
  readonly database: string;
  readonly messages: number;
  readonly kills: number;
  readonly restarts: number;
  /** Restarts the database's server by a crash. */
  readonly restart?: () => Promise<void>;
}

/** Outcome of the messages. */
export interface KillingSpree {
  /** Changes that the database knows, each with its message. */
  readonly changed: number;
  /** Changes whose commit has been acknowledged to a process. */
  readonly acknowledged: number;
  readonly kills: number;
  readonly restarts: number;
  readonly with500: number;
  readonly byReset: number;
  /** Requests that the receiver refused since they arrived too late. */
  readonly tooLate: number;
  /** Ids of messages that the receiver never took. */
  readonly lost: readonly string[];
  /** Ids that it took, of no change. */
  readonly unknown: readonly string[];
  readonly duplicates: number;
  /** Those taken again after a crash of the server had come shortly after the first time. */
  readonly duplicatesByRestarts: number;
  /** Ids that were taken after a kill or a crash that had found their delivery recorded. */
  readonly sentAfterRecorded: readonly string[];
  /** Ids that were taken again without a kill or a crash in between that had found them in flight. */
  readonly unexplained: readonly string[];
}

/** State of the deliveries at a kill or a crash. */
interface Strike {
  readonly at: number;
  readonly recorded: ReadonlySet<string>;
}

/**
 * Two processes that change calendars and two that deliver the messages to a receiver which refuses one in fourteen;
 * any of them is killed and started again, and the server restarted, spread over the whole run.
 * @throws Error when a process ends by itself or complains
 */
export async function killProcesses(options: KillingOptions): Promise<KillingSpree> {
  const { database, messages, kills, restarts } = options;
  const receiver = moodyReceiver();
  const world = await openProcessWorld({
    database,
    subscriptions: SUBSCRIPTIONS,
    rateLimit: null,
    speed: SPEED,
    listener: (request, response) => receiver.answer(request, response, world.clock.now()),
  });
  const share = messages / (PROCESSES / 2);
  const roles = Array.from({ length: PROCESSES }, (_, index) => ({ dispatches: index % 2 === 1, made: 0 }));
  const started: Worker[] = [];
  const start = (role: (typeof roles)[number]): Worker => {
    const { dispatches } = role;
    const changes = dispatches ? 0 : share - role.made;
    const eventType = 'calendar.event.unknown';
    const job = {
      ...world.base,
      timeoutMs: TIMEOUT_MS,
      dispatches,
      calendars: SUBSCRIPTIONS,
      changes,
      eventType,
    } as const;
    const worker = startWorker(job, () => {
      role.made += 1;
    });
    started.push(worker);
    return worker;
  };
  const workers = roles.map(start);
  const made = () => roles.reduce((sum, role) => sum + role.made, 0);
  const isMade = () => roles.every((role) => role.dispatches || role.made >= share);
  const pause = async (ms: number) => {
    const complaints = started.flatMap((worker) => worker.complaints);
    if (complaints.length > 0) throw new Error(complaints.join('\n'));
    await world.clock.sleep(ms * SPEED);
  };
  const strikes: Strike[] = [];
  const noteStrike = async () => {
    // A session of its own each time: crashes end them.
    const look = await openWaiting(database);
    const recorded = await look.delivered();
    strikes.push({ at: performance.now(), recorded });
    await look.close();
  };
  const kill = async () => {
    const index = Math.floor(systemRandom.fraction() * PROCESSES);
    workers[index]!.process.kill('SIGKILL');
    await workers[index]!.ended;
    await noteStrike();
    workers[index] = start(roles[index]!);
  };
  const crashes: { readonly from: number; readonly to: number }[] = [];
  const crash = async () => {
    const from = performance.now();
    await options.restart?.();
    crashes.push({ from, to: performance.now() });
    await noteStrike();
  };

  try {
    for (const [index, strike] of spread(options, kill, crash).entries()) {
      // Spread over the whole run: the next one when its part of the changes has been made.
      const due = (messages * index) / (kills + restarts);
      while (made() < due && !isMade()) await pause(20);
      await strike();
      await pause(20);
    }
    while (!(isMade() && (await world.storage.outbox.nextDueAt()) === null)) await pause(100);
    for (const { process: child } of workers) child.stdin?.end();
    await Promise.all(workers.map(({ ended }) => ended));
    await pause(0);
  } finally {
    for (const { process: child } of workers) child.kill('SIGKILL');
  }
  const changed = await changedIds(world.storage);
  return {
    ...tally(changed, receiver.taken, crashes),
    ...explain(receiver.taken, strikes),
    ...receiver.refused,
    kills,
    restarts,
    acknowledged: made(),
  };
}

/** All strikes in their order, the crashes of the server evenly among the kills. */
function spread<Strike>({ kills, restarts }: KillingOptions, kill: Strike, crash: Strike): readonly Strike[] {
  const all = kills + restarts;
  const crashesUntil = (index: number) => Math.floor(((index + 0.5) * restarts) / all);
  return Array.from({ length: all }, (_, index) => (crashesUntil(index + 1) > crashesUntil(index) ? crash : kill));
}

/** A receiver that refuses one message in fourteen, and those that arrive too late. */
function moodyReceiver() {
  /** When each was answered with 2xx, by hook-id. */
  const taken = new Map<string, number[]>();
  const refused = { with500: 0, byReset: 0, tooLate: 0 };
  return {
    taken,
    refused,
    async answer(request: IncomingMessage, response: ServerResponse, now: number): Promise<void> {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const id = verifiedId(Buffer.concat(chunks), request.headers, now);
      if (id === undefined) {
        refused.tooLate += 1;
        response.writeHead(400).end();
        return;
      }
      const dice = systemRandom.fraction();
      if (dice < 0.05) {
        refused.with500 += 1;
        response.writeHead(500).end();
      } else if (dice < 0.07) {
        refused.byReset += 1;
        request.socket.resetAndDestroy();
      } else {
        taken.set(id, [...(taken.get(id) ?? []), performance.now()]);
        response.writeHead(204).end();
      }
    },
  };
}

/** Returns the id of a message, `undefined` when it arrived too late. */
function verifiedId(body: Uint8Array, headers: IncomingMessage['headers'], now: number): string | undefined {
  try {
    return verifyWebhook(body, headers, ENDPOINT_SECRET, { now: () => now, toleranceMs: TOLERANCE_MS }).id;
  } catch (error) {
    if (error instanceof WebhookVerificationError && error.code === 'TimestampTooOld') return undefined;
    throw error;
  }
}

function explain(taken: ReadonlyMap<string, readonly number[]>, strikes: readonly Strike[]) {
  const all = [...taken];
  const isExplained = (id: string, first: number, again: number) =>
    strikes.some(({ at, recorded }) => at > first && at < again && !recorded.has(id));
  return {
    sentAfterRecorded: all.flatMap(([id, times]) =>
      strikes.some(({ at, recorded }) => recorded.has(id) && times.some((time) => time > at)) ? [id] : [],
    ),
    unexplained: all.flatMap(([id, times]) =>
      times.slice(1).every((again, index) => isExplained(id, times[index] ?? again, again)) ? [] : [id],
    ),
  };
}

function tally(
  changed: readonly string[],
  taken: ReadonlyMap<string, readonly number[]>,
  crashes: readonly { readonly from: number; readonly to: number }[],
) {
  const known = new Set(changed);
  const isNearCrash = (at: number) => crashes.some(({ from, to }) => at > from - SHORTLY_MS && at < to);
  const takenAgain = [...taken.values()].flatMap((times) => times.slice(0, -1));
  return {
    changed: changed.length,
    lost: changed.filter((id) => !taken.has(id)),
    unknown: [...taken.keys()].filter((id) => !known.has(id)),
    duplicates: takenAgain.length,
    duplicatesByRestarts: takenAgain.filter(isNearCrash).length,
  };
}

/** Ids of the messages of all changes that were committed: the database is the witness, not the processes. */
async function changedIds(storage: Storage): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let calendar = 0; calendar < SUBSCRIPTIONS; calendar += 1) {
    const key = keyOf(calendar);
    const state = await storage.mirror.find(key);
    if (state === undefined) continue;
    const groups = await storage.mirror.listGroups(key, { asOf: state.revision, limit: 100_000 });
    ids.push(...groups);
  }
  return ids;
}
