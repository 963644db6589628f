import type { Sandbox } from '@kalends/sandbox';
import { dice } from '../simulation/dice.ts';
import { type CostWorld, type CostWorldOptions, createCostWorld, type WatchedCalendar } from './cost-world.ts';

const DAY_MS = 86_400_000;
/** Time after which the polls behind a living channel have reached their longest interval. */
const SETTLING_MS = 2 * DAY_MS;

export interface CostOptions extends CostWorldOptions {
  /** Virtual days that are counted, after the polls have settled. */
  readonly days: number;
  /** Changes by the owner of each calendar and day. @default 0 */
  readonly changesPerDay?: number;
}

export interface Costs {
  /** Calls of the calendar API for each calendar and day, by what they are for. */
  readonly perDay: Readonly<Record<CallKind, number>>;
  readonly callsPerDay: number;
  readonly changes: number;
  /** Calls for each change, everything included; NaN without changes. */
  readonly callsPerChange: number;
  /** Age of the oldest change when it was mirrored, or at the end if it never was. */
  readonly longestStalenessMs: number;
}

export type CallKind = 'events' | 'calendar list' | 'channels' | 'tokens';

/** Plays virtual days of watched calendars and counts the calls that the sandbox answered. */
export async function measureCosts(options: CostOptions): Promise<Costs> {
  const { days, changesPerDay = 0 } = options;
  const world = await createCostWorld(options);
  try {
    const changes = followChanges(world);
    await world.time.pass(SETTLING_MS);
    const before = countCalls(world.sandbox);
    const own = await playDays(world, days, changesPerDay, changes);
    const after = countCalls(world.sandbox);
    const calendarDays = options.calendars * days;
    const share = (kind: CallKind) => (after[kind] - before[kind] - own[kind]) / calendarDays;
    const perDay = {
      events: share('events'),
      'calendar list': share('calendar list'),
      channels: share('channels'),
      tokens: share('tokens'),
    };
    const callsPerDay = perDay.events + perDay['calendar list'] + perDay.channels;
    const made = changes.made();
    return {
      perDay,
      callsPerDay,
      changes: made,
      callsPerChange: (callsPerDay * calendarDays) / (made || Number.NaN),
      longestStalenessMs: changes.longestStalenessMs(world.time.now()),
    };
  } finally {
    await world.close();
  }
}

type Calls = Record<CallKind, number>;

function countCalls(sandbox: Sandbox): Calls {
  const calls: Calls = { events: 0, 'calendar list': 0, channels: 0, tokens: 0 };
  for (const [pattern, count] of Object.entries(sandbox.requests.counts())) calls[kindOf(pattern)] += count;
  return calls;
}

/** @param pattern provider, method and path pattern, such as `google GET /calendar/v3/calendars/{id}/events` */
function kindOf(pattern: string): CallKind {
  if (/token|certs|keys|userinfo|\/me$|openid/.test(pattern)) return 'tokens';
  if (/watch$|channels\/stop$|subscriptions/.test(pattern)) return 'channels';
  if (/events|calendarView/.test(pattern)) return 'events';
  return 'calendar list';
}

interface Changes {
  note(calendar: WatchedCalendar, eventId: string): void;
  made(): number;
  longestStalenessMs(now: number): number;
}

/** Follows each change until it is mirrored. */
function followChanges(world: CostWorld): Changes {
  const pending = new Map<string, number>();
  let made = 0;
  let longest = 0;
  const nameOf = (accountId: string, eventId: string) => `${accountId} ${eventId}`;
  world.onMirrored((accountId, eventId) => {
    const madeAt = pending.get(nameOf(accountId, eventId));
    if (madeAt === undefined) return;
    longest = Math.max(longest, world.time.now() - madeAt);
    pending.delete(nameOf(accountId, eventId));
  });
  return {
    note({ accountId }, eventId) {
      made += 1;
      const name = nameOf(accountId, eventId);
      pending.set(name, pending.get(name) ?? world.time.now());
    },
    made: () => made,
    longestStalenessMs: (now) => Math.max(longest, ...[...pending.values()].map((madeAt) => now - madeAt)),
  };
}

/** Lets the days pass with changes at random times; returns the calls that the changes themselves took. */
async function playDays(world: CostWorld, days: number, changesPerDay: number, changes: Changes): Promise<Calls> {
  const random = dice(3);
  const endAt = world.time.now() + days * DAY_MS;
  const times = world.calendars.flatMap((calendar) =>
    Array.from({ length: days * changesPerDay }, () => ({ calendar, at: endAt - random.below(days * DAY_MS) })),
  );
  const own: Calls = { events: 0, 'calendar list': 0, channels: 0, tokens: 0 };
  for (const [number, { calendar, at }] of times.sort((a, b) => a.at - b.at).entries()) {
    await world.time.pass(at - world.time.now());
    const before = countCalls(world.sandbox);
    changes.note(calendar, await world.change(calendar, number));
    const after = countCalls(world.sandbox);
    own.events += after.events - before.events;
    own.tokens += after.tokens - before.tokens;
  }
  await world.time.pass(endAt - world.time.now());
  return own;
}
