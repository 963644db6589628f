import { formatInstant, formatOffset, formatWall, instantOf, offsetAt, parseDateTime, wallAt } from 'kalends/zones';
import { z } from 'zod';
import { ToolRefusal } from '../tool-refusal.ts';
import type { EventTimes } from '../words/time-words.ts';
import { checkWeekday, type LocalTime, readLocal, type startWeekday } from './inputs.ts';

/** A time of a slot, which find_meeting_times and explain_meeting_time answer. */
export const slotTime = (description: string) =>
  z
    .string()
    .max(32)
    .describe(`Local time such as 2026-03-03T10:00, with an offset only where a slot has one. ${description}`);
export const slotEnd = slotTime('End of the slot, exclusive.').optional();

/** A slot as holds and bookings take it, and as it is shown. */
export interface SlotTimes {
  readonly asked: { readonly startDateTime: string; readonly endDateTime: string; readonly timeZone: string };
  readonly shown: EventTimes;
}

/** Whether the clocks show the time of an instant for the second time: the local time alone means the first. */
function isRepeated(zone: string, epochMs: number): boolean {
  return instantOf(zone, wallAt(zone, epochMs)) !== epochMs;
}

/** Returns a slot as lines that hold_slot takes as they are. */
export function slotFields({ start, end }: Pick<EventTimes, 'start' | 'end'>): readonly string[] {
  const text = ({ dateTime, timeZone }: EventTimes['start']) => {
    const epochMs = Date.parse(dateTime);
    const local = formatWall(wallAt(timeZone, epochMs)).slice(0, 16);
    return isRepeated(timeZone, epochMs) ? `${local}${formatOffset(offsetAt(timeZone, epochMs))}` : local;
  };
  return [`  start: ${text(start)}`, `  end: ${text(end)}`, `  timeZone: ${start.timeZone}`];
}

/**
 * Reads a time of a slot: local, with its offset in the second pass of an hour that the clocks repeat, and there alone.
 * @throws ToolRefusal naming the field
 */
export function readSlotTime(field: string, text: string, zone: string): LocalTime & { readonly epochMs: number } {
  const { wallMs = 0, offsetMs } = parseDateTime(text) ?? {};
  if (offsetMs !== undefined) {
    const epochMs = wallMs - offsetMs;
    if (wallAt(zone, epochMs) === wallMs && isRepeated(zone, epochMs)) return { wallMs, isDay: false, epochMs };
  }
  const time = readLocal(field, text);
  if (time.isDay) throw new ToolRefusal(`${field}: must have a time, such as 2026-03-03T10:00.`);
  return { ...time, epochMs: instantOf(zone, time.wallMs) };
}

/** Reads the times of a slot, which has `lengthMs` where no end is given. @throws ToolRefusal naming the field */
export function readSlotTimes(
  sent: {
    readonly start: string;
    readonly end?: string | undefined;
    readonly startWeekday?: z.output<typeof startWeekday>;
  },
  timeZone: string,
  lengthMs: number,
): SlotTimes {
  const start = readSlotTime('start', sent.start, timeZone);
  checkWeekday(start, sent.startWeekday);
  const startMs = start.epochMs;
  const endMs = sent.end === undefined ? startMs + lengthMs : readSlotTime('end', sent.end, timeZone).epochMs;
  if (endMs <= startMs) throw new ToolRefusal('end: must be after start.');
  const text = (epochMs: number) => formatInstant(timeZone, epochMs);
  return {
    asked: { startDateTime: text(startMs), endDateTime: text(endMs), timeZone },
    shown: {
      start: { dateTime: text(startMs), timeZone },
      end: { dateTime: text(endMs), timeZone },
      isAllDay: false,
    },
  };
}
