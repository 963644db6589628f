import { resolveZone } from 'kalends/zones';
import { GraphError, propertyFailure } from '../api/graph-error.ts';
import type { EventBody } from '../events/event-body.ts';
import type { EventFields, MicrosoftSettings, SeriesState, StoredEvent } from '../state.ts';
import { DAY_MS, dayOf, formatDay, instantOfTime, parseDay, wallIn, windowsNameOf, zoneOf } from '../times.ts';
import type { PatternedRecurrence } from './patterned-recurrence.ts';
import { normaliseRecurrence, slotDays, startedAtFirstSlot } from './recurrence-pattern.ts';
import { dayOfOccurrence, neighboursOf, type Occurrence } from './series.ts';

/** Fields and series of an event after a write. */
interface SeriesPlan {
  readonly fields: EventFields;
  readonly series: SeriesState | null;
}

function startDateOf(fields: EventFields, recurrence: PatternedRecurrence): string {
  const { recurrenceTimeZone } = recurrence.range;
  const { start, isAllDay } = fields;
  const isOwn = isAllDay || start.timeZone === recurrenceTimeZone;
  return formatDay(dayOf(isOwn ? start.wallMs : wallIn(recurrenceTimeZone, instantOfTime(start))));
}

function shifted(fields: EventFields, days: number): EventFields {
  const move = (time: EventFields['start']): EventFields['start'] => ({ ...time, wallMs: time.wallMs + days * DAY_MS });
  return days === 0 ? fields : { ...fields, start: move(fields.start), end: move(fields.end) };
}

/** Begins the series at its first slot, where the pattern skips the start date. */
function anchored(fields: EventFields, recurrence: PatternedRecurrence): [EventFields, PatternedRecurrence] {
  const { startDate, recurrenceTimeZone } = recurrence.range;
  zoneOf(recurrenceTimeZone);
  if (startDateOf(fields, recurrence) !== startDate) {
    throw propertyFailure('Recurrence/Range/StartDate must equal the date of the event start.');
  }
  const anchoredAt = startedAtFirstSlot(recurrence);
  if (!anchoredAt) {
    throw new GraphError(400, 'ErrorRecurrenceHasNoOccurrence', 'The recurrence has no occurrences in its range.');
  }
  const days = parseDay(anchoredAt.range.startDate)! - parseDay(startDate)!;
  return [shifted(fields, days), anchoredAt];
}

const timesOf = ({ start, end, isAllDay }: EventFields): string => JSON.stringify([start, end, isAllDay]);

function isSamePattern(left: PatternedRecurrence, right: PatternedRecurrence): boolean {
  const rule = ({ pattern, range }: PatternedRecurrence): string =>
    JSON.stringify([pattern, range.startDate, range.recurrenceTimeZone]);
  return rule(left) === rule(right);
}

function withinRange<T>(byDate: Readonly<Record<string, T>>, recurrence: PatternedRecurrence): Record<string, T> {
  const isSlot = (date: string): boolean => {
    const day = parseDay(date)!;
    return slotDays(recurrence, day, day + 1).length > 0;
  };
  return Object.fromEntries(Object.entries(byDate).filter(([date]) => isSlot(date)));
}

function seriesAfter(
  settings: MicrosoftSettings,
  current: SeriesState | null,
  recurrence: PatternedRecurrence,
  isMoved: boolean,
): SeriesState {
  const { recurrenceTimeZone } = recurrence.range;
  const zoneLabel = settings.zoneNaming === 'windows' ? windowsNameOf(zoneOf(recurrenceTimeZone)) : null;
  if (current && !isMoved && isSamePattern(current.recurrence, recurrence)) {
    const isRangeChanged = JSON.stringify(current.recurrence.range) !== JSON.stringify(recurrence.range);
    const isReset = isRangeChanged && settings.dropExceptionsOnRangeChange;
    return {
      ...current,
      recurrence,
      exceptions: isReset ? {} : withinRange(current.exceptions, recurrence),
      cancelled: isReset ? {} : withinRange(current.cancelled, recurrence),
    };
  }
  return { recurrence, generation: (current?.generation ?? 0) + 1, exceptions: {}, cancelled: {}, zoneLabel };
}

/** @throws GraphError 400 for a start in another zone without the recurrence beside it */
function checkZone({ zoneLabel, recurrence }: SeriesState, { timeZone }: EventFields['start']): void {
  const label = zoneLabel ?? recurrence.range.recurrenceTimeZone;
  if (label === timeZone || resolveZone(label) === zoneOf(timeZone)) return;
  throw propertyFailure('At least one property failed validation. Properties: Recurrence/Range/RecurrenceTimeZone');
}

/**
 * Plans the series after a write to an event or master. A change of pattern or time drops the exceptions and gives
 * every occurrence a new id; a change of the range's end keeps the exceptions that are still inside.
 * @throws GraphError 400 for a recurrence that Graph would refuse
 */
export function planSeries(
  settings: MicrosoftSettings,
  event: StoredEvent | null,
  fields: EventFields,
  written: EventBody['recurrence'],
): SeriesPlan {
  const current = event?.series ?? null;
  if (written === null || (written === undefined && !current)) return { fields, series: null };
  if (written === undefined && current && fields.start !== event?.fields.start) checkZone(current, fields.start);
  const asked = written ? normaliseRecurrence(written, fields.start.timeZone) : current!.recurrence;
  const [anchoredFields, recurrence] = anchored(fields, asked);
  const isMoved = event !== null && timesOf(event.fields) !== timesOf(anchoredFields);
  return { fields: anchoredFields, series: seriesAfter(settings, current, recurrence, isMoved) };
}

/**
 * Refuses to move an occurrence to or past the day of a neighbour.
 * @throws GraphError 400 ErrorOccurrenceCrossingBoundary
 */
export function checkBoundary(occurrence: Occurrence, fields: EventFields): void {
  const { before, after } = neighboursOf(occurrence.master, occurrence.date);
  const day = dayOfOccurrence({ ...occurrence, fields });
  if ((before && dayOfOccurrence(before) >= day) || (after && dayOfOccurrence(after) <= day)) {
    throw new GraphError(
      400,
      'ErrorOccurrenceCrossingBoundary',
      'Modified occurrence is crossing or overlapping adjacent occurrence.',
    );
  }
}
