import type { CalendarEvent } from 'kalends/model';
import { DAY_MS, instantOf, instantOfText } from 'kalends/zones';
import { ToolRefusal } from '../tool-refusal.ts';
import { readLocal } from './inputs.ts';

/** A window of instants, half-open. */
export interface EventWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Longest window of an answer. */
const LONGEST_DAYS = 366;
/** The engine lists what lies within a window: an event of up to this length is found by any part of it. */
const LONGEST_EVENT_MS = 31 * DAY_MS;

/** Reads `from` and `to`; a `to` that is a day is included. @throws ToolRefusal naming the field */
export function readWindow(from: string, to: string, zone: string): EventWindow {
  const [first, last] = [readLocal('from', from), readLocal('to', to)];
  const window = {
    fromMs: instantOf(zone, first.wallMs),
    toMs: instantOf(zone, last.wallMs + (last.isDay ? DAY_MS : 0)),
  };
  if (window.toMs <= window.fromMs) throw new ToolRefusal('to: must be after from.');
  if (window.toMs - window.fromMs > LONGEST_DAYS * DAY_MS) {
    throw new ToolRefusal(`to: must be at most ${LONGEST_DAYS} days after from.`);
  }
  return window;
}

/** Returns the query whose answer has every event that overlaps the window. */
export function queryOf({ fromMs, toMs }: EventWindow): {
  readonly startDateTime: string;
  readonly endDateTime: string;
} {
  return {
    startDateTime: new Date(fromMs - LONGEST_EVENT_MS).toISOString(),
    endDateTime: new Date(toMs + LONGEST_EVENT_MS).toISOString(),
  };
}

/** Returns the start and end of an event in a calendar of this zone. */
export function spanOf({ start, end, isAllDay }: CalendarEvent, zone: string): EventWindow {
  const at = ({ dateTime, timeZone }: CalendarEvent['start']) => instantOfText(dateTime, isAllDay ? zone : timeZone);
  return { fromMs: at(start), toMs: at(end) };
}

/** Whether a span has a part in a window; one without length belongs where it begins. */
export function overlaps(span: EventWindow, { fromMs, toMs }: EventWindow): boolean {
  if (span.toMs <= span.fromMs) return span.fromMs >= fromMs && span.fromMs < toMs;
  return span.fromMs < toMs && span.toMs > fromMs;
}
