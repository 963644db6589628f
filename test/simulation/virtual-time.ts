import type { Clock } from 'kalends/ports';

/**
 * One time for the engines, the storage, the sandbox and the network between them. It stands still while
 * any of them has work to do, then jumps to the next sleeper. The same calls in the same order give the same history.
 */
export interface VirtualTime extends Clock {
  /** Notes that something happens outside the clock (a storage call, a request), so that time waits for it to settle. */
  stir(): void;
  /** The same for work that leaves the event loop's turns, such as cryptography in threads: time waits for its end. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets `ms` pass. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the work is done; resolves or rejects with it. @throws Error when it takes longer than limitMs */
  until<Result>(work: Promise<Result>, limitMs?: number): Promise<Result>;
  /** Number of sleepers. */
  readonly sleeping: number;
}

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** Turns of the event loop without a stir after which all wait for the clock. */
const QUIET_TURNS = 6;
const LONGEST_WORK_MS = 3_600_000;

const START_AT = Date.UTC(2026, 2, 2, 9);

/**
 * @param isSparing takes few turns of the event loop, for days on end: sleepers that wake at the same time do so before any has done
 * its work, and the end of held work is awaited. It plays other histories than without. @default false
 */
export function virtualTime({ isSparing = false } = {}): VirtualTime {
  let now = START_AT;
  let stirs = 0;
  let holds = 0;
  let noteEndOfHolds: () => void = () => undefined;
  /** Ascending by wakeAt, equal ones in the order of falling asleep. */
  const sleepers: Sleeper[] = [];

  function insert(sleeper: Sleeper): void {
    let at = sleepers.length;
    while (at > 0 && sleepers[at - 1]!.wakeAt > sleeper.wakeAt) at -= 1;
    sleepers.splice(at, 0, sleeper);
  }

  async function settle(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await new Promise<void>((resolve) => {
        if (isSparing && holds > 0) noteEndOfHolds = resolve;
        else setImmediate(resolve);
      });
      quiet = stirs === seen && holds === 0 ? quiet + 1 : 0;
      seen = stirs;
    }
  }

  /** Wakes the first sleeper, or all of its time; false when there is none before `limitAt`. */
  async function step(limitAt: number): Promise<boolean> {
    const next = sleepers[0];
    if (next === undefined || next.wakeAt > limitAt) return false;
    const woken = isSparing ? sleepers.filter(({ wakeAt }) => wakeAt === next.wakeAt).length : 1;
    now = Math.max(now, next.wakeAt);
    stirs += 1;
    for (const sleeper of sleepers.splice(0, woken)) sleeper.wake();
    await settle();
    return true;
  }

  return {
    now: () => now,
    stir() {
      stirs += 1;
    },
    async hold(work) {
      holds += 1;
      try {
        return await work();
      } finally {
        holds -= 1;
        stirs += 1;
        if (holds === 0) noteEndOfHolds();
      }
    },
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (ms <= 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        // Whole milliseconds, as those of the system's clock.
        const sleeper = { wakeAt: now + Math.ceil(ms), wake };
        const abort = () => {
          sleepers.splice(sleepers.indexOf(sleeper), 1);
          stirs += 1;
          reject(signal?.reason);
        };
        function wake() {
          signal?.removeEventListener('abort', abort);
          resolve();
        }
        insert(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
    async pass(ms) {
      const target = now + ms;
      await settle();
      while (await step(target));
      now = target;
      await settle();
    },
    async until(work, limitMs = LONGEST_WORK_MS) {
      const limitAt = now + limitMs;
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      await settle();
      while (!isDone) {
        if (!(await step(limitAt))) throw new Error(`nothing happens any more, or not within ${limitMs} ms`);
      }
      return await work;
    },
    get sleeping() {
      return sleepers.length;
    },
  };
}
