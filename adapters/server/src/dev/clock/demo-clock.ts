import type { Clock } from 'kalends/ports';
import { createSleepers, type Sleeper } from './sleepers.ts';

/** The part of a turn of the clock that is done. Instants are epoch milliseconds on the demo's clock. */
export interface ClockTurn {
  readonly fromAt: number;
  readonly toAt: number;
  readonly at: number;
  /** Sleepers woken so far: the pieces of background work that came due. */
  readonly wakeUps: number;
}

/** The one clock of the demo: real time plus an offset that grows while the clock is turned. It never goes back. */
export interface DemoClock extends Clock {
  /** Milliseconds between real time and the demo's. */
  offsetMs(): number;
  /** Returns the turn that runs, undefined when none does. */
  turn(): ClockTurn | undefined;
  /**
   * Turns the clock: wakes each sleeper at its own time, in order, and lets the work that it starts settle before time goes on.
   * Resolves at the end, or when the clock is closed.
   * @throws RangeError at once, for a step that is not from 1 ms to 31 days
   * @throws ClockTurningError at once, while the clock is being turned
   */
  advance(ms: number): Promise<void>;
  /** Ends a running turn where it stands, saves the offset and stops the timer. Sleepers stay asleep. */
  close(): Promise<void>;
}

export interface DemoClockOptions {
  /** Real time. */
  readonly base: Clock;
  /** Offset at the start. */
  readonly offsetMs: number;
  /** Resolves when the work that the last wake-up started has nothing left to do now. `uses` counts calls of the clock. */
  readonly settle: (uses: () => number) => Promise<void>;
  /** Keeps an offset. It is never behind the clock, so that a process that is killed does not turn time back. */
  readonly save: (offsetMs: number) => void;
}

/** Refuses a second turn of the clock. */
export class ClockTurningError extends Error {
  override readonly name = 'ClockTurningError';

  constructor(readonly turn: ClockTurn) {
    const text = (at: number) => new Date(at).toISOString();
    super(`the clock is being turned to ${text(turn.toAt)} and stands at ${text(turn.at)}: wait until it is there`);
  }
}

const LONGEST_TURN_MS = 31 * 86_400_000;
/** Time by which the kept offset runs ahead. */
const SAVED_AHEAD_MS = 3_600_000;
/** Timers hold 31 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates the demo's clock. */
export function createDemoClock({ base, offsetMs, settle, save }: DemoClockOptions): DemoClock {
  const sleepers = createSleepers();
  let offset = offsetMs;
  let savedOffset = offsetMs;
  let uses = 0;
  let running: { fromAt: number; toAt: number; wakeUps: number; ended: Promise<void> } | undefined;
  let timer: { readonly wakeAt: number; readonly stop: AbortController } | undefined;
  let isClosed = false;

  const now = () => base.now() + offset;

  const wake = (sleeper: Sleeper) => {
    sleepers.delete(sleeper);
    sleeper.wake();
  };

  /** Sets the real timer to the first sleeper. A turn needs none. */
  function arm(): void {
    const first = sleepers.first();
    if (timer !== undefined && timer.wakeAt === first?.wakeAt && running === undefined) return;
    timer?.stop.abort();
    timer = undefined;
    if (first === undefined || running !== undefined || isClosed) return;
    const own = { wakeAt: first.wakeAt, stop: new AbortController() };
    timer = own;
    const waitMs = Math.min(Math.max(0, first.wakeAt - now()), LONGEST_TIMER_MS);
    base.sleep(waitMs, own.stop.signal).then(
      () => {
        if (timer !== own) return;
        timer = undefined;
        for (let due = sleepers.first(); due !== undefined && due.wakeAt <= now(); due = sleepers.first()) wake(due);
        arm();
      },
      () => undefined,
    );
  }

  function moveTo(at: number, lastOffset: number): void {
    offset += Math.max(0, at - now());
    if (offset <= savedOffset) return;
    savedOffset = Math.max(offset, Math.min(offset + SAVED_AHEAD_MS, lastOffset));
    save(savedOffset);
  }

  async function walk(turn: { readonly toAt: number; wakeUps: number }, lastOffset: number): Promise<void> {
    await settle(() => uses);
    for (;;) {
      const next = sleepers.first();
      const isLast = next === undefined || next.wakeAt > turn.toAt;
      if (isClosed) return;
      moveTo(isLast ? turn.toAt : next.wakeAt, lastOffset);
      if (isLast) return;
      turn.wakeUps += 1;
      wake(next);
      await settle(() => uses);
    }
  }

  return {
    now() {
      uses += 1;
      return now();
    },
    sleep(ms, signal) {
      uses += 1;
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const abort = () => {
          uses += 1;
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          wakeAt: now() + Math.max(0, ms),
          wake() {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
        arm();
      });
    },
    offsetMs: () => offset,
    turn: () =>
      running && {
        fromAt: running.fromAt,
        toAt: running.toAt,
        at: Math.min(now(), running.toAt),
        wakeUps: running.wakeUps,
      },
    advance(ms) {
      if (!(ms >= 1 && ms <= LONGEST_TURN_MS)) {
        throw new RangeError(`ms: must be from 1 to ${LONGEST_TURN_MS} (31 days), not ${ms}`);
      }
      if (running !== undefined) throw new ClockTurningError({ ...running, at: now() });
      const fromAt = now();
      const turn = { fromAt, toAt: fromAt + ms, wakeUps: 0, ended: Promise.resolve() };
      running = turn;
      arm();
      turn.ended = walk(turn, offset + ms).finally(() => {
        running = undefined;
        savedOffset = offset;
        save(offset);
        arm();
      });
      return turn.ended;
    },
    async close() {
      isClosed = true;
      await running?.ended;
      timer?.stop.abort();
    },
  };
}
