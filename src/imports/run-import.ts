import type { Caller } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { ImportTarget } from '../events/index.ts';
import { type IcsGroup, mergedGroups, readCalendarsInSteps } from '../icalendar/index.ts';
import { contentHash } from '../mirror/index.ts';
import {
  type Clock,
  type HeldLease,
  type ImportHold,
  type ImportRow,
  type ImportStore,
  type ItemOutcome,
  type Logger,
  StorageUnavailableError,
  type WaitingItem,
} from '../ports/index.ts';
import { isKeyringOutage, runInTurns } from '../runtime/index.ts';
import { applyGroup, type ImportPlace } from './apply-group.ts';
import { componentsByFrame, type FrameOf, readFrames } from './calendar-frames.ts';
import { leftOutOf } from './left-out.ts';

/** Items read at once; each may be long. */
const ITEMS_AT_ONCE = 20;
const MATCHES_AT_ONCE = 250;
/** Time of work after which an import makes room for others that are due. */
const SLICE_MS = 30_000;
/** Pause after a failure that a repetition may mend; it doubles with each failure of the item. */
const RETRY_MS = 15_000;
const LONGEST_RETRY_MS = 3_600_000;
/** So many failures of one item, over hours, are its own fault and no outage. */
const MOST_FAILURES = 12;
/** Errors that no repetition mends: the calendar or the account is gone. */
const FINAL = new Set(['NotFound', 'CalendarReadOnly', 'InvalidRefreshToken', 'InvalidCredentials', 'Forbidden']);

export interface ImportRun {
  readonly store: ImportStore;
  readonly events: ImportTarget;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Works on an import until it is over, has to wait, or has had its slice of time. Each item is settled by itself, so that a crash
 * costs one at most.
 */
export async function runImport(run: ImportRun, row: ImportRow, lease: HeldLease, signal: AbortSignal): Promise<void> {
  const { store, clock, logger } = run;
  const hold: ImportHold = { ...row, lease };
  let failures = 0;
  const { applicationId, accountId, calendarId } = row;
  const caller: Caller = { applicationId };
  try {
    if (row.state === 'matching') await match(run, hold, { caller, calendarId });
    const { limits, calendar, email } = await run.events.capabilities(caller, accountId, calendarId);
    const place: ImportPlace = {
      caller,
      importId: row.id,
      accountId,
      calendarId,
      limits,
      timeZone: calendar.timeZone,
      isDryRun: row.isDryRun,
    };
    const file = { frameOf: readFrames(row.frame), zone: calendar.timeZone, email };
    for (const startedAt = clock.now(); clock.now() - startedAt < SLICE_MS; ) {
      const items = await store.nextItems(row, ITEMS_AT_ONCE);
      if (items.length === 0) return await store.change(hold, { state: 'finished', finishedAt: clock.now() });
      for (const item of items) {
        if (signal.aborted) return;
        failures = item.failures;
        const outcome = await applyItem(run, hold, place, item, file).catch(async (error: unknown) => {
          if (signal.aborted || isOfAll(error)) throw error;
          await store.failItem(hold, item.uidKey);
          if (item.failures + 1 < MOST_FAILURES) throw error;
          return refused('', 'was refused too often');
        });
        await store.settleItem(hold, item.uidKey, outcome);
      }
    }
    // Behind those that have been due for longer.
    await store.change(hold, { dueInMs: 0 });
  } catch (error) {
    if (signal.aborted) return;
    if (KalendsError.isInstance(error) && FINAL.has(error.code)) {
      logger.warn('an import failed', { importId: row.id, code: error.code });
      await store.change(hold, { state: 'failed', errorCode: error.code, finishedAt: clock.now() });
      return;
    }
    const retryAfterMs = KalendsError.isInstance(error) ? error.retryAfterMs : undefined;
    const backoffMs = Math.min(RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
    // An error that is not the item's may come with one that has failed before: it says itself when to ask again.
    const dueInMs = isOfAll(error) ? (retryAfterMs ?? backoffMs) : Math.max(retryAfterMs ?? 0, backoffMs);
    await store.change(hold, { dueInMs });
    throw error;
  }
}

/** Whether an error says nothing about the event that it came with. A provider may fail at one event whenever it is sent that. */
function isOfAll(error: unknown): boolean {
  if (StorageUnavailableError.isInstance(error) || isKeyringOutage(error)) return true;
  return KalendsError.isInstance(error) && (FINAL.has(error.code) || error.code === 'RateLimited');
}

/** Finds the events of the calendar that have UIDs of the file: one pass over the calendar, whatever the size of the file. */
async function match(
  { store, events }: ImportRun,
  hold: ImportHold,
  { caller, calendarId }: Pick<ImportPlace, 'caller' | 'calendarId'>,
): Promise<void> {
  let found: { readonly uidKey: string; readonly eventId: string }[] = [];
  for await (const { uid, eventId } of events.groups(caller, hold.accountId, calendarId)) {
    found.push({ uidKey: contentHash(uid), eventId });
    if (found.length < MATCHES_AT_ONCE) continue;
    await store.match(hold, found);
    found = [];
  }
  await store.match(hold, found);
  await store.change(hold, { state: 'applying' });
}

interface FileContext {
  readonly frameOf: FrameOf;
  /** Of times without a zone, in a calendar without one. */
  readonly zone: string;
  readonly email: string;
}

async function applyItem(
  { store, events }: ImportRun,
  hold: ImportHold,
  place: ImportPlace,
  item: WaitingItem,
  { frameOf, zone, email }: FileContext,
): Promise<ItemOutcome> {
  if (item.isTooLong) return refused('UID', 'has too many components');
  const groups: IcsGroup[] = [];
  for (const [frame, components] of componentsByFrame(item.components, frameOf)) {
    const text = `BEGIN:VCALENDAR\r\n${frame}${components}END:VCALENDAR\r\n`;
    const options = { self: [email], ...(frame === '' ? { calendarZone: zone } : {}) };
    groups.push(...(await runInTurns(readCalendarsInSteps(text, options))).flatMap((calendar) => calendar.groups));
  }
  const [group] = mergedGroups(groups);
  if (group === undefined) return refused('UID', 'has no event');
  const outcome = await applyGroup(events, place, group, {
    eventId: item.eventId,
    isBegun: item.isBegun,
    begin: () => store.beginItem(hold, item.uidKey),
  });
  if (outcome.state === 'refused') return outcome;
  return { ...outcome, problems: [...outcome.problems, ...leftOutOf(item.components, group)] };
}

function refused(field: string, rule: string): ItemOutcome {
  return { state: 'refused', problems: [{ field, rule }] };
}
