import { DAY_MS, daysFromCivil, packedCivil } from '../zones/civil.ts';
import type { ZoneSpan } from '../zones/zone-table.ts';
import { type DayFilter, monthMask } from './day-filter.ts';
import type { Occurrence } from './occurrence.ts';
import type { SubDailyRule } from './sub-daily-rule.ts';

const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;

/** Reads the part of a window that lies in one span, day by day where the date decides, and then step by step. */
export function readSpan(
  rule: SubDailyRule,
  span: ZoneSpan,
  from: number,
  to: number,
  max: number,
  out: Occurrence[],
): void {
  const { filter, startMs } = rule;
  const offset = span.offsetMs;
  // A step before the window may have slots inside it, and a step at its end slots before it.
  const reach = rule.places === undefined ? 0 : rule.unitMs;
  const last = Math.min(to + reach, span.toMs);
  let step = Math.max(startMs, stepAtOrAfter(rule, Math.max(from - reach, span.fromMs)));
  while (step < last && out.length < max) {
    let end = last;
    if (filter !== undefined) {
      const day = Math.floor((step + offset) / DAY_MS);
      const allowed = nextAllowedDay(filter, day);
      if (allowed > day) {
        step = stepAtOrAfter(rule, allowed * DAY_MS - offset);
        continue;
      }
      end = Math.min(last, (day + 1) * DAY_MS - offset);
    }
    step = readSteps(rule, offset, step, end, from, to, max, out);
  }
}

/** Reads the steps from `step` up to `end`, whose dates all pass, and returns the first step after them. */
function readSteps(
  rule: SubDailyRule,
  offset: number,
  firstStep: number,
  end: number,
  from: number,
  to: number,
  max: number,
  out: Occurrence[],
): number {
  const { stepMs, places } = rule;
  let step = firstStep;
  while (step < end && out.length < max) {
    const next = nextAllowedTime(rule, step + offset) - offset;
    if (next > step) {
      step = stepAtOrAfter(rule, next);
      continue;
    }
    const runEnd = Math.min(end, endOfRun(rule, step + offset) - offset);
    for (; step < runEnd && out.length < max; step += stepMs) {
      if (places !== undefined) readPlaces(rule, places, step + offset, offset, from, to, max, out);
      else if (step >= from && step < to) out.push({ startMs: step, wallMs: step + offset });
    }
  }
  return step;
}

/** Where the hour, minute or second ends that the finest time part tests: up to there every step is like this one. */
function endOfRun(rule: SubDailyRule, wallMs: number): number {
  return (Math.floor(wallMs / rule.testedMs) + 1) * rule.testedMs;
}

function readPlaces(
  rule: SubDailyRule,
  places: readonly number[],
  wallMs: number,
  offset: number,
  from: number,
  to: number,
  max: number,
  out: Occurrence[],
): void {
  const unit = Math.floor(wallMs / rule.unitMs) * rule.unitMs;
  for (const place of places) {
    const slot = unit + place - offset;
    if (slot >= from && slot < to && slot >= rule.startMs && out.length < max) {
      out.push({ startMs: slot, wallMs: unit + place });
    }
  }
}

/** How many slots a part of a local day has whose date passes. They are counted, not built, wherever units are whole. */
export function countSlots(rule: SubDailyRule, span: ZoneSpan, fromMs: number, toMs: number): number {
  const { unitMs, places, startMs } = rule;
  const offset = span.offsetMs;
  const isWhole = fromMs > startMs && (fromMs + offset) % unitMs === 0 && (toMs + offset) % unitMs === 0;
  if (places !== undefined && !isWhole) {
    const slots: Occurrence[] = [];
    readSpan(rule, span, fromMs, toMs, Number.POSITIVE_INFINITY, slots);
    return slots.length;
  }
  return countByHour(rule, offset, fromMs, toMs) * (places?.length ?? 1);
}

/** Whole hours of a finer step are counted once for each phase of the step at which they can begin. */
function countByHour(rule: SubDailyRule, offset: number, fromMs: number, toMs: number): number {
  if (rule.stepMs >= HOUR_MS || rule.testedMs >= HOUR_MS) return countSteps(rule, offset, fromMs, toMs);
  let steps = 0;
  for (let at = fromMs; at < toMs; ) {
    const hour = Math.floor((at + offset) / HOUR_MS);
    const end = Math.min(toMs, (hour + 1) * HOUR_MS - offset);
    if (end - at < HOUR_MS) steps += countSteps(rule, offset, at, end);
    else if (rule.hours === undefined || rule.hours[((hour % 24) + 24) % 24]!)
      steps += countHour(rule, offset, at, end);
    at = end;
  }
  return steps;
}

function countHour(rule: SubDailyRule, offset: number, fromMs: number, toMs: number): number {
  const phase = stepAtOrAfter(rule, fromMs) - fromMs;
  let steps = rule.stepsByPhase.get(phase);
  if (steps === undefined) {
    steps = countSteps(rule, offset, fromMs, toMs);
    rule.stepsByPhase.set(phase, steps);
  }
  return steps;
}

function countSteps(rule: SubDailyRule, offset: number, fromMs: number, toMs: number): number {
  const { stepMs } = rule;
  let step = stepAtOrAfter(rule, fromMs);
  let steps = 0;
  while (step < toMs) {
    const next = nextAllowedTime(rule, step + offset) - offset;
    if (next > step) {
      step = stepAtOrAfter(rule, next);
      continue;
    }
    const run = Math.ceil((Math.min(toMs, endOfRun(rule, step + offset) - offset) - step) / stepMs);
    steps += run;
    step += run * stepMs;
  }
  return steps;
}

/** The first step of a rule that is not before an instant. */
export function stepAtOrAfter(rule: SubDailyRule, ms: number): number {
  return rule.startMs + Math.ceil((ms - rule.startMs) / rule.stepMs) * rule.stepMs;
}

/** The wall time itself when its step passes the time parts, else a later one before which none does. */
function nextAllowedTime(rule: SubDailyRule, wallMs: number): number {
  const { hours, minutes, seconds } = rule;
  const second = Math.floor(wallMs / 1000) % DAY_SECONDS;
  const time = second < 0 ? second + DAY_SECONDS : second;
  if (hours !== undefined && !hours[(time / 3600) | 0]) return skip(wallMs, (time / 3600) | 0, hours, 3_600_000);
  const minute = ((time / 60) | 0) % 60;
  if (minutes !== undefined && !minutes[minute]) return skip(wallMs, minute, minutes, 60_000);
  if (seconds !== undefined && !seconds[time % 60]) return skip(wallMs, time % 60, seconds, 1000);
  return wallMs;
}

/** Goes to the next allowed unit, or to the end of the round of units (the day, hour or minute) when none is left. */
function skip(wallMs: number, place: number, allowed: readonly boolean[], unitMs: number): number {
  let units = 1;
  while (place + units < allowed.length && !allowed[place + units]) units++;
  return Math.floor(wallMs / unitMs) * unitMs + units * unitMs;
}

export function nextAllowedDay(filter: DayFilter, dayNumber: number): number {
  const packed = packedCivil(dayNumber);
  const place = (packed & 31) - 1;
  const month = ((packed >> 5) & 15) - 1;
  const first = dayNumber - place;
  const mask = monthMask(filter, packed >> 9, month, first) & (-1 << place);
  return mask === 0 ? daysFromCivil(packed >> 9, month + 2, 1) : first + 31 - Math.clz32(mask & -mask);
}
