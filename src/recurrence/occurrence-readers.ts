import { DAY_MS } from '../zones/index.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { createDatesByDay, type DatesByDay } from './dates-by-day.ts';
import type { Occurrence } from './occurrence.ts';
import type { RecurrenceDate } from './recurrence-rule.ts';
import type { SeriesContext } from './series-context.ts';

/** Reads listed dates, sorted when they are first read. */
export function listReader(context: SeriesContext, dates: readonly RecurrenceDate[]): OccurrenceReader {
  let byDay: DatesByDay | undefined;
  return (fromMs, toMs, max, out) => {
    byDay ??= createDatesByDay(context, dates);
    let day = byDay.nextDay(Math.floor(fromMs / DAY_MS));
    for (; out.length < max && day * DAY_MS < toMs; day = byDay.nextDay(day + 1)) {
      const listed = byDay.startingOn(day);
      for (let index = indexFrom(listed, fromMs); index < listed.length && out.length < max; index++) {
        if (listed[index]!.startMs >= toMs) return;
        out.push(listed[index]!);
      }
    }
  };
}

/** The index of the first occurrence that starts at `fromMs` or later. */
export function indexFrom(sorted: readonly Occurrence[], fromMs: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.startMs < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most occurrences of one source that wait to be merged. */
const PAGE = 64;

interface Source {
  readonly reader: OccurrenceReader;
  readonly order: number;
  /** How many were asked for the last time. */
  size: number;
  page: readonly Occurrence[];
  index: number;
  startMs: number;
}

/**
 * Reads several sources as one, page by page, from a heap of those that have more. Of occurrences at one start the one of
 * the earlier source counts, so that a rule's slot wins over an RDATE. A source is asked for its share at first, and for more
 * each time, so that hundreds of rules do not each work out what one of them may have to fill alone.
 */
export function mergeReaders(readers: readonly OccurrenceReader[]): OccurrenceReader {
  return (fromMs, toMs, max, out) => {
    const size = Math.min(PAGE, Math.ceil((max - out.length) / readers.length));
    const all = readers.map((reader, order) => ({ reader, order, size, page: [], index: 0, startMs: fromMs }));
    const heap: Source[] = all.filter((source) => turnPage(source, fromMs, toMs)).sort(compare);
    let last = Number.NaN;
    for (let source = heap[0]; source !== undefined && out.length < max; source = heap[0]) {
      if (source.startMs !== last) out.push(source.page[source.index]!);
      last = source.startMs;
      if (!advance(source, toMs)) {
        const other = heap.pop()!;
        if (other !== source) heap[0] = other;
      }
      sink(heap);
    }
  };
}

function advance(source: Source, toMs: number): boolean {
  source.index++;
  const next = source.page[source.index];
  if (next === undefined) {
    if (source.page.length < source.size) return false;
    source.size = Math.min(PAGE, source.size * 2);
    return turnPage(source, source.startMs + 1, toMs);
  }
  source.startMs = next.startMs;
  return true;
}

/** Reads the next page of a source; false when it has no more. */
function turnPage(source: Source, fromMs: number, toMs: number): boolean {
  const page: Occurrence[] = [];
  source.reader(fromMs, toMs, source.size, page);
  source.page = page;
  source.index = 0;
  source.startMs = page[0]?.startMs ?? toMs;
  return page.length > 0;
}

function compare(a: Source, b: Source): number {
  return a.startMs - b.startMs || a.order - b.order;
}

/** Moves the source at the top of the heap to its place. */
function sink(heap: Source[]): void {
  for (let at = 0; ; ) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && compare(heap[child]!, heap[least]!) < 0) least = child;
    }
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least]!, heap[at]!];
    at = least;
  }
}
