import {
  type ChannelRow,
  type Clock,
  type Logger,
  type PushNotification,
  StorageUnavailableError,
} from '../ports/index.ts';
import { describeError, nextTurn, withPatience } from '../runtime/index.ts';

/** Channels whose notifications are worked off together: their rows are read by one statement. */
const BATCH = 50;
/** Channels and event ids that wait at most; beyond, notifications are answered when there is space again. */
const MOST_WAITING = 20_000;
const RETRY_MS = 2_000;
/** An outage is waited out; after that the notifications are lost, and the poll finds what they told of. */
const OUTAGE_PATIENCE_MS = 30_000;
const MOST_TRIES = 5;

/** Requests of one channel's genuine notifications that wait to be worked off. */
export interface ChannelNews {
  readonly channelId: string;
  readonly providerType: string;
  /** Ids by which the provider named the channel. */
  readonly providerChannelIds: ReadonlySet<string>;
  readonly kinds: ReadonlySet<PushNotification['kind']>;
  readonly providerEventIds: ReadonlySet<string>;
}

interface Waiting extends ChannelNews {
  readonly providerChannelIds: Set<string>;
  readonly kinds: Set<PushNotification['kind']>;
  readonly providerEventIds: Set<string>;
  tries: number;
}

interface Failed {
  readonly news: Waiting;
  readonly error: unknown;
}

/**
 * Notifications that have been answered and wait for the storage. They are hints: what a crash loses, the poll finds.
 */
export interface NotificationQueue {
  /** Adds a notification; those of one channel are joined. Resolves at once, or when there is space. */
  add(channelId: string, providerType: string, notification: PushNotification): Promise<void>;
  /** Resolves when nothing waits and nothing is being worked off. */
  settled(): Promise<void>;
  /** Takes no more, and resolves when what waits has been worked off or has failed. */
  stop(): Promise<void>;
}

export function createNotificationQueue(dependencies: {
  /** Reads the channels' rows, in one statement. */
  readonly read: (channelIds: readonly string[]) => Promise<readonly ChannelRow[]>;
  readonly act: (row: ChannelRow, news: ChannelNews) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}): NotificationQueue {
  const { read, act, clock, logger } = dependencies;
  const waiting = new Map<string, Waiting>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let waitingEvents = 0;
  let draining: Promise<void> | undefined;
  let spaceLeft: (() => void)[] = [];

  const take = (): readonly Waiting[] => {
    const batch = [...waiting.values()].slice(0, BATCH);
    for (const { channelId, providerEventIds } of batch) {
      waiting.delete(channelId);
      waitingEvents -= providerEventIds.size;
    }
    for (const resume of spaceLeft) resume();
    spaceLeft = [];
    return batch;
  };

  const put = (news: Waiting): void => {
    const { channelId } = news;
    const joined = waiting.get(channelId);
    if (joined === undefined) {
      waiting.set(channelId, news);
      waitingEvents += news.providerEventIds.size;
      return;
    }
    waitingEvents -= joined.providerEventIds.size;
    for (const id of news.providerChannelIds) joined.providerChannelIds.add(id);
    for (const kind of news.kinds) joined.kinds.add(kind);
    for (const id of news.providerEventIds) joined.providerEventIds.add(id);
    waitingEvents += joined.providerEventIds.size;
  };

  /** Resolves with what failed: one channel's failure is no other's. */
  const work = async (batch: readonly Waiting[]): Promise<readonly Failed[]> => {
    const failed: Failed[] = [];
    const rows = new Map((await read(batch.map(({ channelId }) => channelId))).map((row) => [row.id, row]));
    for (const news of batch) {
      const row = rows.get(news.channelId);
      // Some are usual for a while after a channel was closed or replaced.
      if (row === undefined || !isItsOwn(row, news)) logger.debug('push notification without a channel', {});
      else await act(row, news).catch((error) => void failed.push({ news, error }));
    }
    return failed;
  };

  /** Works everything off; what fails comes again some times, and then is left to the poll. */
  const drain = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = take();
      const failed = await withPatience({ limitMs: OUTAGE_PATIENCE_MS, signal }, () => work(batch)).catch((error) =>
        batch.map((news) => ({ news, error })),
      );
      const [first] = failed;
      if (first === undefined) continue;
      const isOver = (news: Waiting) => signal.aborted || ++news.tries >= MOST_TRIES;
      const left = failed.filter(({ news }) => !isOver(news));
      const level = StorageUnavailableError.isInstance(first.error) ? 'warn' : 'error';
      logger[level]('push notifications not worked off', {
        error: describeError(first.error),
        again: left.length,
        given_up: failed.length - left.length,
      });
      for (const { news } of left) put(news);
      // Where others went through, nothing has to be waited for.
      if (failed.length === batch.length) await clock.sleep(RETRY_MS, signal).catch(() => undefined);
    }
  };

  const begin = (): void => {
    // In a turn of its own: the answer goes out first, and what one request brings is joined.
    draining ??= nextTurn()
      .then(drain)
      .finally(() => {
        draining = undefined;
        if (waiting.size > 0) begin();
      });
  };

  return {
    async add(channelId, providerType, { providerChannelId, kind, providerEventIds }) {
      while (waiting.size + waitingEvents >= MOST_WAITING && !signal.aborted) {
        await new Promise<void>((resolve) => spaceLeft.push(resolve));
      }
      if (signal.aborted) return;
      put({
        channelId,
        providerType,
        providerChannelIds: new Set([providerChannelId]),
        kinds: new Set([kind]),
        providerEventIds: new Set(providerEventIds),
        tries: 0,
      });
      begin();
    },
    async settled() {
      while (draining !== undefined) await draining;
    },
    async stop() {
      stopping.abort(new Error('The engine is stopping.'));
      while (draining !== undefined) await draining;
    },
  };
}

/** A provider may name a channel before its answer has told us the name. */
function isItsOwn(row: ChannelRow, { providerType, providerChannelIds }: ChannelNews): boolean {
  if (row.kind !== 'push' || row.providerType !== providerType) return false;
  return row.providerChannelId === null || [row.id, row.providerChannelId].some((id) => providerChannelIds.has(id));
}
