import { daysFromCivil, packedCivil } from '../zones/civil.ts';
import type { CalendarRule } from './calendar-rule.ts';
import { allowsDay, type DayFilter, monthMask, startOfWeek } from './day-filter.ts';

/** Appends the day numbers from `firstDay` to `lastDay` that the rule allows, until `out` holds `max`. */
export function fillDays(rule: CalendarRule, firstDay: number, lastDay: number, out: number[], max: number): void {
  if (rule.freq === 'WEEKLY') fillWeeks(rule, firstDay, lastDay, out, max);
  else if (rule.filter === undefined) fillEveryNthDay(rule, firstDay, lastDay, out, max);
  else fillMonths(rule, rule.filter, firstDay, lastDay, out, max);
}

function fillEveryNthDay(rule: CalendarRule, firstDay: number, lastDay: number, out: number[], max: number): void {
  const { interval, startDay } = rule;
  let day = startDay + Math.ceil((firstDay - startDay) / interval) * interval;
  for (; day <= lastDay && out.length < max; day += interval) out.push(day);
}

function fillWeeks(rule: CalendarRule, firstDay: number, lastDay: number, out: number[], max: number): void {
  const { filter, weekDays } = rule;
  const step = rule.interval * 7;
  const base = startOfWeek(rule.startDay, rule.wkst);
  let week = base + Math.floor((firstDay - base) / step) * step;
  for (; week <= lastDay && out.length < max; week += step) {
    if (filter !== undefined) week += Math.ceil(barrenDays(filter, week) / step) * step;
    for (const place of weekDays) {
      const day = week + place;
      if (day >= firstDay && day <= lastDay && (filter === undefined || passes(filter, day))) out.push(day);
    }
  }
}

/** Returns the least number of days to the first week that can have an allowed day; 0 when this one can. */
export function barrenDays(filter: DayFilter, week: number): number {
  const packed = packedCivil(week);
  const first = week - (packed & 31) + 1;
  if (monthMask(filter, packed >> 9, ((packed >> 5) & 15) - 1, first) !== 0) return 0;
  return Math.max(0, daysFromCivil(packed >> 9, ((packed >> 5) & 15) + 1, 1) - 6 - week);
}

function passes(filter: DayFilter, dayNumber: number): boolean {
  const packed = packedCivil(dayNumber);
  return allowsDay(filter, packed >> 9, (packed >> 5) & 15, packed & 31, dayNumber);
}

function fillMonths(
  rule: CalendarRule,
  filter: DayFilter,
  firstDay: number,
  lastDay: number,
  out: number[],
  max: number,
): void {
  const { interval, startDay } = rule;
  const dayStep = rule.freq === 'DAILY' ? interval : 1;
  const lastMonth = monthOf(lastDay);
  let cursor = alignedMonth(rule, firstDay);
  while (cursor <= lastMonth && out.length < max) {
    const year = Math.floor(cursor / 12);
    const month = cursor - year * 12;
    const next = nextMonth(rule, filter, year, month);
    if ((filter.months & (1 << month)) !== 0) {
      const first = daysFromCivil(year, month + 1, 1);
      let mask = monthMask(filter, year, month, first);
      if (first < firstDay) mask &= -1 << (firstDay - first);
      if (lastDay - first < 31) mask &= (2 << (lastDay - first)) - 1;
      while (mask !== 0) {
        const day = first + 31 - Math.clz32(mask & -mask);
        if (dayStep === 1 || (day - startDay) % dayStep === 0) out.push(day);
        mask &= mask - 1;
      }
    }
    cursor = next;
  }
}

/** Returns the months since year 0 of a day number. */
function monthOf(dayNumber: number): number {
  const packed = packedCivil(dayNumber);
  return (packed >> 9) * 12 + ((packed >> 5) & 15) - 1;
}

/** Returns the first month, as months since year 0, that can have slots from `firstDay` on. */
export function alignedMonth(rule: CalendarRule, firstDay: number): number {
  const month = monthOf(firstDay);
  if (rule.freq === 'DAILY' || rule.interval === 1) return month;
  if (rule.freq === 'MONTHLY') {
    const start = rule.startYear * 12 + rule.startMonth;
    return start + Math.ceil((month - start) / rule.interval) * rule.interval;
  }
  const year = Math.floor(month / 12);
  const aligned = rule.startYear + Math.ceil((year - rule.startYear) / rule.interval) * rule.interval;
  return aligned === year ? month : aligned * 12;
}

/** Returns the next month that can have slots: for MONTHLY by its interval, else by BYMONTH. */
function nextMonth(rule: CalendarRule, filter: DayFilter, year: number, month: number): number {
  if (rule.freq === 'MONTHLY') return year * 12 + month + rule.interval;
  const later = filter.months & (-2 << month);
  if (later !== 0) return year * 12 + 31 - Math.clz32(later & -later);
  return rule.freq === 'YEARLY' ? (year + rule.interval) * 12 : (year + 1) * 12;
}
