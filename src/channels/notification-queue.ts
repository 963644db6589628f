import {
  type ChannelRow,
  type Clock,
  type Logger,
  type PushNotification,
  StorageUnavailableError,
} from '../ports/index.ts';
import { describeError, nextTurn, withOutageTimeout } from '../runtime/index.ts';

/** Channels processed together: one statement reads their rows. */
const BATCH = 50;
/** Maximum of queued channels and event ids; above it, `add` waits for space. */
const MAX_QUEUED = 20_000;
const RETRY_MS = 2_000;
/** Wait for a storage that is down. Notifications that outlast it are dropped; polling finds their changes. */
const OUTAGE_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 5;

/** Queued notifications of one channel, merged. */
export interface ChannelNotifications {
  readonly channelId: string;
  readonly providerType: string;
  /** Provider ids of the channel in the notifications. */
  readonly providerChannelIds: ReadonlySet<string>;
  readonly kinds: ReadonlySet<PushNotification['kind']>;
  readonly providerEventIds: ReadonlySet<string>;
  /** Each notification told of a change and named its events, so that a read of these is enough; of deletions it is not. */
  readonly isNamed: boolean;
}

interface Pending extends ChannelNotifications {
  readonly providerChannelIds: Set<string>;
  readonly kinds: Set<PushNotification['kind']>;
  readonly providerEventIds: Set<string>;
  isNamed: boolean;
  attempts: number;
}

interface Failed {
  readonly pending: Pending;
  readonly error: unknown;
}

export interface NotificationQueueDeps {
  /** Reads the channels' rows in one statement. */
  readonly read: (channelIds: readonly string[]) => Promise<readonly ChannelRow[]>;
  /** Applies a channel's notifications. */
  readonly act: (row: ChannelRow, notifications: ChannelNotifications) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Queues notifications that have been answered until the storage has recorded them. They are hints: polling finds the changes
 * of notifications that a crash loses.
 */
export class NotificationQueue {
  readonly #deps: NotificationQueueDeps;
  readonly #queued = new Map<string, Pending>();
  readonly #stopping = new AbortController();
  #queuedEvents = 0;
  #draining: Promise<void> | undefined;
  #waitingForSpace: (() => void)[] = [];

  constructor(deps: NotificationQueueDeps) {
    this.#deps = deps;
  }

  /** Adds a notification, merged with others of its channel. Resolves at once, or when there is space. */
  async add(
    channelId: string,
    providerType: string,
    { providerChannelId, kind, providerEventIds, isDeletion = false }: PushNotification,
  ): Promise<void> {
    const { signal } = this.#stopping;
    while (this.#queued.size + this.#queuedEvents >= MAX_QUEUED && !signal.aborted) {
      await new Promise<void>((resolve) => this.#waitingForSpace.push(resolve));
    }
    if (signal.aborted) return;
    this.#put({
      channelId,
      providerType,
      providerChannelIds: new Set([providerChannelId]),
      kinds: new Set([kind]),
      providerEventIds: new Set(providerEventIds),
      isNamed: kind === 'changed' && providerEventIds.length > 0 && !isDeletion,
      attempts: 0,
    });
    this.#begin();
  }

  /** Resolves when the queue is empty and idle. */
  async settled(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  /** Accepts no more notifications, and resolves when each queued one has been processed or has failed. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The engine is stopping.'));
    await this.settled();
  }

  #put(pending: Pending): void {
    const merged = this.#queued.get(pending.channelId);
    if (merged === undefined) {
      this.#queued.set(pending.channelId, pending);
      this.#queuedEvents += pending.providerEventIds.size;
      return;
    }
    this.#queuedEvents -= merged.providerEventIds.size;
    for (const id of pending.providerChannelIds) merged.providerChannelIds.add(id);
    for (const kind of pending.kinds) merged.kinds.add(kind);
    merged.isNamed &&= pending.isNamed;
    for (const id of pending.providerEventIds) merged.providerEventIds.add(id);
    this.#queuedEvents += merged.providerEventIds.size;
  }

  #take(): readonly Pending[] {
    const batch = [...this.#queued.values()].slice(0, BATCH);
    for (const { channelId, providerEventIds } of batch) {
      this.#queued.delete(channelId);
      this.#queuedEvents -= providerEventIds.size;
    }
    for (const resume of this.#waitingForSpace.splice(0)) resume();
    return batch;
  }

  #begin(): void {
    // In the next turn: the response is sent first, and notifications of one request are merged.
    this.#draining ??= nextTurn()
      .then(() => this.#drain())
      .finally(() => {
        this.#draining = undefined;
        if (this.#queued.size > 0) this.#begin();
      });
  }

  /** Processes the queue until it is empty. A failure is retried a few times and then left to polling. */
  async #drain(): Promise<void> {
    const { clock, logger } = this.#deps;
    const { signal } = this.#stopping;
    while (this.#queued.size > 0) {
      const batch = this.#take();
      const failed = await withOutageTimeout({ limitMs: OUTAGE_TIMEOUT_MS, signal }, () => this.#process(batch)).catch(
        (error) => batch.map((pending) => ({ pending, error })),
      );
      const [first] = failed;
      if (first === undefined) continue;
      const isOver = (pending: Pending) => signal.aborted || ++pending.attempts >= MAX_ATTEMPTS;
      const left = failed.filter(({ pending }) => !isOver(pending));
      const level = StorageUnavailableError.isInstance(first.error) ? 'warn' : 'error';
      logger[level]('push notifications not processed', {
        error: describeError(first.error),
        retried: left.length,
        dropped: failed.length - left.length,
      });
      for (const { pending } of left) this.#put(pending);
      // If some succeeded, the storage is up and a retry needs no wait.
      if (failed.length === batch.length) await clock.sleep(RETRY_MS, signal).catch(() => undefined);
    }
  }

  /** Processes a batch and returns its failures: one channel's failure does not affect the others. */
  async #process(batch: readonly Pending[]): Promise<readonly Failed[]> {
    const { read, act, logger } = this.#deps;
    const failed: Failed[] = [];
    const rows = new Map((await read(batch.map(({ channelId }) => channelId))).map((row) => [row.id, row]));
    for (const pending of batch) {
      const row = rows.get(pending.channelId);
      // A few are normal for a while after a channel was closed or replaced.
      if (row === undefined || !isNotified(row, pending)) logger.debug('push notification without a channel', {});
      else await act(row, pending).catch((error) => void failed.push({ pending, error }));
    }
    return failed;
  }
}

/** Returns whether the row is the notified channel. The provider may use its id for a channel before we know that id. */
function isNotified(row: ChannelRow, { providerType, providerChannelIds }: ChannelNotifications): boolean {
  if (row.kind !== 'push' || row.providerType !== providerType) return false;
  return row.providerChannelId === null || [row.id, row.providerChannelId].some((id) => providerChannelIds.has(id));
}
