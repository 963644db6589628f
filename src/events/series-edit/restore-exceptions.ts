import { isRefusal } from '../../intents/index.ts';
import { canonicalJson } from '../../mirror/index.ts';
import {
  type EventContent,
  type EventPatch,
  type Logger,
  type RecurrenceId,
  shownContent,
  type Untold,
} from '../../ports/index.ts';
import { type CarriedException, isStub } from './carried-exceptions.ts';
import { contentDifference, isSameTime, untoldDifference } from './content-difference.ts';
import type { SeriesCalls } from './series-calls.ts';
import { exceptionFinder, type SeriesSnapshot, type SlotTable, slotTable } from './series-snapshot.ts';

export interface ExceptionsToRestore {
  readonly wanted: readonly CarriedException[];
  /** The pre-image: a modified occurrence that it knows and whose slot the series has lost is taken away. */
  readonly before: SeriesSnapshot | undefined;
  /** The series may have been written to since the edit began, so that present exceptions stay as they are. */
  readonly isResumed: boolean;
  readonly logger: Logger;
}

/**
 * Makes occurrences of a series what they are to be, as far as they are not: safe to repeat. Resolves with the series
 * afterwards; undefined when it is gone. An exception that the provider refuses is left out and logged.
 */
export async function restoreExceptions(
  calls: SeriesCalls,
  series: SeriesSnapshot,
  options: ExceptionsToRestore,
): Promise<SeriesSnapshot | undefined> {
  const { wanted, before, logger } = options;
  const look = createLook(calls.calendarZone);
  let now: SeriesSnapshot | undefined = series;
  for (const exception of wanted) {
    if (now === undefined) return undefined;
    now = await unlessRefused(now, logger, (present) => restoreOne(calls, present, exception, options, look));
  }
  for (const exception of before?.exceptions ?? []) {
    if (now === undefined) return undefined;
    const slot = exception.recurrenceId;
    const { table, find } = look(now);
    const left = find(slot);
    if (left === undefined || isStub(left) || table.has(slot)) continue;
    now = await unlessRefused(now, logger, (present) => calls.cancelSlot(present, slot));
  }
  return now;
}

interface Look {
  readonly table: SlotTable;
  readonly find: ReturnType<typeof exceptionFinder>;
}

/** Memoised: rebuilding per exception is O(n²) and blocks the event loop. */
function createLook(calendarZone: string): (series: SeriesSnapshot) => Look {
  let of: SeriesSnapshot | undefined;
  let last: Look | undefined;
  return (series) => {
    if (last === undefined || of !== series) {
      const table = slotTable(series.master.content, calendarZone);
      last = { table, find: exceptionFinder(series, table) };
    }
    of = series;
    return last;
  };
}

async function unlessRefused(
  now: SeriesSnapshot,
  logger: Logger,
  write: (now: SeriesSnapshot) => Promise<SeriesSnapshot | undefined>,
): Promise<SeriesSnapshot | undefined> {
  try {
    return await write(now);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    logger.warn('an exception of a series could not be carried over', {
      seriesId: now.master.providerEventId,
      reason: error.reason,
    });
    return now;
  }
}

async function restoreOne(
  calls: SeriesCalls,
  now: SeriesSnapshot,
  { slot, isCancelled, patch, untold }: CarriedException,
  { before, isResumed }: ExceptionsToRestore,
  look: (series: SeriesSnapshot) => Look,
): Promise<SeriesSnapshot | undefined> {
  const { table, find } = look(now);
  const present = find(slot);
  if (present !== undefined && isResumed && !isStub(present)) return now;
  if (isCancelled) return present !== undefined && isStub(present) ? now : calls.cancelSlot(now, slot);
  if (present !== undefined && isStub(present)) {
    const known = before === undefined ? undefined : exceptionFinder(before, table)(slot);
    const isOld = known !== undefined && isStub(known);
    return isResumed && !isOld ? now : reviveSlot(calls, now, slot, patch, untold);
  }
  const shown = present === undefined ? null : shownContent(present, now.master.content);
  const missing = unsaid(shown ?? table.contentAt(table.slotOf(slot)), patch, calls.withAnswers);
  const has = (present ?? now.master).untold;
  const isUntold = untold !== undefined && untoldDifference({ ...has, ...untold }, has) !== undefined;
  if (Object.keys(missing).length === 0 && !isUntold) return now;
  return calls.updateSlot(now, slot, missing, untold);
}

/**
 * Brings a cancelled occurrence back as its series has it, with a patch over that: a provider may bring back what it said
 * before it was cancelled. Resolves with the series afterwards.
 */
export async function reviveSlot(
  calls: SeriesCalls,
  series: SeriesSnapshot,
  slot: RecurrenceId,
  patch: EventPatch,
  untold?: Untold,
): Promise<SeriesSnapshot | undefined> {
  const now = await calls.updateSlot(series, slot, { ...patch, isCancelled: false }, untold);
  if (now === undefined) return undefined;
  const table = slotTable(now.master.content, calls.calendarZone);
  const exception = exceptionFinder(now, table)(slot);
  const shown = exception === undefined ? null : shownContent(exception, now.master.content);
  if (shown === null) return now;
  const wanted = table.contentAt(table.slotOf(slot));
  const { start, end, isAllDay } = wanted;
  const times = isSameTime(wanted, shown) ? {} : { start, end, isAllDay };
  const whole = { ...contentDifference(wanted, shown, calls), ...times, ...patch };
  const missing = unsaid(shown, whole, calls.withAnswers);
  return Object.keys(missing).length === 0 ? now : await calls.updateSlot(now, slot, missing);
}

/** The part of a patch that an event does not say yet. */
function unsaid(content: EventContent, patch: EventPatch, withAnswers: boolean): EventPatch {
  const entries = Object.entries(patch).filter(([field, value]) => !isSaid(content, field, value, patch, withAnswers));
  return Object.fromEntries(entries);
}

function isSaid(
  content: EventContent,
  field: string,
  value: unknown,
  patch: EventPatch,
  withAnswers: boolean,
): boolean {
  const own = (content as Readonly<Record<string, unknown>>)[field];
  switch (field) {
    case 'start':
    case 'end':
    case 'isAllDay': {
      const { start = content.start, end = content.end, isAllDay = content.isAllDay } = patch;
      return isSameTime(content, { ...content, start, end, isAllDay });
    }
    case 'publicExtendedProperties':
    case 'privateExtendedProperties': {
      const properties = own as Readonly<Record<string, string>>;
      return Object.entries(value as object).every(([key, wanted]) => (properties[key] ?? null) === wanted);
    }
    case 'attendees': {
      const guests = (patch.attendees ?? []).map(({ email, name, responseStatus, kind }) => ({
        id: '',
        email,
        name: name ?? '',
        responseStatus: responseStatus ?? 'needsAction',
        kind: kind ?? 'required',
      }));
      return contentDifference({ ...content, attendees: guests }, content, { withAnswers }).attendees === undefined;
    }
    case 'conferenceData':
      // Providers add to a link that they are given.
      return content.conferenceData?.joinUrl === patch.conferenceData?.joinUrl;
    default:
      return canonicalJson(own ?? null) === canonicalJson(value ?? null);
  }
}
