import type { Clock } from 'kalends/ports';

/** Keeps the calls of one mailbox under its limits; mailboxes do not wait for each other. */
export interface Limiter {
  /** Runs the task when the mailbox has a free slot and its minute has room, in order of arrival. */
  run<Result>(mailbox: string, signal: AbortSignal | undefined, task: () => Promise<Result>): Promise<Result>;
}

export interface LimiterOptions {
  readonly clock: Clock;
  /** Calls under way at the same time, per mailbox. */
  readonly concurrency: number;
  /** Calls begun in any 60 seconds, per mailbox. */
  readonly callsPerMinute: number;
}

const MINUTE_MS = 60_000;
const MAILBOXES_REMEMBERED = 10_000;

interface Gate {
  active: number;
  readonly waiting: (() => void)[];
  /** Starts of the latest calls, oldest first; some may lie ahead. */
  readonly starts: number[];
}

/** Builds a limiter whose memory is bounded: mailboxes that have been idle for a minute are forgotten. */
export function createLimiter({ clock, concurrency, callsPerMinute }: LimiterOptions): Limiter {
  const gates = new Map<string, Gate>();

  function gateOf(mailbox: string): Gate {
    let gate = gates.get(mailbox);
    if (gate === undefined) {
      if (gates.size >= MAILBOXES_REMEMBERED) forgetIdle(gates, clock.now());
      gate = { active: 0, waiting: [], starts: [] };
      gates.set(mailbox, gate);
    }
    return gate;
  }

  function paceMs(gate: Gate): number {
    const now = clock.now();
    const oldest = gate.starts.length < callsPerMinute ? undefined : gate.starts.shift();
    const startAt = Math.max(now, oldest === undefined ? now : oldest + MINUTE_MS);
    gate.starts.push(startAt);
    return startAt - now;
  }

  return {
    async run(mailbox, signal, task) {
      const gate = gateOf(mailbox);
      await enter(gate, concurrency, signal);
      try {
        const waitMs = paceMs(gate);
        if (waitMs > 0) await clock.sleep(waitMs, signal);
        return await task();
      } finally {
        leave(gate);
      }
    },
  };
}

function enter(gate: Gate, concurrency: number, signal: AbortSignal | undefined): Promise<void> {
  if (gate.active < concurrency) {
    gate.active++;
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const admit = () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      gate.waiting.splice(gate.waiting.indexOf(admit), 1);
      reject(signal?.reason);
    };
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    gate.waiting.push(admit);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

function leave(gate: Gate): void {
  const next = gate.waiting.shift();
  // The slot is handed over, not freed: a newcomer must not overtake those who wait.
  if (next === undefined) gate.active--;
  else next();
}

function forgetIdle(gates: Map<string, Gate>, now: number): void {
  for (const [mailbox, gate] of gates) {
    const last = gate.starts.at(-1) ?? 0;
    if (gate.active === 0 && last + MINUTE_MS < now) gates.delete(mailbox);
  }
}
