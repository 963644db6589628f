import type { CalendarEvent, EventUpdate } from 'kalends/model';
import { occurrenceEnd, seriesLength } from 'kalends/recurrence';
import { DAY_MS, formatDate, formatWall, wallAt } from 'kalends/zones';
import { ToolRefusal } from '../tool-refusal.ts';
import { type EventTimes, type WEEKDAYS, wallOf } from '../words/time-words.ts';
import { checkWeekday, readLocal, readZone } from './inputs.ts';
import { checkEnd, checkYears, pointOf, shownTimes, type TimeSpan } from './time-span.ts';

/** New times of an event. */
export interface ChangedTimes {
  /** As if in UTC. */
  readonly startMs: number;
  readonly isAllDay: boolean;
  readonly timeZone: string;
  /** The times as the engine would show them. */
  readonly shown: EventTimes;
  /** The same in the zone in which they were given, where the event keeps another one. */
  readonly given: EventTimes | undefined;
  readonly body: Pick<EventUpdate, 'start' | 'end' | 'isAllDay'>;
}

const HOUR_MS = 3_600_000;

/**
 * Reads new times of an event, by default in its own zone. It keeps that zone, save where a new rule is given in another one. Where no
 * end is given, the length stays: that of `whole`, the series of an occurrence that is changed with others, since the clocks may make an
 * occurrence longer. Undefined without any. @throws ToolRefusal
 */
export function readChangedTimes(
  event: CalendarEvent,
  sent: {
    readonly start?: string | undefined;
    readonly end?: string | undefined;
    readonly timeZone?: string | undefined;
    readonly startWeekday?: (typeof WEEKDAYS)[number] | undefined;
    readonly recurrence?: readonly string[] | undefined;
  },
  whole: CalendarEvent = event,
): ChangedTimes | undefined {
  const { start, end, timeZone, startWeekday, recurrence } = sent;
  const from = start === undefined ? undefined : readLocal('start', start);
  checkWeekday(from, startWeekday);
  if (from === undefined && end === undefined) {
    if (timeZone === undefined) return undefined;
    throw new ToolRefusal('timeZone: needs start beside it, in that zone.');
  }
  const givenZone = timeZone === undefined ? event.start.timeZone : readZone(timeZone);
  const to = end === undefined ? undefined : readLocal('end', end);
  const isAllDay = from?.isDay ?? event.isAllDay;
  // In another zone a series would turn its clocks on other days.
  const zone = event.isAllDay || isAllDay || recurrence !== undefined ? givenZone : event.start.timeZone;
  if (from === undefined && zone !== event.start.timeZone) {
    throw new ToolRefusal('start: is needed where timeZone changes the zone of the event.');
  }
  if (to !== undefined && to.isDay !== isAllDay) {
    throw new ToolRefusal('end: must be a day for an all-day event, and a local time for any other.');
  }
  const place = { isAllDay, timeZone: zone };
  const givenPlace = { isAllDay, timeZone: givenZone };
  const givenWallMs = from?.wallMs ?? wallOf(event.start);
  // The start that stays may be in the second pass of an hour that the clocks repeat.
  const startMs = from === undefined && !isAllDay ? Date.parse(event.start.dateTime) : pointOf(givenWallMs, givenPlace);
  const span = {
    ...place,
    startMs,
    endMs: to === undefined ? endOf(whole, startMs, place) : pointOf(to.wallMs, givenPlace),
  };
  if (to !== undefined) checkEnd(span, from === undefined ? wallAt(givenZone, startMs) : givenWallMs, to.wallMs);
  checkYears(span);
  const shown = shownTimes(span);
  const isKept = zone === givenZone;
  const startWallMs = isKept ? givenWallMs : wallOf(shown.start);
  const endWallMs = isKept && to !== undefined ? to.wallMs : wallOf(shown.end);
  // By the clock alone a time in the second pass of a repeated hour would be an hour earlier.
  const written = (wallMs: number, ms: number, point: EventTimes['start']) =>
    pointOf(wallMs, place) !== ms
      ? point
      : isAllDay
        ? { date: formatDate(wallMs) }
        : { dateTime: formatWall(wallMs), timeZone: zone };
  return {
    startMs: startWallMs,
    isAllDay,
    timeZone: zone,
    shown,
    given: isKept ? undefined : shownTimes({ ...span, timeZone: givenZone }),
    body: {
      start: from === undefined && !isAllDay ? event.start : written(startWallMs, startMs, shown.start),
      end: written(endWallMs, span.endMs, shown.end),
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
