import { type IntervalSet, intersect, normalize, type Slot, subtract } from '../free-busy/index.ts';
import { dayAt, firstDayOfWeek, startOfDay } from './local-days.ts';
import { openTime } from './open-hours.ts';
import type { ResolvedParticipant, ResolvedQuery } from './resolve-query.ts';

/**
 * Returns the instants at which a slot may start for one participant, by all rules but the step: each `[startMs, endMs)` holds whole
 * milliseconds. As sets of starts, all rules are intervals, and the rules of all participants meet by intersection.
 */
export function possibleStarts(participant: ResolvedParticipant, query: ResolvedQuery): IntervalSet {
  const { window, earliestMs, durationMs, zones } = query;
  const inWindow = normalize([{ startMs: earliestMs, endMs: window.endMs - durationMs + 1 }]);
  const open = openTime(participant.rules, participant.timeZone, window, zones);
  const inside = open === undefined ? inWindow : intersect(inWindow, normalize(open.map(startsWithin(durationMs))));
  return subtract(inside, blockedStarts(participant, query));
}

function startsWithin(durationMs: number): (slot: Slot) => Slot {
  return ({ startMs, endMs }) => ({ startMs, endMs: endMs - durationMs + 1 });
}

function blockedStarts({ busyTime, bookings, rules, ...rest }: ResolvedParticipant, query: ResolvedQuery): IntervalSet {
  const { durationMs } = query;
  const blocked = busyTime.map(startsThatMeet(rules.bufferBeforeMs, durationMs + rules.bufferAfterMs));
  if (rules.minGapMs > 0) blocked.push(...bookings.map(startsThatMeet(rules.minGapMs, durationMs + rules.minGapMs)));
  return normalize([...blocked, ...fullDays(bookings, rules, rest.timeZone, query)]);
}

/** Returns the starts of those slots that meet another one, when each is extended by a time before and after its start. */
function startsThatMeet(beforeMs: number, afterMs: number): (slot: Slot) => Slot {
  return ({ startMs, endMs }) => ({ startMs: startMs - afterMs + 1, endMs: endMs + beforeMs });
}

/** Returns the days and weeks that have as many bookings as they may have. */
function fullDays(
  bookings: readonly Slot[],
  { maxPerDay, maxPerWeek }: ResolvedParticipant['rules'],
  timeZone: string,
  { weekStart, zones }: ResolvedQuery,
): readonly Slot[] {
  if (maxPerDay === undefined && maxPerWeek === undefined) return [];
  const days = bookings.map(({ startMs }) => dayAt(timeZone, startMs, zones));
  const daysWith = (firstDays: readonly number[], length: number, most = Number.POSITIVE_INFINITY) =>
    [...countsOf(firstDays)]
      .filter(([, count]) => count >= most)
      .map(([day]) => ({
        startMs: startOfDay(timeZone, day, zones),
        endMs: startOfDay(timeZone, day + length, zones),
      }));
  const weeks = days.map((day) => firstDayOfWeek(day, weekStart));
  return [...daysWith(days, 1, maxPerDay), ...daysWith(weeks, 7, maxPerWeek)];
}

function countsOf(values: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
