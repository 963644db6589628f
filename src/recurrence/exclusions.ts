import { DAY_MS } from '../zones/index.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { createDatesByDay } from './dates-by-day.ts';
import type { Occurrence } from './occurrence.ts';
import { indexFrom } from './occurrence-readers.ts';
import { RecurrenceLimit } from './recurrence-error.ts';
import type { RecurrenceDate } from './recurrence-rule.ts';
import type { SeriesContext } from './series-context.ts';

/** Whether EXDATE removes an occurrence. */
export type DateExclusion = (occurrence: Occurrence) => boolean;

/** Creates the test for EXDATE; it resolves only dates near the tested occurrence, on demand. */
export function dateExclusion(context: SeriesContext, dates: readonly RecurrenceDate[]): DateExclusion | undefined {
  if (dates.length === 0) return undefined;
  let removes: DateExclusion | undefined;
  return (occurrence) => {
    removes ??= compileExclusion(context, dates);
    return removes(occurrence);
  };
}

function compileExclusion(context: SeriesContext, dates: readonly RecurrenceDate[]): DateExclusion {
  const isWholeDay = ({ time }: RecurrenceDate) => time.form === 'date' && !context.isAllDay;
  const days = new Set(dates.filter(isWholeDay).map(({ time }) => Math.floor(time.wallMs / DAY_MS)));
  const starts = createDatesByDay(context, days.size === 0 ? dates : dates.filter((date) => !isWholeDay(date)));
  return ({ startMs, wallMs }) =>
    hasStart(starts.startingOn(Math.floor(startMs / DAY_MS)), startMs) || days.has(Math.floor(wallMs / DAY_MS));
}

function hasStart(sorted: readonly Occurrence[], startMs: number): boolean {
  return sorted[indexFrom(sorted, startMs)]?.startMs === startMs;
}

/** Budget of one call for removed occurrences: about a tenth of a second, or six days of a SECONDLY rule. */
const MOST_WORK = 1_100_000;
/** Cost of a query to an exception rule, in occurrences read. */
const ASK_WORK = 8;
/** Exception rules up to this number are free of charge for each remaining occurrence. */
const ASKS_PAID = 16;

const PAGE = 1024;
const MOST_AHEAD = 256;

/** Work spent by one call. */
export interface ExclusionWork {
  spent: number;
}

/**
 * Creates a reader that omits the exceptions' occurrences. Exceptions are not expanded over the window: each is read from a
 * slot on, one slot at first, and more while it keeps removing consecutive slots.
 * @throws RecurrenceLimit from the reader, when nearly everything is removed or there are too many exceptions
 */
export function without(
  reader: OccurrenceReader,
  exceptions: readonly OccurrenceReader[],
  excludesDate: DateExclusion | undefined,
  work: ExclusionWork,
): OccurrenceReader {
  return (fromMs, toMs, max, out) => {
    // A few exception rules are free; hundreds cost work even when they remove nothing.
    const { length } = exceptions;
    const keptWork = length <= ASKS_PAID ? -length * ASK_WORK : length / 4;
    const asked = exceptions.map((exception) => exceptionAsked(exception, work));
    for (let from = fromMs, size = Math.min(PAGE, max - out.length + 1); ; size = Math.min(size * 2, PAGE)) {
      const page: Occurrence[] = [];
      reader(from, toMs, size, page);
      from = (page.at(-1)?.startMs ?? toMs) + 1;
      for (const occurrence of page) {
        if (out.length >= max) return;
        const { startMs } = occurrence;
        if (excludesDate?.(occurrence) || asked.some((removes) => removes(startMs, from))) work.spent++;
        else {
          out.push(occurrence);
          work.spent += keptWork;
        }
        if (work.spent > MOST_WORK) throw tooMuch(exceptions);
      }
      if (page.length < size || out.length >= max) return;
    }
  };
}

/**
 * Creates a test whether an exception rule removes a start, for ascending starts. It reads ahead at most to `endMs`, the end
 * of the current starts.
 */
function exceptionAsked(exception: OccurrenceReader, work: ExclusionWork): (startMs: number, endMs: number) => boolean {
  let page: Occurrence[] = [];
  let index = 0;
  let removed = 0;
  /** The page is complete up to here. */
  let knownToMs = Number.NEGATIVE_INFINITY;
  return (startMs, endMs) => {
    while (index < page.length && page[index]!.startMs < startMs) index++;
    if (index === page.length && startMs >= knownToMs) {
      const size = Math.min(Math.max(1, removed * 2), MOST_AHEAD);
      page = [];
      exception(startMs, endMs, size, page);
      knownToMs = page.length < size ? endMs : page.at(-1)!.startMs + 1;
      index = 0;
      removed = 0;
      work.spent += ASK_WORK + page.length;
    }
    const removes = page[index]?.startMs === startMs;
    if (removes) removed++;
    return removes;
  };
}

function tooMuch(exceptions: readonly OccurrenceReader[]): RecurrenceLimit {
  return new RecurrenceLimit(
    exceptions.length === 0 ? 'EXDATE' : 'EXRULE',
    'takes too long to apply to this many occurrences; ask for a shorter window',
  );
}
