import type { OccurrenceReader } from './calendar-reader.ts';
import type { Occurrence } from './occurrence.ts';

/** Reads occurrences that are listed. */
export function listReader(occurrences: readonly Occurrence[]): OccurrenceReader {
  const sorted = distinct([...occurrences].sort((a, b) => a.startMs - b.startMs));
  return (fromMs, toMs, max, out) => {
    for (let index = indexFrom(sorted, fromMs); index < sorted.length && out.length < max; index++) {
      if (sorted[index]!.startMs >= toMs) return;
      out.push(sorted[index]!);
    }
  };
}

function distinct(sorted: readonly Occurrence[]): Occurrence[] {
  return sorted.filter((occurrence, index) => index === 0 || occurrence.startMs !== sorted[index - 1]!.startMs);
}

function indexFrom(sorted: readonly Occurrence[], fromMs: number): number {
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
const PAGE = 256;

interface Head {
  readonly reader: OccurrenceReader;
  page: readonly Occurrence[];
  index: number;
  /** What was read ends before this instant; undefined when the source has no more. */
  nextMs: number | undefined;
}

/**
 * Reads several sources as one, page by page. Of occurrences at one start the one of the earlier source counts, so that a
 * rule's slot wins over an RDATE.
 */
export function mergeReaders(readers: readonly OccurrenceReader[]): OccurrenceReader {
  return (fromMs, toMs, max, out) => {
    const size = Math.min(PAGE, max - out.length);
    const heads: Head[] = readers.map((reader) => ({ reader, page: [], index: 0, nextMs: fromMs }));
    while (out.length < max) {
      let least: Occurrence | undefined;
      for (const head of heads) {
        const occurrence = peek(head, toMs, size);
        if (occurrence !== undefined && (least === undefined || occurrence.startMs < least.startMs)) least = occurrence;
      }
      if (least === undefined) return;
      out.push(least);
      for (const head of heads) if (head.page[head.index]?.startMs === least.startMs) head.index++;
    }
  };
}

function peek(head: Head, toMs: number, size: number): Occurrence | undefined {
  if (head.index === head.page.length && head.nextMs !== undefined) {
    const page: Occurrence[] = [];
    head.reader(head.nextMs, toMs, size, page);
    head.page = page;
    head.index = 0;
    head.nextMs = page.length < size ? undefined : page.at(-1)!.startMs + 1;
  }
  return head.page[head.index];
}
