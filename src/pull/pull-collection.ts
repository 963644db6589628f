import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import type { CallNeed } from '../leases/index.ts';
import { calendarRef, listKeyOf, noCalendar, storedCalendar } from '../mirror/index.ts';
import {
  type Clock,
  type CollectionKey,
  type CollectionState,
  type Logger,
  ProviderError,
  type PullStart,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { randomHex } from '../runtime/index.ts';
import { pullCalendars } from './pull-calendars.ts';
import type { EventPull, PullContext, PullOutcome } from './pull-context.ts';

export interface PullCollectionDeps {
  readonly storage: Pick<Storage, 'mirror' | 'schedule'>;
  readonly accounts: AccountAccess;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called after a commit that may have enqueued messages. */
  readonly enqueued: () => void;
  /** Called after a pull of an account's calendar list that changed it. */
  readonly listChanged: (list: CollectionKey) => Promise<void>;
}

export interface PullMode {
  readonly signal: AbortSignal;
  /** Whether a caller waits for the pull, or a push caused it. */
  readonly need: CallNeed;
  /** @default false */
  readonly namedOnly?: boolean;
  /** @default every source of changes is asked */
  readonly askedSince?: number | undefined;
  /** @default no answer about other calendars is used */
  readonly sharedSince?: number | undefined;
  /** Pulls that have failed in a row before this one. @default 0 */
  readonly failures?: number;
}

/**
 * Pulls a collection: a calendar list by `pullCalendars`, a calendar's events by `pullCalendar`. The lease fences each commit.
 * @param start read under the lease
 * @throws KalendsError NotFound when the calendar has gone, Conflict when the lease was lost
 */
export async function pullCollection(
  deps: PullCollectionDeps,
  account: ConnectedAccount,
  key: CollectionKey,
  lease: PullContext['lease'],
  start: PullStart,
  { signal, need, namedOnly = false, askedSince, sharedSince, failures = 0 }: PullMode,
  pullCalendar: (pull: EventPull) => Promise<PullOutcome>,
): Promise<PullOutcome> {
  const { storage, clock, random, logger, accounts } = deps;
  const { provider } = account;
  const session = accounts.session(account, signal, need);
  const context = (state: CollectionState) => ({
    mirror: storage.mirror,
    key,
    state,
    lease,
    clock,
    random,
    logger,
    enqueued: deps.enqueued,
    provider,
    session,
    providerToken: start.providerToken,
    hasRereads: start.hasRereads,
    isSweeping: start.isSweeping,
  });
  const init = { at: clock.now(), tag: randomHex(random) };
  if (key.calendarId === null) {
    const state = start.state ?? (await storage.mirror.ensure(key, { ...init, timeZone: '' }));
    const outcome = await pullCalendars({ ...context(state), schedule: storage.schedule });
    if (outcome.changed > 0) await deps.listChanged(key);
    return outcome;
  }
  if (start.calendar === undefined) return await missCalendar(deps, key);
  const calendar = storedCalendar(start.calendar);
  const state = start.state ?? (await storage.mirror.ensure(key, { ...init, timeZone: calendar.timeZone }));
  try {
    const wanted = {
      namedOnly,
      failures,
      ...(askedSince === undefined ? {} : { askedSince }),
      ...(sharedSince === undefined ? {} : { sharedSince }),
    };
    return await pullCalendar({ ...context(state), calendar: calendarRef(calendar), ...wanted });
  } catch (error) {
    // The calendar list decides whether the calendar is gone or this answer was wrong.
    if (ProviderError.isInstance(error) && error.reason === 'not-found') await pullListNow(deps, key);
    throw error;
  }
}

async function pullListNow({ storage, clock }: PullCollectionDeps, key: CollectionKey): Promise<void> {
  const now = clock.now();
  await storage.schedule.dueBy(listKeyOf(key), now, now);
}

async function missCalendar(deps: PullCollectionDeps, key: CollectionKey): Promise<never> {
  const { storage, clock } = deps;
  const list = await storage.mirror.find(listKeyOf(key));
  // Absence from the list proves nothing before the first list is complete.
  if (list === undefined || list.completedAt === null) {
    await pullListNow(deps, key);
    throw new ProviderError('not-found', 'the calendar list has not been read yet');
  }
  // Pulls of the list decide when the deletion is certain.
  await storage.schedule.noteMissing(key, clock.now());
  await pullListNow(deps, key);
  throw noCalendar();
}
