import { clip, type Slot, totalMs } from '../free-busy/index.ts';
import { DAY_MS, formatDate, formatInstant } from '../zones/index.ts';
import { dayAt, firstDayOfWeek } from './local-days.ts';
import { hoursByDay, openTime } from './open-hours.ts';
import type { ResolvedParticipant, ResolvedQuery } from './resolve-query.ts';

/** A rule that a slot violates. */
export interface SlotObstacle {
  readonly code:
    | 'outside-window'
    | 'too-soon'
    | 'off-step'
    | 'busy'
    | 'buffer'
    | 'outside-open-hours'
    | 'holiday'
    | 'min-gap'
    | 'max-per-day'
    | 'max-per-week'
    | 'too-few-in-group'
    | 'no-host'
    | 'not-next-in-line';
  /** The same in words, with times in the zone of the query. */
  readonly text: string;
  readonly participantId?: string;
  readonly groupId?: string;
  /** Busy interval or booking that is in the way. */
  readonly interval?: Slot;
}

/** Returns the rules about time that a slot violates for any participants. */
export function obstaclesOfTime(slot: Slot, query: ResolvedQuery): readonly SlotObstacle[] {
  const { window, earliestMs, stepMs, timeZone, zones } = query;
  const text = (epochMs: number) => formatInstant(timeZone, epochMs, zones);
  const found: SlotObstacle[] = [];
  if (slot.startMs < window.startMs || slot.endMs > window.endMs)
    found.push({ code: 'outside-window', text: `the window is ${text(window.startMs)} to ${text(window.endMs)}` });
  if (slot.startMs < earliestMs && earliestMs > window.startMs)
    found.push({ code: 'too-soon', text: `slots start at ${text(earliestMs)} or later` });
  const { offsetMs } = zones.tableOf(timeZone).spanAt(slot.startMs);
  const msOfDay = (((slot.startMs + offsetMs) % DAY_MS) + DAY_MS) % DAY_MS;
  if (msOfDay % stepMs !== 0)
    found.push({ code: 'off-step', text: `slots start at multiples of ${stepMs / 60_000} minutes after midnight` });
  return found;
}

/** Returns the rules that a slot violates for one participant. Each is checked by its definition, apart from the sets of starts. */
export function obstaclesOf(
  participant: ResolvedParticipant,
  slot: Slot,
  query: ResolvedQuery,
): readonly SlotObstacle[] {
  const found = [
    ...busyObstacles(participant, slot, query),
    ...hoursObstacles(participant, slot, query),
    ...bookingObstacles(participant, slot, query),
  ];
  return found.map(({ text, ...rest }) => ({
    ...rest,
    text: `${participant.id} ${text}`,
    participantId: participant.id,
  }));
}

function meets(a: Slot, b: Slot): boolean {
  return a.startMs < b.endMs && b.startMs < a.endMs;
}

function extended({ startMs, endMs }: Slot, beforeMs: number, afterMs: number): Slot {
  return { startMs: startMs - beforeMs, endMs: endMs + afterMs };
}

function rangeText({ startMs, endMs }: Slot, { timeZone, zones }: ResolvedQuery): string {
  return `from ${formatInstant(timeZone, startMs, zones)} to ${formatInstant(timeZone, endMs, zones)}`;
}

function busyObstacles({ busy, rules }: ResolvedParticipant, slot: Slot, query: ResolvedQuery): SlotObstacle[] {
  const wanted = extended(slot, rules.bufferBeforeMs, rules.bufferAfterMs);
  return busy
    .filter((interval) => interval.endMs > interval.startMs && meets(interval, wanted))
    .map(({ startMs, endMs }): SlotObstacle => {
      const interval = { startMs, endMs };
      const range = rangeText(interval, query);
      return meets(interval, slot)
        ? { code: 'busy', text: `is busy ${range}`, interval }
        : { code: 'buffer', text: `is busy ${range}, within the buffer`, interval };
    });
}

function hoursObstacles({ rules, timeZone }: ResolvedParticipant, slot: Slot, query: ResolvedQuery): SlotObstacle[] {
  const { zones } = query;
  const open = openTime(rules, timeZone, slot, zones);
  const hoursOf = hoursByDay(rules);
  // Open time is merged, so that a slot within it lies in one interval.
  if (open === undefined || hoursOf === undefined || totalMs(clip(open, slot)) === slot.endMs - slot.startMs) return [];
  const day = dayAt(timeZone, slot.startMs, zones);
  const date = formatDate(day * DAY_MS);
  const { from, hours } = hoursOf(day);
  if (from === 'holidays') return [{ code: 'holiday', text: `has a holiday on ${date}` }];
  const times = hours.map(({ start, end }) => `${start}–${end}`).join(', ');
  const text = times === '' ? `is closed on ${date}` : `is open on ${date} at ${times} (${timeZone})`;
  return [{ code: 'outside-open-hours', text }];
}

function bookingObstacles(
  { bookings, rules, timeZone }: ResolvedParticipant,
  slot: Slot,
  query: ResolvedQuery,
): SlotObstacle[] {
  const { weekStart, zones } = query;
  const { minGapMs, maxPerDay, maxPerWeek } = rules;
  const dayOf = ({ startMs }: Slot) => dayAt(timeZone, startMs, zones);
  const weekOf = (booking: Slot) => firstDayOfWeek(dayOf(booking), weekStart);
  const found = bookings
    .filter((booking) => minGapMs > 0 && meets(booking, extended(slot, minGapMs, minGapMs)))
    .map(({ startMs, endMs }): SlotObstacle => {
      const interval = { startMs, endMs };
      const text = `has a booking ${rangeText(interval, query)}, and ${minGapMs / 60_000} minutes between two`;
      return { code: 'min-gap', text, interval };
    });
  const onDay = bookings.filter((booking) => dayOf(booking) === dayOf(slot)).length;
  if (maxPerDay !== undefined && onDay >= maxPerDay)
    found.push({ code: 'max-per-day', text: `has ${onDay} of ${maxPerDay} bookings of the day` });
  const inWeek = bookings.filter((booking) => weekOf(booking) === weekOf(slot)).length;
  if (maxPerWeek !== undefined && inWeek >= maxPerWeek)
    found.push({ code: 'max-per-week', text: `has ${inWeek} of ${maxPerWeek} bookings of the week` });
  return found;
}
