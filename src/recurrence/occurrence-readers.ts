import { DAY_MS } from '../zones/index.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import type { Occurrence } from './occurrence.ts';
import type { RecurrenceDate } from './recurrence-rule.ts';
import { type SeriesContext, timeOccurrence } from './series-context.ts';

export function listReader(occurrences: readonly Occurrence[]): OccurrenceReader {
  const sorted = distinct([...occurrences].sort((a, b) => a.startMs - b.startMs));
  return (fromMs, toMs, max, out) => {
    for (const occurrence of sorted) {
      if (occurrence.startMs >= toMs || out.length >= max) return;
      if (occurrence.startMs >= fromMs) out.push(occurrence);
    }
  };
}

function distinct(sorted: readonly Occurrence[]): Occurrence[] {
  return sorted.filter((occurrence, index) => index === 0 || occurrence.startMs !== sorted[index - 1]!.startMs);
}

export function mergeReaders(readers: readonly OccurrenceReader[]): OccurrenceReader {
  return (fromMs, toMs, max, out) => {
    const room = max - out.length;
    const all: Occurrence[] = [];
    for (const reader of readers) {
      const own: Occurrence[] = [];
      reader(fromMs, toMs, room, own);
      for (const occurrence of own) all.push(occurrence);
    }
    // The sort is stable and dates come last, so a rule's slot wins over an RDATE at the same start.
    const merged = distinct(all.sort((a, b) => a.startMs - b.startMs));
    for (let index = 0; index < merged.length && out.length < max; index++) out.push(merged[index]!);
  };
}

/** Whether EXDATE removes an occurrence. */
export type Exclusion = (occurrence: Occurrence) => boolean;

export function dateExclusion(context: SeriesContext, dates: readonly RecurrenceDate[]): Exclusion | undefined {
  if (dates.length === 0) return undefined;
  const starts = new Set<number>();
  const days = new Set<number>();
  for (const { time } of dates) {
    if (time.form === 'date' && !context.isAllDay) days.add(Math.floor(time.wallMs / DAY_MS));
    else starts.add(timeOccurrence(context, time).startMs);
  }
  return days.size === 0
    ? (occurrence) => starts.has(occurrence.startMs)
    : (occurrence) => starts.has(occurrence.startMs) || days.has(Math.floor(occurrence.wallMs / DAY_MS));
}

/** A reader without what its exceptions hold. It reads on until `max` are left. */
export function without(
  reader: OccurrenceReader,
  exceptions: readonly OccurrenceReader[],
  isExcluded: Exclusion | undefined,
): OccurrenceReader {
  return (fromMs, toMs, max, out) => {
    let from = fromMs;
    while (out.length < max) {
      const page: Occurrence[] = [];
      const room = max - out.length + 1;
      reader(from, toMs, room, page);
      const end = page.length < room ? toMs : page.at(-1)!.startMs + 1;
      const excluded = new Set<number>();
      for (const exception of exceptions) {
        const own: Occurrence[] = [];
        if (page.length > 0) exception(page[0]!.startMs, page.at(-1)!.startMs + 1, Number.POSITIVE_INFINITY, own);
        for (const occurrence of own) excluded.add(occurrence.startMs);
      }
      for (const occurrence of page) {
        if (excluded.has(occurrence.startMs) || isExcluded?.(occurrence)) continue;
        if (out.length < max) out.push(occurrence);
      }
      if (page.length < room) return;
      from = end;
    }
  };
}
