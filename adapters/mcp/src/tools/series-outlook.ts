import { KalendsError } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import {
  compileSeries,
  type Occurrence,
  occurrenceEnd,
  RecurrenceError,
  type SeriesDefinition,
  seriesLength,
  splitSeries,
} from 'kalends/recurrence';
import { checkInputRecurrence } from 'kalends/recurrence/input';
import { counterpart, shiftedStart, shiftSeries } from 'kalends/recurrence/moves';
import { formatDate, formatInstant, formatWall, instantOfText } from 'kalends/zones';
import { recurrenceWords } from '../words/recurrence-words.ts';
import { clockWords, dayWords, pointWords, wallOf } from '../words/time-words.ts';
import { slotMs } from './edited-event.ts';

/** Start and rule of a series. */
export interface SeriesPlan {
  readonly isAllDay: boolean;
  /** Start of the first occurrence, as if in UTC. */
  readonly startMs: number;
  readonly timeZone: string;
  readonly lines: readonly string[];
}

const DATES = 4;

/** Returns the words of a series: its rule and its first dates. @throws KalendsError for lines that make no series */
export function seriesWords(plan: SeriesPlan): readonly string[] {
  const { isAllDay, startMs, timeZone, lines } = plan;
  const series = readable(() => compileSeries(planned(plan)));
  const slots = series.occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: DATES });
  const dates = slots.map((slot) =>
    isAllDay ? dayWords(slot.startMs) : pointWords(formatInstant(timeZone, slot.startMs), timeZone),
  );
  return [
    `  repeats: ${recurrenceWords(lines)}, ${isAllDay ? 'all day' : `at ${clockWords(startMs)} (${timeZone})`}`,
    '  first dates:',
    ...dates.map((date) => `    ${date}`),
    ...(dates.length < DATES ? ['    and no more'] : []),
  ];
}

/** Returns a series with a rule that a caller gives. @throws KalendsError for one that the engine does not take with that start */
export function givenSeries(plan: SeriesPlan): SeriesPlan {
  const { startMs, isAllDay, timeZone, lines } = plan;
  const dtstart = textOf(startMs, isAllDay);
  return { ...plan, lines: readable(() => checkInputRecurrence({ dtstart, timeZone, lines: [...lines] })) };
}

/**
 * Returns the series that a change makes of an old one: with `all` the whole of it, with `following` what begins at the occurrence.
 * `startMs` is the new start of the occurrence, or of the series where no occurrence is given; undefined leaves it where its series has
 * it, which is not where the clocks show it if they skip that time.
 * @throws KalendsError as the write of it does, naming `start` where the rule does not move along with it
 */
export function changedSeries(
  series: CalendarEvent,
  occurrence: CalendarEvent | undefined,
  change: {
    readonly scope: 'following' | 'all';
    readonly startMs: number | undefined;
    readonly isAllDay: boolean;
    readonly timeZone: string;
    readonly lines: readonly string[] | undefined;
  },
): SeriesPlan {
  const { scope, isAllDay, timeZone, lines } = change;
  const whole = definitionOf(series);
  const slot = occurrence === undefined ? undefined : slotOf(whole, occurrence);
  const startMs = change.startMs ?? slot?.wallMs ?? wallOf(series.start);
  if (scope === 'all' || slot === undefined) {
    const newStart = slot === undefined ? startMs : readable(() => shiftedStart(whole, slot.wallMs, startMs));
    const plan = { isAllDay, startMs: newStart, timeZone };
    if (lines !== undefined) return givenSeries({ ...plan, lines });
    const moved = movedSeries(whole, plan);
    if (newStart !== startMs) requireSlot(moved, startMs);
    return moved;
  }
  const plan = { isAllDay, startMs, timeZone };
  if (lines !== undefined) return givenSeries({ ...plan, lines });
  return movedSeries(
    readable(() => ({ ...whole, ...splitSeries(whole, slot).after })),
    plan,
  );
}

/** Returns whether the rule of a series produces its start, as far as it can be checked: providers may send any. */
export function producesStart(plan: SeriesPlan): boolean {
  return startFailure(planned(plan)) === undefined;
}

/** Moves a series with its rule. One that lacked its start as its provider sent it may lack the new one. @throws KalendsError */
function movedSeries(from: SeriesDefinition, to: Omit<SeriesPlan, 'lines'>): SeriesPlan {
  const { dtstart, timeZone } = planned({ ...to, lines: [] });
  const plan = { ...to, lines: readable(() => shiftSeries(from, { dtstart, timeZone })) };
  if ((from.timeZone === null) !== plan.isAllDay) return givenSeries(plan);
  readable(() => {
    const failure = startFailure(planned(plan));
    if (failure !== undefined && startFailure(from) === undefined) throw failure;
  });
  return plan;
}

/** Checks that a series which moves by one of its occurrences has it where it is to be. @throws KalendsError */
function requireSlot(moved: SeriesPlan, startMs: number): void {
  if (readable(() => compileSeries(planned(moved)).keyOf(startMs)) !== undefined) return;
  const date = formatDate(startMs);
  throw refusal(
    `the series cannot move so that it has an occurrence on ${date}: send recurrence too, with the id of the series`,
    'start',
  );
}

function startFailure(definition: SeriesDefinition): RecurrenceError | undefined {
  try {
    checkInputRecurrence(definition);
    return undefined;
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return error.part === 'dtstart' ? error : undefined;
  }
}

/**
 * Returns how to find the day of an occurrence that was changed alone, as if in UTC, in the series that a change makes of its own;
 * undefined where it is gone. `occurrence` is the first of the new series where the change keeps earlier ones.
 */
export function daysAfter(
  series: CalendarEvent,
  occurrence: CalendarEvent | undefined,
  after: SeriesPlan,
): (changed: CalendarEvent) => number | undefined {
  const whole = definitionOf(series);
  const from = readable(() => compileSeries(whole));
  const to = readable(() => compileSeries(planned(after)));
  const wallMs = occurrence === undefined ? from.dtstartMs : slotOf(whole, occurrence).wallMs;
  return (changed) => {
    const slot = from.slotNamed(slotMs(changed));
    if (slot === undefined) return undefined;
    const next = readable(() => counterpart(to, slot, { wallMs, timeZone: from.timeZone }));
    if (next === undefined) return undefined;
    // An occurrence with times of its own stays where it was moved.
    return isMoved(changed, contentAt(series, slot)) ? wallOf(changed.start) : next.wallMs;
  };
}

function isMoved(event: CalendarEvent, { isAllDay, start, end }: CalendarEvent): boolean {
  const instant = (point: CalendarEvent['start']) => instantOfText(point.dateTime, isAllDay ? 'UTC' : point.timeZone);
  return event.isAllDay !== isAllDay || instant(event.start) !== instant(start) || instant(event.end) !== instant(end);
}

/** Returns an occurrence as its series has it, without what was changed of it alone. @throws KalendsError for unreadable lines */
export function asInSeries(series: CalendarEvent, occurrence: CalendarEvent): CalendarEvent {
  return contentAt(series, slotOf(definitionOf(series), occurrence));
}

function contentAt(series: CalendarEvent, slot: Occurrence): CalendarEvent {
  const { isAllDay, start, end } = series;
  if (isAllDay) {
    const point = (wallMs: number) => ({ ...start, dateTime: formatWall(wallMs) });
    return { ...series, start: point(slot.wallMs), end: point(slot.wallMs + wallOf(end) - wallOf(start)) };
  }
  const lengthMs = seriesLength(start.timeZone, series);
  const point = (ms: number, timeZone: string) => ({ dateTime: formatInstant(timeZone, ms), timeZone });
  return {
    ...series,
    start: point(slot.startMs, start.timeZone),
    end: point(occurrenceEnd(start.timeZone, slot.startMs, lengthMs), end.timeZone),
  };
}

function definitionOf({ isAllDay, start, recurrence }: CalendarEvent): SeriesDefinition {
  return {
    dtstart: textOf(wallOf(start), isAllDay),
    timeZone: isAllDay ? null : start.timeZone,
    lines: [...(recurrence ?? [])],
  };
}

function planned({ isAllDay, startMs, timeZone, lines }: SeriesPlan): SeriesDefinition {
  return { dtstart: textOf(startMs, isAllDay), timeZone: isAllDay ? null : timeZone, lines: [...lines] };
}

function textOf(wallMs: number, isAllDay: boolean): string {
  return isAllDay ? formatDate(wallMs) : formatWall(wallMs);
}

/** Returns the slot of an occurrence by the rule of its series. */
function slotOf(definition: SeriesDefinition, occurrence: CalendarEvent): Occurrence {
  const slot = readable(() => compileSeries(definition).slotAt(slotMs(occurrence)));
  if (slot === undefined) throw refusal('the occurrence is not one of its series');
  return slot;
}

function readable<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    // Callers know it by another name.
    if (error.part === 'dtstart') throw refusal(error.message.slice('dtstart: '.length), 'start');
    throw refusal(error.message);
  }
}

function refusal(message: string, path = 'recurrence'): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
