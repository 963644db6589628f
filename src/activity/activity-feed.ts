import type { ActivityService } from '../engine-interface.ts';
import type { Activity } from '../model/index.ts';
import type { Clock, Committed, Logger, StorageCommits } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';

/** Without the time, member by member. */
type Untimed<Each> = Each extends Activity ? Omit<Each, 'at'> : never;

/** The activity of this process: what its services do, and what they commit. */
export interface ActivityFeed extends ActivityService {
  /** Tells listeners of an activity at this time; nothing without listeners. */
  tell(activity: Untimed<Activity>): void;
  /** Ends all subscriptions. */
  close(): void;
}

/** Tells nothing. */
export const NO_ACTIVITY: Pick<ActivityFeed, 'tell'> = { tell: () => undefined };

interface Listener {
  readonly hear: (activity: Activity) => void;
  readonly ended: () => void;
}

/** Creates the feed. It watches the storage's commits while it has listeners. */
export function createActivityFeed({
  commits,
  clock,
  logger,
}: {
  readonly commits: StorageCommits;
  readonly clock: Clock;
  readonly logger: Logger;
}): ActivityFeed {
  const listeners = new Set<Listener>();
  let stopWatching: (() => void) | undefined;
  let isClosed = false;

  /** A listener is the host's: its failure is not ours. */
  const guarded = (call: () => unknown) => {
    const failed = (error: unknown) => {
      logger.error('a listener of the activity failed', { error: describeError(error) });
    };
    try {
      // An asynchronous function stands for a listener too.
      const result = call();
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  const tell = (activity: Untimed<Activity>) => {
    if (listeners.size === 0) return;
    const { type, ...rest } = activity;
    const timed = Object.freeze({ type, at: new Date(clock.now()).toISOString(), ...rest }) as Activity;
    // Those that a listener adds hear of the next one.
    for (const { hear } of [...listeners]) guarded(() => hear(timed));
  };

  const remove = (listener: Listener): boolean => {
    const isKnown = listeners.delete(listener);
    if (listeners.size > 0) return isKnown;
    stopWatching?.();
    stopWatching = undefined;
    return isKnown;
  };

  return {
    tell,
    subscribe(hear, { ended = () => undefined } = {}) {
      const listener: Listener = { hear, ended };
      if (isClosed) {
        guarded(ended);
        return () => undefined;
      }
      listeners.add(listener);
      stopWatching ??= commits.subscribe((change) => tell(activityOf(change)));
      return () => void remove(listener);
    },
    close() {
      isClosed = true;
      for (const listener of [...listeners]) {
        if (remove(listener)) guarded(listener.ended);
      }
    },
  };
}

function activityOf(change: Committed): Untimed<Activity> {
  if (change.kind === 'audit') {
    const { applicationId, id: entryId, actorType, action, target } = change.entry;
    return { type: 'audit.written', applicationId, entryId, actorType, action, target };
  }
  if (change.kind === 'message') {
    const { applicationId, id: messageId, eventType, targetId: receiverId } = change.message;
    return { type: 'message.enqueued', applicationId, messageId, eventType, receiverId };
  }
  const { applicationId, accountId: endUserAccountId, status } = change;
  return { type: 'account.status.changed', applicationId, endUserAccountId, status };
}
