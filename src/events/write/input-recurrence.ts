import { invalid } from '../../errors.ts';
import type { EventContent } from '../../ports/index.ts';
import { RecurrenceError } from '../../recurrence/index.ts';
import { checkInputRecurrence } from '../../recurrence/input.ts';
import {
  formatDate,
  formatWall,
  instantOf,
  instantOfText,
  nominalWallOf,
  resolveZone,
  wallAt,
  wallOfText,
} from '../../zones/index.ts';
import type { EventTimes } from '../times/event-times.ts';

type Times = Pick<EventContent, 'start' | 'isAllDay'>;

/**
 * The lines of a recurrence on input, in normal form; in an all-day series the calendar's zone gives UTC times their dates.
 * @throws KalendsError InvalidRequest naming the part that is wrong
 */
export function requireRecurrence(lines: readonly string[], times: Times, calendarZone?: string): readonly string[] {
  const dtstart = dtstartOf(times);
  requirePlainStart(times);
  try {
    return checkInputRecurrence({ ...dtstart, timeZone: dtstart.timeZone ?? calendarZone ?? null, lines });
  } catch (error) {
    throw error instanceof RecurrenceError ? refusal(error) : error;
  }
}

/**
 * Checks that a series can be moved: its rule, or the lines that replace it, have to produce the new start, unless the rule
 * did not produce the old one either (a provider may send such a series).
 * @throws KalendsError InvalidRequest naming `start`
 */
export function requireMovable(
  current: Times & Pick<EventContent, 'recurrence'>,
  moved: EventTimes,
  lines: readonly string[] = current.recurrence ?? [],
): void {
  if (current.start.dateTime !== moved.start.dateTime) requirePlainStart(moved);
  if (current.isAllDay !== moved.isAllDay) {
    requireRecurrence(lines, moved);
    return;
  }
  const failure = startFailure(lines, moved);
  if (failure !== undefined && startFailure(current.recurrence ?? [], current) === undefined) throw refusal(failure);
}

function startFailure(lines: readonly string[], times: Times): RecurrenceError | undefined {
  try {
    checkInputRecurrence({ ...dtstartOf(times), lines });
    return undefined;
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return error.part === 'dtstart' ? error : undefined;
  }
}

/**
 * Checks that a series does not start in the second pass of an hour that the clocks repeat: its occurrences are wall times, and
 * that one would be the first pass. @throws KalendsError InvalidRequest naming `start`
 */
export function requirePlainStart({ start, isAllDay }: Times): void {
  const timeZone = resolveZone(start.timeZone) ?? 'UTC';
  const startMs = instantOfText(start.dateTime, timeZone);
  if (isAllDay || instantOf(timeZone, wallAt(timeZone, startMs)) === startMs) return;
  throw invalid('start', `${start.dateTime} is the second time that the clocks show it: a series cannot start there`);
}

/** The first slot of a recurring event, and the zone in which its lines are read. */
export function dtstartOf({ start, isAllDay }: Times): { readonly dtstart: string; readonly timeZone: string | null } {
  if (isAllDay) return { dtstart: formatDate(wallOfText(start.dateTime)), timeZone: null };
  const timeZone = resolveZone(start.timeZone) ?? 'UTC';
  return { dtstart: formatWall(nominalWallOf(timeZone, start.dateTime)), timeZone };
}

function refusal(error: RecurrenceError) {
  if (error.part !== 'dtstart') return invalid('recurrence', error.message);
  // Callers know it by another name.
  return invalid('start', error.message.slice('dtstart: '.length));
}
