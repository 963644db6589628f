import { DAY_MS } from '../zones/index.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { createDatesByDay, type DatesByDay } from './dates-by-day.ts';
import type { Occurrence } from './occurrence.ts';
import type { RecurrenceDate } from './recurrence-rule.ts';
import type { SeriesContext } from './series-context.ts';

/** Creates a reader of listed dates, sorted on first use. */
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

/** Returns the index of the first occurrence that starts at `fromMs` or later. */
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

/** Most buffered occurrences of one source. */
const PAGE = 64;

interface Source {
  readonly reader: OccurrenceReader;
  readonly order: number;
  /** Size of the last page requested. */
  size: number;
  page: readonly Occurrence[];
  index: number;
  startMs: number;
}

/**
 * Merges several sources page by page with a heap. Of occurrences with one start the earlier source's counts, so that a
 * rule's slot wins over an RDATE. Page sizes begin at a source's share and grow, so that hundreds of rules do not each
 * compute a whole page.
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
        const other = heap.pop();
        if (other !== undefined && other !== source) heap[0] = other;
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

/** Reads the next page of a source; false at its end. */
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
