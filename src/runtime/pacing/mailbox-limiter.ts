import { type Clock, ProviderError } from '../../ports/index.ts';
import { createPace, type Pace } from './pace.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

const LONGEST_PAUSE_MS = 3_600_000;

/** Evict idle mailboxes above this number. */
const EVICTION_SIZE = 1000;

export interface MailboxLimiterOptions {
  /** Clock of pauses and of the pace. */
  readonly clock: Clock;
  /** Calls in flight at the same time, per mailbox. */
  readonly concurrency: number;
  /** Calls begun in any `intervalMs`, per mailbox. `Infinity`: no pacing. */
  readonly callsPerInterval: number;
  readonly intervalMs: number;
  /** Longest wait for the pace or for a pause; a call that would wait longer is refused at once. @default Infinity */
  readonly longestWaitMs?: number;
}

/** Keeps the calls of each mailbox within the provider's limits in this process; mailboxes do not wait for each other. */
export interface MailboxLimiter {
  /**
   * Runs `work` when its mailbox has a free slot and its turn has come, in order of arrival. Background work leaves the
   * last slot free and begins after all foreground work that waits.
   * Rejects with the signal's reason when the caller gives up first.
   * @throws ProviderError rate-limited, with `retryAfterMs`, when the wait would be longer than `longestWaitMs`
   */
  run<Result>(
    mailbox: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
    isBackground?: boolean,
  ): Promise<Result>;
  /** Begins no call of the mailbox for `forMs`, at most an hour. Of several pauses the last to end counts. */
  pause(mailbox: string, forMs: number): void;
  /** Mailboxes in memory; idle ones are evicted from time to time. */
  readonly size: number;
}

interface Mailbox {
  active: number;
  activeInBackground: number;
  readonly line: WaitingLine;
  readonly backgroundLine: WaitingLine;
  readonly pace: Pace;
  notBefore: number;
  /** Time of the latest `pause`. */
  pausedAt: number;
}

/** Creates a limiter. @throws RangeError for a bound that lets no call pass */
export function createMailboxLimiter(options: MailboxLimiterOptions): MailboxLimiter {
  const { clock, concurrency, callsPerInterval, intervalMs, longestWaitMs = Number.POSITIVE_INFINITY } = options;
  mustBeCount('concurrency', concurrency);
  mustBeCount('callsPerInterval', callsPerInterval);
  const mailboxes = new Map<string, Mailbox>();
  let evictAt = EVICTION_SIZE;

  function mailboxOf(name: string): Mailbox {
    const known = mailboxes.get(name);
    if (known !== undefined) return known;
    if (mailboxes.size >= evictAt) {
      evictIdle(mailboxes, clock.now());
      // Doubling keeps the cost of the scan constant per new mailbox.
      evictAt = Math.max(EVICTION_SIZE, mailboxes.size * 2);
    }
    const mailbox: Mailbox = {
      active: 0,
      activeInBackground: 0,
      line: createWaitingLine(),
      backgroundLine: createWaitingLine(),
      pace: createPace({ clock, limit: callsPerInterval, intervalMs }),
      notBefore: Number.NEGATIVE_INFINITY,
      pausedAt: Number.NEGATIVE_INFINITY,
    };
    mailboxes.set(name, mailbox);
    return mailbox;
  }

  function refuseLong(waitMs: number): void {
    if (waitMs <= longestWaitMs) return;
    throw new ProviderError('rate-limited', 'the mailbox has used up its calls', { retryAfterMs: waitMs });
  }

  /** Returns the end of the pause, which is set back with the clock: it would last until the clock has caught up. */
  function pauseEnd(mailbox: Mailbox): number {
    const aheadMs = mailbox.pausedAt - clock.now();
    if (aheadMs > 0) {
      mailbox.pausedAt -= aheadMs;
      mailbox.notBefore -= aheadMs;
    }
    return mailbox.notBefore;
  }

  async function waitOutPause(mailbox: Mailbox, signal: AbortSignal | undefined): Promise<void> {
    let waitedUntil = clock.now();
    // Another call may extend the pause during the sleep.
    while (pauseEnd(mailbox) > waitedUntil) {
      waitedUntil = mailbox.notBefore;
      const waitMs = waitedUntil - clock.now();
      refuseLong(waitMs);
      await clock.sleep(waitMs, signal);
    }
  }

  return {
    async run(name, signal, work, isBackground = false) {
      const mailbox = mailboxOf(name);
      await enter(mailbox, concurrency, signal, isBackground);
      try {
        await waitOutPause(mailbox, signal);
        refuseLong(mailbox.pace.waitMs());
        await mailbox.pace.turn(signal);
        // Another call may have been throttled while this one waited for its turn.
        await waitOutPause(mailbox, signal);
        return await work();
      } finally {
        leave(mailbox, concurrency, isBackground);
      }
    },
    pause(name, forMs) {
      const mailbox = mailboxOf(name);
      mailbox.notBefore = Math.max(pauseEnd(mailbox), clock.now() + Math.min(LONGEST_PAUSE_MS, forMs));
      mailbox.pausedAt = clock.now();
    },
    get size() {
      return mailboxes.size;
    },
  };
}

async function enter(
  mailbox: Mailbox,
  concurrency: number,
  signal: AbortSignal | undefined,
  isBackground: boolean,
): Promise<void> {
  signal?.throwIfAborted();
  if (hasSlot(mailbox, concurrency, isBackground)) take(mailbox, isBackground);
  else await (isBackground ? mailbox.backgroundLine : mailbox.line).wait(signal);
}

function hasSlot(mailbox: Mailbox, concurrency: number, isBackground: boolean): boolean {
  if (mailbox.active >= concurrency) return false;
  return !isBackground || mailbox.activeInBackground < Math.max(1, concurrency - 1);
}

function take(mailbox: Mailbox, isBackground: boolean): void {
  mailbox.active += 1;
  if (isBackground) mailbox.activeInBackground += 1;
}

/** Hands the slot over instead of freeing it, so that a new call cannot overtake those that wait. */
function leave(mailbox: Mailbox, concurrency: number, isBackground: boolean): void {
  mailbox.active -= 1;
  if (isBackground) mailbox.activeInBackground -= 1;
  for (const inBackground of [false, true]) {
    const line = inBackground ? mailbox.backgroundLine : mailbox.line;
    while (hasSlot(mailbox, concurrency, inBackground) && line.admitNext()) take(mailbox, inBackground);
  }
}

function evictIdle(mailboxes: Map<string, Mailbox>, now: number): void {
  for (const [name, mailbox] of mailboxes) {
    if (mailbox.active === 0 && mailbox.notBefore <= now && mailbox.pace.isIdle()) mailboxes.delete(name);
  }
}

function mustBeCount(option: string, value: number): void {
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value > 0)) return;
  throw new RangeError(`${option}: must be a whole number from 1 on, or Infinity`);
}
