import { DAY_MS, parseWall } from '../zones/index.ts';
import {
  type DayHours,
  type OpenHoursException,
  type ParticipantRules,
  WEEKDAYS,
  type WeeklyHours,
} from './availability-query.ts';
import { checkList, checkOneOf, checkWhole, refuseUnless } from './check-values.ts';

const MOST_BUFFER_MS = 366 * DAY_MS;
const MOST_BOOKINGS = 10_000;
const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Checks the rules of a participant, or those of the query. */
export function checkRules(field: string, rules: ParticipantRules): void {
  refuseUnless(typeof rules === 'object' && rules !== null, field, 'must be rules');
  for (const name of ['bufferBeforeMs', 'bufferAfterMs', 'minGapMs'] as const) {
    if (rules[name] !== undefined) checkWhole(`${field}.${name}`, rules[name], 0, MOST_BUFFER_MS);
  }
  for (const name of ['maxPerDay', 'maxPerWeek'] as const) {
    if (rules[name] !== undefined) checkWhole(`${field}.${name}`, rules[name], 1, MOST_BOOKINGS);
  }
  if (rules.openHours !== undefined) checkOpenHours(`${field}.openHours`, rules.openHours);
  if (rules.exceptions !== undefined) checkExceptions(`${field}.exceptions`, rules.exceptions);
  if (rules.holidays === undefined) return;
  checkList(`${field}.holidays`, rules.holidays);
  for (const [index, date] of rules.holidays.entries()) checkDate(`${field}.holidays[${index}]`, date);
}

function checkOpenHours(field: string, openHours: readonly WeeklyHours[]): void {
  checkList(field, openHours);
  for (const [index, hours] of openHours.entries()) {
    checkHours(`${field}[${index}]`, hours);
    checkList(`${field}[${index}].days`, hours.days);
    refuseUnless(hours.days.length > 0, `${field}[${index}].days`, 'must name at least one weekday');
    for (const [place, day] of hours.days.entries()) checkOneOf(`${field}[${index}].days[${place}]`, day, WEEKDAYS);
  }
}

function checkExceptions(field: string, exceptions: readonly OpenHoursException[]): void {
  checkList(field, exceptions);
  const dates = new Set<string>();
  for (const [index, exception] of exceptions.entries()) {
    const path = `${field}[${index}]`;
    refuseUnless(typeof exception === 'object' && exception !== null, path, 'must have a date and hours');
    checkDate(`${path}.date`, exception.date);
    refuseUnless(!dates.has(exception.date), `${path}.date`, `must be unique, and ${exception.date} is there twice`);
    dates.add(exception.date);
    checkList(`${path}.hours`, exception.hours);
    for (const [place, hours] of exception.hours.entries()) checkHours(`${path}.hours[${place}]`, hours);
  }
}

function checkHours(field: string, hours: DayHours): void {
  refuseUnless(typeof hours === 'object' && hours !== null, field, 'must have start and end');
  for (const name of ['start', 'end'] as const) {
    const isTime = typeof hours[name] === 'string' && TIME.test(hours[name]);
    refuseUnless(isTime, `${field}.${name}`, 'must be a time from 00:00 to 24:00, such as 09:00');
  }
  refuseUnless(hours.start !== '24:00', `${field}.start`, 'must be before 24:00');
  refuseUnless(hours.start !== hours.end, `${field}.end`, 'must not be the start; a whole day is 00:00 to 24:00');
}

function checkDate(field: string, date: unknown): void {
  const isDate = typeof date === 'string' && parseWall(date)?.dateOnly === true;
  refuseUnless(isDate, field, 'must be a date that exists, such as 2026-12-25');
}
