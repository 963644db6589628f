import type { Clock, LeaseStore, Logger, Telemetry } from '../ports/index.ts';
import { createKeyedMutex } from '../runtime/index.ts';
import { instantOf, wallAt } from '../zones/index.ts';
import { SpentBudgetError } from './spent-budget-error.ts';

/**
 * Urgency of a call. `caller`: a user waits for it, or a channel depends on it. `prompt`: a push caused it, or the mirror is
 * still empty. `routine`: polls and reconciliations.
 */
export type CallNeed = 'caller' | 'prompt' | 'routine';

/** Zone whose midnight begins Google's day of quotas. */
const ZONE = 'America/Los_Angeles';
const DAY_MS = 86_400_000;
/** Share of the day's calls that only callers may use. */
const RESERVED_SHARE = 0.1;
const WARNING_SHARE = 0.8;
/** A process takes this share of the day at a time: at most so much is lost when it ends. */
const SLICE_SHARE = 1 / 10_000;

/** Shortest wait of a refused call. */
const SHORTEST_WAIT_MS = 10_000;

/** A day of quotas. */
interface Day {
  /** Counted from 1970-01-01, in the zone's own dates. */
  readonly number: number;
  readonly startAt: number;
  readonly endAt: number;
}

export interface DailyAllowance {
  readonly providerType: string;
  /** The OAuth client. */
  readonly client: string;
  readonly perDay: number;
}

/** Spreads each OAuth client's calls of a day by their need, across processes. */
export interface DayBudget {
  /** Takes one call. @throws SpentBudgetError with `retryAfterMs`, when calls of this need have to wait */
  take(allowance: DailyAllowance, need: CallNeed): Promise<void>;
}

export function createDayBudget({
  leases,
  clock,
  logger,
  telemetry,
}: {
  readonly leases: Pick<LeaseStore, 'takeDayCalls'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}): DayBudget {
  const mutex = createKeyedMutex();
  const slices = new Map<string, { readonly day: number; left: number }>();

  async function takeSlice(
    { providerType, client, perDay }: DailyAllowance,
    need: CallNeed,
    day: Day,
  ): Promise<number> {
    const atMost = Math.max(1, Math.floor(perDay * SLICE_SHARE));
    const upTo = Math.floor(perDay * shareOf(need, day, clock.now()));
    const { taken, used } = await leases.takeDayCalls(`day:${client}`, { day: day.number, atMost, upTo });
    telemetry.observe('kalends_daily_budget_used_ratio', { provider: providerType }, used / perDay);
    const warnAt = perDay * WARNING_SHARE;
    if (used >= warnAt && used - taken < warnAt) {
      logger.warn('daily call budget nearly used up', { providerType, providerConfigId: client, used, perDay });
    }
    if (taken === 0) throw new SpentBudgetError('daily call budget', waitMs(need, used / perDay, day, clock.now()));
    return taken;
  }

  return {
    take: (allowance, need) =>
      mutex.run(`${need}:${allowance.client}`, async () => {
        const day = dayAt(clock.now());
        const line = `${need}:${allowance.client}`;
        const slice = slices.get(line);
        if (slice !== undefined && slice.day === day.number && slice.left > 0) {
          slice.left -= 1;
          return;
        }
        const taken = await takeSlice(allowance, need, day);
        slices.set(line, { day: day.number, left: taken - 1 });
      }),
  };
}

/** Returns the day of quotas at an instant; it has 23 or 25 hours when the zone's clocks change. */
export function dayAt(now: number): Day {
  const number = Math.floor(wallAt(ZONE, now) / DAY_MS);
  return { number, startAt: instantOf(ZONE, number * DAY_MS), endAt: instantOf(ZONE, (number + 1) * DAY_MS) };
}

/** Returns the share of the day's calls up to which calls of a need may go out. That of routine grows evenly over the day. */
function shareOf(need: CallNeed, { startAt, endAt }: Day, now: number): number {
  if (need === 'caller') return 1;
  return (1 - RESERVED_SHARE) * (need === 'prompt' ? 1 : (now - startAt) / (endAt - startAt));
}

function waitMs(need: CallNeed, usedShare: number, { startAt, endAt }: Day, now: number): number {
  const routineAt = startAt + (endAt - startAt) * (usedShare / (1 - RESERVED_SHARE));
  const freeAt = need === 'routine' ? Math.min(endAt, routineAt) : endAt;
  return Math.max(SHORTEST_WAIT_MS, Math.ceil(freeAt - now));
}
