import { z } from 'zod';

/** A year of minutes: the longest window, notice and buffer. */
const YEAR_MINUTES = 366 * 24 * 60;
const MOST_HOURS = 100;
const MOST_DATES = 1_000;

/** A whole number within bounds. */
export const whole = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z.int(rule).min(least, rule).max(most, rule);
};

/** Whole minutes, at most 366 days. */
export const minutes = (least = 0) => whole(least, YEAR_MINUTES);

const clockTime = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time from 00:00 to 24:00, such as 09:00');
const startTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time from 00:00 to 23:59, such as 09:00');
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'must be a date, such as 2026-12-25');

export const weekday = z
  .enum(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'])
  .describe('Day of the week, by its name in RFC 5545.');

const hours = {
  start: startTime.describe('Time at which the hours begin, such as 09:00.'),
  end: clockTime.describe('Time at which they end, up to 24:00; before `start`, it is on the next day.'),
};

export const dayHours = z.strictObject(hours).meta({ id: 'DayHours', description: 'Part of a day by the wall clock.' });

export const weeklyHours = z
  .strictObject({
    days: z.array(weekday).min(1, 'must name at least one weekday').max(7).describe('Days on which the hours begin.'),
    ...hours,
  })
  .meta({ id: 'WeeklyHours', description: 'Hours that begin on each of some weekdays.' });

export const openHoursException = z
  .strictObject({
    date: date.describe('Date on which the hours begin.'),
    hours: z.array(dayHours).max(MOST_HOURS).describe('Hours of that date; none: closed.'),
  })
  .meta({
    id: 'OpenHoursException',
    description: 'Hours that begin on one date, in place of the weekly ones and of a holiday.',
  });

const most = whole(1, 10_000);

/** Rules that participants have, or the query for those who have none. */
export const RULES = {
  bufferBeforeMinutes: minutes().optional().describe('Free time before each slot; 0 by default.'),
  bufferAfterMinutes: minutes().optional().describe('Free time after each slot; 0 by default.'),
  minGapMinutes: minutes().optional().describe('Least time between two bookings; 0 by default.'),
  maxPerDay: most.optional().describe('Most bookings that start on one day of their zone, the new one among them.'),
  maxPerWeek: most.optional().describe('Most bookings that start in one week of their zone, the new one among them.'),
  openHours: z
    .array(weeklyHours)
    .max(MOST_HOURS)
    .optional()
    .describe('Weekly hours in their zone; by default every day, 00:00 to 24:00.'),
  exceptions: z.array(openHoursException).max(MOST_DATES).optional().describe('Hours of single dates.'),
  holidays: z.array(date).max(MOST_DATES).optional().describe('Dates on which no hours begin, such as 2026-12-25.'),
};

export const availabilityRules = z.strictObject(RULES).meta({
  id: 'AvailabilityRules',
  description: 'Rules for participants that have none of their own, field by field.',
});
