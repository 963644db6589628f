import { type IntervalSet, normalize, type Slot } from '../free-busy/index.ts';
import { DAY_MS, formatDate, instantOf, weekdayOf, type Zones } from '../zones/index.ts';
import { type DayHours, type ParticipantRules, WEEKDAYS } from './availability-query.ts';
import { dayAt } from './local-days.ts';

const MINUTE_MS = 60_000;
const WHOLE_DAY: readonly DayHours[] = [{ start: '00:00', end: '24:00' }];

/** Hours of a date, and the rule that they come from. */
export interface HoursOfDate {
  readonly from: 'openHours' | 'exceptions' | 'holidays';
  readonly hours: readonly DayHours[];
}

/** Returns a function that gives the hours that begin on a day; undefined if the participant is always open. */
export function hoursByDay(rules: ParticipantRules): ((day: number) => HoursOfDate) | undefined {
  const { openHours, exceptions = [], holidays = [] } = rules;
  if (openHours === undefined && exceptions.length === 0 && holidays.length === 0) return undefined;
  const weekly = WEEKDAYS.map((weekday) => openHours?.filter(({ days }) => days.includes(weekday)) ?? WHOLE_DAY);
  const special = new Map<string, HoursOfDate>();
  for (const date of holidays) special.set(date, { from: 'holidays', hours: [] });
  for (const { date, hours } of exceptions) special.set(date, { from: 'exceptions', hours });
  return (day) => special.get(formatDate(day * DAY_MS)) ?? { from: 'openHours', hours: weekly[weekdayOf(day)] ?? [] };
}

/** Returns the time at which a participant is open, whole hours of all days that meet the window; undefined if it is always open. */
export function openTime(
  rules: ParticipantRules,
  timeZone: string,
  window: Slot,
  zones: Zones,
): IntervalSet | undefined {
  const hoursOf = hoursByDay(rules);
  if (hoursOf === undefined) return undefined;
  const slots: Slot[] = [];
  // Hours of the day before may end after midnight, and a zone that moves across the date line skips a day.
  const last = dayAt(timeZone, window.endMs, zones);
  for (let day = dayAt(timeZone, window.startMs, zones) - 2; day <= last; day += 1) {
    for (const hours of hoursOf(day).hours) slots.push(slotOf(hours, day, timeZone, zones));
  }
  return normalize(slots);
}

function slotOf({ start, end }: DayHours, day: number, timeZone: string, zones: Zones): Slot {
  const startMs = msOfDay(start);
  const endMs = msOfDay(end);
  return {
    startMs: instantOf(timeZone, day * DAY_MS + startMs, zones),
    endMs: instantOf(timeZone, day * DAY_MS + endMs + (endMs < startMs ? DAY_MS : 0), zones),
  };
}

function msOfDay(text: string): number {
  return (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE_MS;
}
