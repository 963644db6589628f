import { type EventPatch, ProviderError } from 'kalends/ports';
import { isInstance, seriesStartOf, shownTimes } from './event-reading.ts';
import { isSamePattern, type SeriesStart, type WrittenRecurrence, writeRecurrence } from './event-recurrence.ts';
import { instantOfWire, type SentTime, writeAllDay, writeTimed } from './event-times.ts';
import { isSameZone, type KeptZone, namedZone, readZone, sentZone, zoneNameOf } from './event-zones.ts';
import type { KeptDetails } from './kept-properties.ts';
import type { WriteContext } from './write-context.ts';

/** Start, end and recurrence of a request, and the properties to record. */
interface WrittenTimes {
  readonly body: Readonly<Record<string, unknown>>;
  readonly details: { readonly [Name in keyof KeptDetails]?: KeptDetails[Name] | undefined };
  readonly excludedDates: readonly string[] | undefined;
  /** Whether Exchange must forget deletions under an unchanged pattern. */
  readonly restoresSlots: boolean;
}

interface Point {
  readonly dateTime: string;
  readonly timeZone: string;
}

/** Returns the changed times and recurrence. @throws ProviderError unsupported or invalid, naming the field */
export function writeTimes(asked: EventPatch, context: WriteContext): WrittenTimes {
  const { before } = context;
  const patch = changesOf(asked, context);
  const isAllDay = patch.isAllDay ?? before?.isAllDay ?? false;
  const points = pointsOf(patch, context, isAllDay);
  const { lines, isChanged, start } = seriesAfter(patch, context, points?.start, isAllDay);
  const isRecurring = lines !== null;
  const sent = points === undefined ? undefined : sendPoints(points, context, isAllDay, isRecurring);
  const recurrence =
    lines === null || !(isChanged || isInOtherZone(sent?.start, before))
      ? undefined
      : writeRecurrence(lines, start, sent?.start.sentAs ?? zoneOnWire(context, start));
  const isCleared = patch.recurrence === null && before?.type === 'seriesMaster';
  return {
    body: {
      ...(sent === undefined ? {} : { start: sent.start.wire, end: sent.end.wire, isAllDay }),
      ...(recurrence === undefined ? {} : { recurrence: recurrence.wire }),
      ...(isCleared ? { recurrence: null } : {}),
    },
    details: {
      ...(points === undefined || sent === undefined
        ? {}
        : zonesOf(points, sent, isAllDay, before !== null && isInstance(before))),
      ...(patch.recurrence === undefined ? {} : { recurrence: patch.recurrence ? [...patch.recurrence] : undefined }),
    },
    excludedDates: recurrence?.excludedDates,
    restoresSlots: recurrence !== undefined && asksForSlots(recurrence, context),
  };
}

/** Returns a patch without unchanged times and lines. */
function changesOf(patch: EventPatch, { before, calendar, series }: WriteContext): EventPatch {
  if (before === null) return patch;
  const { start, end, recurrence, ...rest } = patch;
  const isAllDay = patch.isAllDay ?? before.isAllDay ?? false;
  const shown = shownTimes(before, { calendarZone: calendar.timeZone });
  const isAtTimes =
    isAllDay === (before.isAllDay ?? false) &&
    isSamePoint(start, shown.start, isAllDay) &&
    isSamePoint(end, shown.end, isAllDay);
  const lines = recurrence?.length === 0 ? null : recurrence;
  const isOfLines = lines === null ? before.type !== 'seriesMaster' : isSameLines(lines, series?.recurrence.lines);
  return {
    ...rest,
    ...(isAtTimes ? {} : { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }),
    ...(lines === undefined || isOfLines ? {} : { recurrence: lines }),
  };
}

function isSamePoint(given: Point | undefined, shown: Point, isAllDay: boolean): boolean {
  if (given === undefined) return false;
  if (isAllDay) return given.dateTime.slice(0, 10) === shown.dateTime.slice(0, 10);
  return given.dateTime === shown.dateTime && given.timeZone === shown.timeZone;
}

function isSameLines(given: readonly string[] | undefined, shown: readonly string[] | undefined): boolean {
  return JSON.stringify(given) === JSON.stringify(shown);
}

function pointsOf(
  patch: EventPatch,
  context: WriteContext,
  isAllDay: boolean,
): { readonly start: Point; readonly end: Point } | undefined {
  if (patch.start !== undefined && patch.end !== undefined) return { start: patch.start, end: patch.end };
  if (patch.start !== undefined || patch.end !== undefined) {
    throw new ProviderError('invalid', 'start and end are written together', { field: patch.start ? 'end' : 'start' });
  }
  if (isAllDay !== (context.before?.isAllDay ?? false)) {
    throw new ProviderError('invalid', 'needs start and end beside it', { field: 'isAllDay' });
  }
  return undefined;
}

/** Returns true when an EXDATE is left out, which restores its slot. Exchange forgets deletions only with the pattern. */
function asksForSlots(written: WrittenRecurrence, { before, series }: WriteContext): boolean {
  if (!before?.recurrence || series === undefined || !isSamePattern(written.wire, before.recurrence)) return false;
  return ![...series.recurrence.excludedDates].every((date) => written.excludedDates.includes(date));
}

interface SeriesAfter {
  /** Null when the event is not recurring afterwards. */
  readonly lines: readonly string[] | null;
  readonly isChanged: boolean;
  readonly start: SeriesStart;
}

const NO_START: SeriesStart = { dtstart: '', timeZone: null };

function seriesAfter(
  patch: EventPatch,
  context: WriteContext,
  start: Point | undefined,
  isAllDay: boolean,
): SeriesAfter {
  const current = context.series;
  const lines = patch.recurrence === undefined ? (current?.recurrence.lines ?? null) : patch.recurrence;
  if (lines === null || lines.length === 0) return { lines: null, isChanged: false, start: NO_START };
  const next = start === undefined ? (current?.start ?? startOfSingle(context)) : seriesStart(start, isAllDay);
  if (patch.recurrence !== undefined) return { lines, isChanged: true, start: next };
  // A range has to begin on the date of the event's start, so a new date or zone is a new range.
  const isMoved =
    next.dtstart.slice(0, 10) !== current?.start.dtstart.slice(0, 10) || next.timeZone !== current?.start.timeZone;
  return { lines, isChanged: isMoved, start: next };
}

/** Whether a start is written in another zone than its series has: Graph refuses that unless the recurrence goes along. */
function isInOtherZone(start: SentTime | undefined, before: WriteContext['before']): boolean {
  if (start === undefined || !before?.recurrence) return false;
  return !isSameZone(before.recurrence.range.recurrenceTimeZone || before.originalStartTimeZone, start.sentAs);
}

function seriesStart(start: Point, isAllDay: boolean): SeriesStart {
  return isAllDay
    ? { dtstart: start.dateTime.slice(0, 10), timeZone: null }
    : { dtstart: start.dateTime.slice(0, 19), timeZone: readZone(start.timeZone) ?? start.timeZone };
}

/** Returns the start of a single event that becomes a series without being moved. */
function startOfSingle(context: WriteContext): SeriesStart {
  if (context.before === null) throw new ProviderError('invalid', 'is needed for a new event', { field: 'start' });
  return seriesStartOf(context.before, { calendarZone: context.calendar.timeZone });
}

function sendPoints(
  points: { readonly start: Point; readonly end: Point },
  context: WriteContext,
  isAllDay: boolean,
  isRecurring: boolean,
): { readonly start: SentTime; readonly end: SentTime } {
  const { before, calendar, naming } = context;
  if (isAllDay) {
    const own = isRecurring && before?.isAllDay ? zoneNameOf(before) : undefined;
    const zone = readZone(own) ?? calendar.timeZone;
    return {
      start: writeAllDay(points.start, zone, 'start', naming),
      end: writeAllDay(points.end, zone, 'end', naming),
    };
  }
  const start = writeTimed(points.start, 'start', naming);
  const end = writeTimed(points.end, 'end', naming);
  if (!isRecurring || start.sentAs !== 'UTC' || points.start.timeZone === 'UTC') return { start, end };
  // The first slot of a series is the first of two equal wall times in its zone.
  const zone = sentZone(points.start.timeZone, naming);
  if (zone === undefined) {
    throw new ProviderError('unsupported', `Graph has no series in the zone "${points.start.timeZone}"`, {
      field: 'start',
    });
  }
  return { start: { wire: { dateTime: points.start.dateTime.slice(0, 19), timeZone: zone }, sentAs: zone }, end };
}

function zonesOf(
  points: { readonly start: Point; readonly end: Point },
  sent: { readonly start: SentTime; readonly end: SentTime },
  isAllDay: boolean,
  isOfSeries: boolean,
): Pick<WrittenTimes['details'], 'startZone' | 'endZone'> {
  if (isAllDay) return { startZone: undefined, endZone: undefined };
  const zoneOf = (field: 'start' | 'end'): KeptZone => {
    const { wire, sentAs } = sent[field];
    const kept = { name: points[field].timeZone, sentAs };
    return isOfSeries ? { ...kept, at: instantOfWire(wire, 'UTC') } : kept;
  };
  return { startZone: zoneOf('start'), endZone: zoneOf('end') };
}

/** Returns the zone name of a recurrence whose start is not written; undefined where the event's has no known rules. */
function zoneOnWire(context: WriteContext, start: SeriesStart): string | undefined {
  const { before, calendar, naming } = context;
  const given = before?.recurrence?.range.recurrenceTimeZone || before?.originalStartTimeZone;
  if (given) return namedZone(given);
  return sentZone(start.timeZone ?? calendar.timeZone, naming) ?? 'UTC';
}
