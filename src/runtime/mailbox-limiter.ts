import { type Clock, ProviderError } from '../ports/index.ts';
import { createPace, type Pace } from './pace.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

const LONGEST_HOLD_MS = 3_600_000;

export interface MailboxLimiterOptions {
  /** For holds. The pace is kept by the real clock. */
  readonly clock: Clock;
  /** Calls under way at the same time, per mailbox. */
  readonly concurrency: number;
  /** Calls begun in any `intervalMs`, per mailbox. `Infinity` for no pacing, as a simulation with a clock of its own wants. */
  readonly callsPerInterval: number;
  readonly intervalMs: number;
  /** A longer wait for the pace or a hold is not waited for: the call is refused at once. @default Infinity */
  readonly longestWaitMs?: number;
}

/** Keeps the calls of each mailbox under the provider's limits within this process; mailboxes do not wait for each other. */
export interface MailboxLimiter {
  /**
   * Runs `work` when its mailbox has a free place and its turn has come, in order of arrival. Background work never takes
   * the last place, and begins after whoever else waits.
   * Rejects with the signal's reason when the caller gives up first.
   * @throws ProviderError rate-limited, with `retryAfterMs`, when the wait would be longer than `longestWaitMs`
   */
  run<Result>(
    mailbox: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
    isBackground?: boolean,
  ): Promise<Result>;
  /** Lets no call of the mailbox begin for so long, at most an hour. */
  hold(mailbox: string, forMs: number): void;
  /** Mailboxes in memory; those as good as new are forgotten now and then. */
  readonly size: number;
}

/** So many mailboxes are remembered without a look at which of them can be forgotten. */
const ALWAYS_REMEMBERED = 1000;

interface Mailbox {
  active: number;
  activeInBackground: number;
  readonly line: WaitingLine;
  readonly backgroundLine: WaitingLine;
  readonly pace: Pace;
  /** On the injected clock. */
  notBefore: number;
}

/** @throws RangeError for a bound that lets nothing pass */
export function createMailboxLimiter(options: MailboxLimiterOptions): MailboxLimiter {
  const { clock, concurrency, callsPerInterval, intervalMs, longestWaitMs = Number.POSITIVE_INFINITY } = options;
  mustBeCount('concurrency', concurrency);
  mustBeCount('callsPerInterval', callsPerInterval);
  const mailboxes = new Map<string, Mailbox>();
  let forgetAt = ALWAYS_REMEMBERED;

  function mailboxOf(name: string): Mailbox {
    const known = mailboxes.get(name);
    if (known !== undefined) return known;
    if (mailboxes.size >= forgetAt) {
      forgetIdle(mailboxes, clock.now());
      // Doubling keeps the cost of looking through them constant per new mailbox.
      forgetAt = Math.max(ALWAYS_REMEMBERED, mailboxes.size * 2);
    }
    const pace = createPace({ limit: callsPerInterval, intervalMs });
    const mailbox: Mailbox = {
      active: 0,
      activeInBackground: 0,
      line: createWaitingLine(),
      backgroundLine: createWaitingLine(),
      pace,
      notBefore: Number.NEGATIVE_INFINITY,
    };
    mailboxes.set(name, mailbox);
    return mailbox;
  }

  function refuseLong(waitMs: number): void {
    if (waitMs <= longestWaitMs) return;
    throw new ProviderError('rate-limited', 'the mailbox has used up its calls', { retryAfterMs: waitMs });
  }

  async function waitOutHold(mailbox: Mailbox, signal: AbortSignal | undefined): Promise<void> {
    for (let waitMs = holdMs(mailbox); waitMs > 0; waitMs = holdMs(mailbox)) {
      refuseLong(waitMs);
      await clock.sleep(waitMs, signal);
    }
  }

  const holdMs = (mailbox: Mailbox) => mailbox.notBefore - clock.now();

  return {
    async run(name, signal, work, isBackground = false) {
      const mailbox = mailboxOf(name);
      await enter(mailbox, concurrency, signal, isBackground);
      try {
        await waitOutHold(mailbox, signal);
        refuseLong(mailbox.pace.waitMs());
        await mailbox.pace.turn(signal);
        // Another call may have been throttled while this one waited for its turn.
        await waitOutHold(mailbox, signal);
        return await work();
      } finally {
        leave(mailbox, concurrency, isBackground);
      }
    },
    hold(name, forMs) {
      const mailbox = mailboxOf(name);
      mailbox.notBefore = Math.max(mailbox.notBefore, clock.now() + Math.min(LONGEST_HOLD_MS, forMs));
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
  if (hasPlace(mailbox, concurrency, isBackground)) take(mailbox, isBackground);
  else await (isBackground ? mailbox.backgroundLine : mailbox.line).wait(signal);
}

function hasPlace(mailbox: Mailbox, concurrency: number, isBackground: boolean): boolean {
  if (mailbox.active >= concurrency) return false;
  return !isBackground || mailbox.activeInBackground < Math.max(1, concurrency - 1);
}

function take(mailbox: Mailbox, isBackground: boolean): void {
  mailbox.active += 1;
  if (isBackground) mailbox.activeInBackground += 1;
}

/** The place is handed over, not freed: a newcomer must not overtake those who wait. */
function leave(mailbox: Mailbox, concurrency: number, isBackground: boolean): void {
  mailbox.active -= 1;
  if (isBackground) mailbox.activeInBackground -= 1;
  for (const inBackground of [false, true]) {
    const line = inBackground ? mailbox.backgroundLine : mailbox.line;
    while (hasPlace(mailbox, concurrency, inBackground) && line.admitNext()) take(mailbox, inBackground);
  }
}

function forgetIdle(mailboxes: Map<string, Mailbox>, now: number): void {
  for (const [name, mailbox] of mailboxes) {
    if (mailbox.active === 0 && mailbox.notBefore <= now && mailbox.pace.isIdle()) mailboxes.delete(name);
  }
}

function mustBeCount(option: string, value: number): void {
  if (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value > 0)) return;
  throw new RangeError(`${option}: must be a whole number from 1 on, or Infinity`);
}
