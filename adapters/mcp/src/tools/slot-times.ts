import { formatInstant, formatWall, instantOf } from 'kalends/zones';
import type { z } from 'zod';
import { ToolRefusal } from '../tool-refusal.ts';
import { type EventTimes, wallOf } from '../words/time-words.ts';
import { checkWeekday, localTime, readLocal, type startWeekday } from './inputs.ts';

export const slotEnd = localTime('End of the slot, exclusive.').optional();

/** A slot as holds and bookings take it, and as it is shown. */
export interface SlotTimes {
  readonly asked: { readonly startDateTime: string; readonly endDateTime: string; readonly timeZone: string };
  readonly shown: EventTimes;
}

/** Returns a slot as lines that hold_slot takes as they are. */
export function slotFields({ start, end }: Pick<EventTimes, 'start' | 'end'>): readonly string[] {
  const text = (point: EventTimes['start']) => formatWall(wallOf(point)).slice(0, 16);
  return [`  start: ${text(start)}`, `  end: ${text(end)}`, `  timeZone: ${start.timeZone}`];
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
  const start = readLocal('start', sent.start);
  checkWeekday(start, sent.startWeekday);
  const end = sent.end === undefined ? undefined : readLocal('end', sent.end);
  if (start.isDay || end?.isDay) throw new ToolRefusal('start and end: must have a time, such as 2026-03-03T10:00.');
  const startMs = instantOf(timeZone, start.wallMs);
  const endMs = end === undefined ? startMs + lengthMs : instantOf(timeZone, end.wallMs);
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
