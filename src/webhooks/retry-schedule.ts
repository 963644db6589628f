import type { AttemptRow, DeliveryOutcome, Random } from '../ports/index.ts';
import { jittered } from '../runtime/index.ts';
import type { AttemptResult } from './send-message.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits before each attempt: 75 h 35 min in total. */
export const WAITS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Minimum wait after an answer that signals overload. */
const OVERLOAD_WAIT_MS = MINUTE;
const LONGEST_RETRY_AFTER_MS = 6 * HOUR;
/** A target is disabled after failing for this long without a success. */
export const DISABLE_AFTER_MS = 120 * HOUR;

const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether the receiver took the message: an answer of 2xx, or a handler that ended without an error. */
export const isDelivered = ({ status, failure }: Pick<AttemptRow, 'status' | 'failure'>): boolean =>
  status === null ? failure === null : status >= 200 && status < 300;

/** Decides the outcome of an attempt: delivered, retried, dead, or its target disabled. */
export function decideOutcome(
  attempt: {
    readonly result: AttemptResult;
    /** Including this one. */
    readonly attempts: number;
    /** First failure of the target after its last success; null when this is the first. */
    readonly failingSince: number | null;
    readonly now: number;
  },
  random: Random,
): DeliveryOutcome {
  const { result, attempts, failingSince, now } = attempt;
  if (isDelivered(result)) return { kind: 'delivered' };
  if (result.status === 410) return { kind: 'disabled' };
  if (failingSince !== null && now - failingSince >= DISABLE_AFTER_MS) return { kind: 'disabled' };
  const wait = WAITS_MS[attempts];
  if (wait === undefined) return { kind: 'dead' };
  const isOverloaded = result.failure === 'timeout' || (result.status !== null && OVERLOADED.has(result.status));
  const waitMs = Math.max(
    jittered(wait, random),
    isOverloaded ? OVERLOAD_WAIT_MS : 0,
    Math.min(result.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS),
  );
  return { kind: 'retry', at: now + waitMs };
}
