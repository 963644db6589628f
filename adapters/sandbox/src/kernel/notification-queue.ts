import { type RealTime, timeoutSignal } from '../runtime/real-time.ts';
import type { NotificationFaults, OutgoingNotification } from './kernel.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The outcome of one notification. */
export interface NotificationRecord {
  readonly notification: OutgoingNotification;
  /** `dropped` and `held` are injected faults; `failed` means that every attempt failed. */
  readonly outcome: 'delivered' | 'failed' | 'dropped' | 'held';
  /** Last HTTP status, undefined when no answer came. */
  readonly status: number | undefined;
  readonly attempts: number;
}

/** Posts notifications in the background: in order per receiving URL, concurrently over different URLs. */
export interface NotificationQueue {
  push(notification: OutgoingNotification): void;
  setFaults(faults: NotificationFaults): void;
  faults(): NotificationFaults;
  /** Resolves when no notification is queued or being sent. Sends those held back first. */
  idle(): Promise<void>;
  /** The latest outcomes, oldest first, at most 500. */
  records(): readonly NotificationRecord[];
  /** Refuses further notifications and gives up waiting retries. */
  close(): void;
}

const RETRY_WAITS_MS = [100, 400, 1_500];
const ATTEMPT_TIMEOUT_MS = 10_000;
const RECORDS_KEPT = 500;

export function createNotificationQueue(options: {
  readonly random: SeededRandom;
  readonly time: RealTime;
  readonly fetch: typeof fetch;
}): NotificationQueue {
  const { random, time } = options;
  const tails = new Map<string, Promise<void>>();
  const records: NotificationRecord[] = [];
  let held: OutgoingNotification[] = [];
  let faults: NotificationFaults = {};
  let closed = false;

  const record = (entry: NotificationRecord): void => {
    records.push(entry);
    if (records.length > RECORDS_KEPT) records.shift();
  };

  const deliver = async (notification: OutgoingNotification): Promise<void> => {
    let status: number | undefined;
    let attempts = 0;
    for (;;) {
      attempts += 1;
      status = await post(options.fetch, notification);
      if (status !== undefined && status < 500) break;
      const waitMs = RETRY_WAITS_MS[attempts - 1];
      if (waitMs === undefined || closed) break;
      await time.wait(waitMs);
      if (closed) break;
    }
    const delivered = status !== undefined && status >= 200 && status < 300;
    record({ notification, outcome: delivered ? 'delivered' : 'failed', status, attempts });
  };

  const enqueue = (notification: OutgoingNotification): void => {
    const tail = tails.get(notification.url) ?? Promise.resolve();
    const next = tail.then(() => deliver(notification));
    tails.set(notification.url, next);
    void next.then(() => {
      if (tails.get(notification.url) === next) tails.delete(notification.url);
    });
  };

  const release = (): void => {
    const released = held;
    held = [];
    for (const notification of released) enqueue(notification);
  };

  return {
    push(notification) {
      if (closed) return;
      if (random.fraction() < (faults.drop ?? 0)) {
        record({ notification, outcome: 'dropped', status: undefined, attempts: 0 });
        return;
      }
      if (random.fraction() < (faults.reorder ?? 0)) {
        record({ notification, outcome: 'held', status: undefined, attempts: 0 });
        held.push(notification);
        return;
      }
      enqueue(notification);
      if (random.fraction() < (faults.duplicate ?? 0)) enqueue(notification);
      release();
    },
    setFaults(next) {
      faults = next;
    },
    faults: () => faults,
    async idle() {
      release();
      while (tails.size > 0) await Promise.all(tails.values());
    },
    records: () => [...records],
    close() {
      closed = true;
      held = [];
    },
  };
}

/** Makes one attempt; undefined without an answer. A provider ignores a failing receiver, so it is not an error. */
async function post(send: typeof fetch, notification: OutgoingNotification): Promise<number | undefined> {
  try {
    const response = await send(notification.url, {
      method: 'POST',
      headers: notification.headers,
      body: notification.body,
      redirect: 'manual',
      signal: timeoutSignal(ATTEMPT_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
