import { occurrenceEnd, wallLength } from 'kalends/recurrence';
import type { EventFields, SeriesState, StoredEvent, StoredException, StoredTime } from '../state.ts';
import { DAY_MS, dayOf, formatDay, instantIn, instantOfTime, parseDay, wallIn, zoneOf } from '../times.ts';
import { slotDays, widestGapDays } from './recurrence-pattern.ts';

/** One slot of a series with the changes of its exception, if any. */
export interface Occurrence {
  readonly master: StoredEvent;
  /** Date of the original slot in the recurrence's zone. */
  readonly date: string;
  readonly fields: EventFields;
  readonly exception: StoredException | null;
  readonly originalStartAt: number;
}

/** The range of an event; all-day events float, and are matched as UTC days. */
interface Span {
  readonly startAt: number;
  readonly endAt: number;
}

export function spanOf(fields: Pick<EventFields, 'start' | 'end' | 'isAllDay'>): Span {
  if (fields.isAllDay) return { startAt: fields.start.wallMs, endAt: fields.end.wallMs };
  return { startAt: instantOfTime(fields.start), endAt: instantOfTime(fields.end) };
}

/** Tells whether a span meets [from, to); an empty span does when it begins inside. */
export function meets(span: Span, from: number, to: number): boolean {
  if (span.startAt === span.endAt) return span.startAt >= from && span.startAt < to;
  return span.startAt < to && span.endAt > from;
}

/** Returns the series of a master. @throws TypeError for a single event: a mistake in this program */
export function seriesOf(master: StoredEvent): SeriesState {
  if (master.series === null) throw new TypeError('the event is not a series master');
  return master.series;
}

interface SlotClock {
  readonly timeZone: string;
  /**
   * Wall time of the start from midnight of the slot's day, and the length by the clocks; Exchange keeps them as minutes
   * (MS-OXOCAL). Of a master that starts within a gap of its zone they are those of the time that it is shown at.
   */
  readonly startOffsetMs: number;
  readonly lengthMs: number;
}

function slotClockOf(master: StoredEvent): SlotClock {
  const { start, end, isAllDay } = master.fields;
  const timeZone = isAllDay ? start.timeZone : seriesOf(master).recurrence.range.recurrenceTimeZone;
  const wallOf = (time: StoredTime): number => (isAllDay ? time.wallMs : wallIn(timeZone, instantOfTime(time)));
  const startWall = wallOf(start);
  const lengthMs = isAllDay
    ? end.wallMs - start.wallMs
    : wallLength(zoneOf(timeZone), instantOfTime(start), instantOfTime(end));
  return { timeZone, startOffsetMs: startWall - dayOf(startWall) * DAY_MS, lengthMs };
}

function slotTimes(
  { timeZone, startOffsetMs, lengthMs }: SlotClock,
  day: number,
  isAllDay: boolean,
): { start: StoredTime; end: StoredTime } {
  const start = { wallMs: day * DAY_MS + startOffsetMs, timeZone };
  if (isAllDay) return { start, end: { wallMs: start.wallMs + lengthMs, timeZone } };
  const endMs = occurrenceEnd(zoneOf(timeZone), instantOfTime(start), lengthMs);
  return { start, end: { wallMs: wallIn(timeZone, endMs), timeZone } };
}

function occurrenceAt(master: StoredEvent, clock: SlotClock, day: number): Occurrence {
  const date = formatDay(day);
  const exception = seriesOf(master).exceptions[date] ?? null;
  const slot = slotTimes(clock, day, master.fields.isAllDay);
  const inherited: EventFields = { ...master.fields, ...slot };
  const fields: EventFields = exception
    ? {
        ...inherited,
        ...exception.fields,
        extendedProperties: { ...inherited.extendedProperties, ...exception.fields.extendedProperties },
      }
    : inherited;
  // The floating midnight of an all-day slot is told as an instant here, in the zone the event was made in.
  const originalStartAt = instantIn(clock.timeZone, slot.start.wallMs);
  return { master, date, fields, exception, originalStartAt };
}

/** Returns the existing slots that meet [from, to) at their current times, in order of their original dates. */
export function occurrencesIn(master: StoredEvent, from: number, to: number): Occurrence[] {
  const series = seriesOf(master);
  const clock = slotClockOf(master);
  const reach = Math.ceil(clock.lengthMs / DAY_MS) + 2;
  const days = new Set(slotDays(series.recurrence, dayOf(from) - reach, dayOf(to) + 3));
  for (const date of Object.keys(series.exceptions)) days.add(parseDay(date)!);
  return [...days]
    .sort((a, b) => a - b)
    .filter((day) => !series.cancelled[formatDay(day)])
    .map((day) => occurrenceAt(master, clock, day))
    .filter((occurrence) => meets(spanOf(occurrence.fields), from, to));
}

/** Returns the slot of a date; undefined when the recurrence has none there or it was deleted. */
export function findOccurrence(master: StoredEvent, date: string): Occurrence | undefined {
  const series = seriesOf(master);
  const day = parseDay(date);
  if (day === undefined || series.cancelled[date]) return undefined;
  if (slotDays(series.recurrence, day, day + 1).length === 0) return undefined;
  return occurrenceAt(master, slotClockOf(master), day);
}

/** Returns the exceptions of existing slots, in order of their original dates. */
export function exceptionsOf(master: StoredEvent): Occurrence[] {
  return Object.keys(seriesOf(master).exceptions)
    .sort()
    .flatMap((date) => findOccurrence(master, date) ?? []);
}

/** Returns the existing slots next to a date, at their current times. */
export function neighboursOf(master: StoredEvent, date: string): { before?: Occurrence; after?: Occurrence } {
  const series = seriesOf(master);
  const clock = slotClockOf(master);
  const day = parseDay(date)!;
  const reach = widestGapDays(series.recurrence.pattern) * (2 + Object.keys(series.cancelled).length);
  const days = slotDays(series.recurrence, day - reach, day + reach).filter((d) => !series.cancelled[formatDay(d)]);
  const before = days.filter((d) => d < day).at(-1);
  const after = days.find((d) => d > day);
  return {
    ...(before === undefined ? {} : { before: occurrenceAt(master, clock, before) }),
    ...(after === undefined ? {} : { after: occurrenceAt(master, clock, after) }),
  };
}

/** Returns the current day of an occurrence, in the zone of its series. */
export function dayOfOccurrence(occurrence: Occurrence): number {
  const { start, isAllDay } = occurrence.fields;
  if (isAllDay) return dayOf(start.wallMs);
  return dayOf(wallIn(seriesOf(occurrence.master).recurrence.range.recurrenceTimeZone, instantOfTime(start)));
}
