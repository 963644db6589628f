import { DAY_MS } from '../zones/civil.ts';
import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { allowsAnyDay } from './day-filter.ts';
import type { Occurrence } from './occurrence.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { compileSubDailyRule, meetsTimeParts, type SubDailyRule } from './sub-daily-rule.ts';
import { countSlots, nextAllowedDay, readSpan, stepAtOrAfter } from './sub-daily-steps.ts';

/**
 * How far a window without an end reaches, and how far from dtstart a COUNT is followed: a bound for rules whose parts
 * rarely meet, far beyond any calendar.
 */
const MAX_SEARCH_MS = 50 * 366 * DAY_MS;

/** Reads a sub-daily rule in a zone. A rule that can never fire reads as empty at once. */
export function createSubDailyReader(
  source: RecurrenceRule,
  startWallMs: number,
  table: ZoneTable,
  untilMs: number,
): OccurrenceReader {
  const startMs = startWallMs - table.spanOfWall(startWallMs).offsetMs;
  const rule = compileSubDailyRule(source, startMs, startWallMs, untilMs);
  const reachable = new Map<number, boolean>();
  const isEmpty = rule.places?.length === 0 || (rule.filter !== undefined && !allowsAnyDay(rule.filter));
  const tally = createTally(rule, table);

  function canFire(offsetMs: number): boolean {
    let answer = reachable.get(offsetMs);
    if (answer === undefined) {
      answer = meetsTimeParts(rule, offsetMs);
      reachable.set(offsetMs, answer);
    }
    return answer;
  }

  function readSpans(fromMs: number, toMs: number, max: number, out: Occurrence[]): void {
    for (let at = fromMs; at < toMs && out.length < max; ) {
      const span = table.spanAt(at);
      const end = Math.min(toMs, span.toMs);
      if (canFire(span.offsetMs)) readSpan(rule, span, at, end, max, out);
      at = end;
    }
  }

  return (fromMs, toMs, max, out) => {
    if (isEmpty) return;
    const from = Math.max(fromMs, rule.startMs);
    const to = Math.min(toMs, rule.untilMs + 1, from + MAX_SEARCH_MS);
    if (from < to) readSpans(from, Math.min(to, tally(to)), max, out);
  };
}

/**
 * Answers the instant at which COUNT ends the rule, looking no further than asked. Counting goes by local days: one
 * whose offset holds all day has as many slots as any other that begins at the same phase of the step, so no phase is
 * walked twice; and where it stopped is kept for the next call.
 */
function createTally(rule: SubDailyRule, table: ZoneTable): (toMs: number) => number {
  const { count, startMs, stepMs } = rule;
  if (count === undefined) return () => Number.POSITIVE_INFINITY;
  const isPlain = !rule.filter && !rule.hours && !rule.minutes && !rule.seconds && !rule.places;
  if (isPlain) return () => startMs + (count - 1) * stepMs + 1;
  const horizonMs = startMs + MAX_SEARCH_MS;
  const slotsByPhase = new Map<number, number>();
  let checkedTo = startMs;
  let counted = 0;
  let endMs: number | undefined;

  /** The slots of a stretch that lies in one span: those of a whole local day from memory. */
  function slotsIn(span: ZoneSpan, fromMs: number, toMs: number): number {
    const phase = stepAtOrAfter(rule, fromMs) - fromMs;
    const isWholeDay = toMs - fromMs === DAY_MS && fromMs > startMs;
    const known = isWholeDay ? slotsByPhase.get(phase) : undefined;
    if (known !== undefined) return known;
    const slots = countSlots(rule, span, fromMs, toMs);
    if (isWholeDay) slotsByPhase.set(phase, slots);
    return slots;
  }

  function checkDay(): void {
    const span = table.spanAt(checkedTo);
    const day = Math.floor((checkedTo + span.offsetMs) / DAY_MS);
    const next = Math.min((day + 1) * DAY_MS - span.offsetMs, span.toMs);
    const allowed = rule.filter === undefined ? day : nextAllowedDay(rule.filter, day);
    if (allowed > day) {
      checkedTo = Math.min(Math.max(allowed * DAY_MS - span.offsetMs, next), span.toMs);
      return;
    }
    const slots = slotsIn(span, checkedTo, next);
    if (counted + slots >= count!) endMs = endWithin(span, checkedTo, next, count! - counted);
    counted += slots;
    checkedTo = next;
  }

  function endWithin(span: ZoneSpan, fromMs: number, toMs: number, left: number): number {
    const slots: Occurrence[] = [];
    readSpan(rule, span, fromMs, toMs, left, slots);
    return slots.at(-1)!.startMs + 1;
  }

  return (toMs) => {
    while (endMs === undefined && checkedTo < Math.min(toMs, horizonMs)) checkDay();
    return endMs ?? horizonMs;
  };
}
