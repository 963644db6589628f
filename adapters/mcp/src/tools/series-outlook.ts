import { KalendsError } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import {
  compileSeries,
  type Occurrence,
  RecurrenceError,
  type SeriesDefinition,
  shiftedStart,
  shiftSeries,
  splitSeries,
} from 'kalends/recurrence';
import { formatDate, formatInstant, formatWall } from 'kalends/zones';
import { recurrenceWords } from '../words/recurrence-words.ts';
import { clockWords, dayWords, pointWords, wallOf } from '../words/time-words.ts';

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
export function seriesWords({ isAllDay, startMs, timeZone, lines }: SeriesPlan): readonly string[] {
  const series = readable(() =>
    compileSeries({
      dtstart: isAllDay ? formatDate(startMs) : formatWall(startMs),
      timeZone: isAllDay ? null : timeZone,
      lines: [...lines],
    }),
  );
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

/**
 * Returns the series that a change makes of an old one: with `all` the whole of it, with `following` what begins at the occurrence.
 * `startMs` is the new start of the occurrence, or of the series where no occurrence is given.
 */
export function changedSeries(
  series: CalendarEvent,
  occurrence: CalendarEvent | undefined,
  change: {
    readonly scope: 'following' | 'all';
    readonly startMs: number;
    readonly isAllDay: boolean;
    readonly timeZone: string;
    readonly lines: readonly string[] | undefined;
  },
): SeriesPlan {
  const { scope, startMs, isAllDay, timeZone, lines } = change;
  const zone = series.isAllDay ? null : series.start.timeZone;
  const target = isAllDay ? null : timeZone;
  const text = (wallMs: number, isDay: boolean) => (isDay ? formatDate(wallMs) : formatWall(wallMs));
  const whole = {
    dtstart: text(wallOf(series.start), series.isAllDay),
    timeZone: zone,
    lines: [...(series.recurrence ?? [])],
  };
  const slot = occurrence === undefined ? undefined : slotOf(whole, occurrence);
  if (scope === 'all' || slot === undefined) {
    const newStart = slot === undefined ? startMs : readable(() => shiftedStart(whole, slot.wallMs, startMs));
    const to = { dtstart: text(newStart, isAllDay), timeZone: target };
    return { isAllDay, startMs: newStart, timeZone, lines: lines ?? readable(() => shiftSeries(whole, to)) };
  }
  if (lines !== undefined) return { isAllDay, startMs, timeZone, lines };
  const shifted = readable(() => {
    const { after } = splitSeries(whole, slot);
    return shiftSeries({ ...whole, ...after }, { dtstart: text(startMs, isAllDay), timeZone: target });
  });
  return { isAllDay, startMs, timeZone, lines: shifted };
}

/** Returns the slot of an occurrence by the rule of its series. */
function slotOf(definition: SeriesDefinition, { originalStart, start }: CalendarEvent): Occurrence {
  const original = originalStart ?? start;
  const at = 'date' in original ? `${original.date}T00:00:00Z` : original.dateTime;
  const slot = readable(() => compileSeries(definition).slotAt(new Date(at).getTime()));
  if (slot === undefined) throw refusal('the occurrence is not one of its series');
  return slot;
}

function readable<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof RecurrenceError) throw refusal(error.message);
    throw error;
  }
}

function refusal(message: string): KalendsError {
  return new KalendsError('InvalidRequest', `recurrence: ${message}`, { details: [{ path: 'recurrence', message }] });
}
