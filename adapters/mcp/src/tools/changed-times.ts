import type { CalendarEvent, EventUpdate } from 'kalends/model';
import { DAY_MS, formatDate, formatInstant, formatWall, instantOf } from 'kalends/zones';
import { ToolRefusal } from '../tool-refusal.ts';
import { type EventTimes, type WEEKDAYS, wallOf } from '../words/time-words.ts';
import { checkWeekday, readLocal, readZone } from './inputs.ts';

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

/** Reads new times of an event; its length stays where no end is given. Undefined without any. @throws ToolRefusal */
export function readChangedTimes(
  event: CalendarEvent,
  sent: {
    readonly start?: string | undefined;
    readonly end?: string | undefined;
    readonly timeZone?: string | undefined;
    readonly startWeekday?: (typeof WEEKDAYS)[number] | undefined;
  },
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
  const startMs = from?.wallMs ?? wallOf(event.start);
  const endMs = to?.wallMs ?? startMs + lengthOf(event, isAllDay);
  if (endMs < startMs || (isAllDay && endMs === startMs)) throw new ToolRefusal('end: must be after start.');
  const point = (wallMs: number) => ({
    dateTime: isAllDay ? formatWall(wallMs) : formatInstant(zone, instantOf(zone, wallMs)),
    timeZone: zone,
  });
  const written = (wallMs: number) =>
    isAllDay ? { date: formatDate(wallMs) } : { dateTime: formatWall(wallMs), timeZone: zone };
  return {
    startMs,
    isAllDay,
    timeZone: zone,
    shown: { start: point(startMs), end: point(endMs), isAllDay },
    body: {
      start: from === undefined && !isAllDay ? event.start : written(startMs),
      end: written(endMs),
      ...(isAllDay === event.isAllDay ? {} : { isAllDay }),
    },
  };
}

/** The length by the clock: an hour or a day where the event changes between days and times. */
function lengthOf(event: CalendarEvent, isAllDay: boolean): number {
  if (event.isAllDay !== isAllDay) return isAllDay ? DAY_MS : HOUR_MS;
  const { timeZone } = event.start;
  if (event.isAllDay || event.end.timeZone === timeZone) return wallOf(event.end) - wallOf(event.start);
  const end = formatInstant(timeZone, new Date(event.end.dateTime).getTime());
  return wallOf({ dateTime: end, timeZone }) - wallOf(event.start);
}
