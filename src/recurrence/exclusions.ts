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

/** Nothing is worked out before the first question, and then only what is near the occurrence in question. */
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

/** What one call may spend on occurrences that are removed: about a tenth of a second, or six days of a SECONDLY rule. */
const MOST_WORK = 1_100_000;
/** To ask an exception rule costs as much as reading about so many occurrences. */
const ASK_WORK = 8;
/** An occurrence that is left pays for asking so many exception rules about it, when there are no more. */
const ASKS_PAID = 16;

const PAGE = 1024;
const MOST_AHEAD = 256;

/** The work of one call. */
export interface ExclusionWork {
  spent: number;
}

/**
 * A reader without what its exceptions hold. The exceptions are not expanded over the window: each is asked for what it has
 * from a slot on, for one slot at first, and for more where it keeps removing one slot after the other.
 * @throws RecurrenceLimit from the reader, when nearly everything is removed or the exceptions are too many.
 */
export function without(
  reader: OccurrenceReader,
  exceptions: readonly OccurrenceReader[],
  excludesDate: DateExclusion | undefined,
  work: ExclusionWork,
): OccurrenceReader {
  return (fromMs, toMs, max, out) => {
    // A few exception rules are paid for; hundreds count, even when they have nothing to say.
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
 * Answers whether an exception rule removes a start, for ascending starts. It looks ahead no further than `endMs`, the end
 * of the starts that are at hand.
 */
function exceptionAsked(exception: OccurrenceReader, work: ExclusionWork): (startMs: number, endMs: number) => boolean {
  let page: Occurrence[] = [];
  let index = 0;
  let removed = 0;
  /** Up to here the page is all that the exception has. */
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
