import type { CalendarEvent, EventUpdate } from 'kalends/model';
import { occurrenceEnd, seriesLength } from 'kalends/recurrence';
import { DAY_MS, formatDate, formatWall, wallAt } from 'kalends/zones';
import { ToolRefusal } from '../tool-refusal.ts';
import { type EventTimes, type WEEKDAYS, wallOf } from '../words/time-words.ts';
import { checkWeekday, readLocal, readZone } from './inputs.ts';
import { checkEnd, pointOf, shownTimes, type TimeSpan } from './time-span.ts';

/** New times of an event. */
export interface ChangedTimes {
  /** As if in UTC. */
  readonly startMs: number;
  readonly isAllDay: boolean;
  readonly timeZone: string;
  /** The times as the engine would show them. */
  readonly shown: EventTimes;
  readonly body: Pick<EventUpdate, 'start' | 'end' | 'isAllDay'>;
}

const HOUR_MS = 3_600_000;

/**
 * Reads new times of an event. Where no end is given, the length stays: that of `whole`, the series of an occurrence that is changed with
 * others, since the clocks may make an occurrence longer. Undefined without any. @throws ToolRefusal
 */
export function readChangedTimes(
  event: CalendarEvent,
  sent: {
    readonly start?: string | undefined;
    readonly end?: string | undefined;
    readonly timeZone?: string | undefined;
    readonly startWeekday?: (typeof WEEKDAYS)[number] | undefined;
  },
  whole: CalendarEvent = event,
): ChangedTimes | undefined {
  const { start, end, timeZone, startWeekday } = sent;
  const from = start === undefined ? undefined : readLocal('start', start);
  checkWeekday(from, startWeekday);
  if (from === undefined && end === undefined) {
    if (timeZone === undefined) return undefined;
    throw new ToolRefusal('timeZone: needs start beside it, in that zone.');
  }
  const zone = timeZone === undefined ? event.start.timeZone : readZone(timeZone);
  if (from === undefined && zone !== event.start.timeZone) {
    throw new ToolRefusal('start: is needed where timeZone changes the zone of the event.');
  }
  const to = end === undefined ? undefined : readLocal('end', end);
  const isAllDay = from?.isDay ?? event.isAllDay;
  if (to !== undefined && to.isDay !== isAllDay) {
    throw new ToolRefusal('end: must be a day for an all-day event, and a local time for any other.');
  }
  const place = { isAllDay, timeZone: zone };
  const startWallMs = from?.wallMs ?? wallOf(event.start);
  // The start that stays may be in the second pass of an hour that the clocks repeat.
  const startMs = from === undefined && !isAllDay ? Date.parse(event.start.dateTime) : pointOf(startWallMs, place);
  const span = {
    ...place,
    startMs,
    endMs: to === undefined ? endOf(whole, startMs, place) : pointOf(to.wallMs, place),
  };
  if (to !== undefined) checkEnd(span, startWallMs, to.wallMs);
  const shown = shownTimes(span);
  const endWallMs = to?.wallMs ?? wallOf(shown.end);
  // By the clock alone an end in the second pass of a repeated hour would be an hour earlier.
  const isPlain = pointOf(endWallMs, place) === span.endMs;
  const written = (wallMs: number) =>
    isAllDay ? { date: formatDate(wallMs) } : { dateTime: formatWall(wallMs), timeZone: zone };
  return {
    startMs: startWallMs,
    isAllDay,
    timeZone: zone,
    shown,
    body: {
      start: from === undefined && !isAllDay ? event.start : written(startWallMs),
      end: isPlain ? written(endWallMs) : shown.end,
      ...(isAllDay === event.isAllDay ? {} : { isAllDay }),
    },
  };
}

/**
 * Returns the end that keeps the length by the clock: an hour or a day where the event changes between days and times.
 * @throws ToolRefusal for a series that would end at a time that the clocks skip
 */
function endOf(event: CalendarEvent, startMs: number, { isAllDay, timeZone }: Pick<TimeSpan, 'isAllDay' | 'timeZone'>) {
  if (event.isAllDay !== isAllDay) return startMs + (isAllDay ? DAY_MS : HOUR_MS);
  if (isAllDay) return startMs + wallOf(event.end) - wallOf(event.start);
  const lengthMs = seriesLength(event.start.timeZone, event);
  const endMs = occurrenceEnd(timeZone, startMs, lengthMs);
  const endWallMs = wallAt(timeZone, startMs) + lengthMs;
  // Written as it is shown, it would make all occurrences longer.
  if (event.recurrence !== null && wallAt(timeZone, endMs) !== endWallMs) {
    const end = formatWall(endWallMs);
    throw new ToolRefusal(
      `end: would be ${end}, which the clocks skip: no series can end there. Give end too, or another start.`,
    );
  }
  return endMs;
}
