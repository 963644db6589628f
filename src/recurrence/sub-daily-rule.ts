import { DAY_MS, daysFromCivil, packedCivil } from '../zones/civil.ts';
import type { ZoneSpan, ZoneTable } from '../zones/zone-table.ts';
import type { OccurrenceReader } from './calendar-reader.ts';
import { ascending, clockSeconds } from './calendar-rule.ts';
import { allowsAnyDay, compileDayFilter, type DayFilter, monthMask } from './day-filter.ts';
import type { Occurrence } from './occurrence.ts';
import type { RecurrenceRule } from './recurrence-rule.ts';
import { pickPositions } from './set-positions.ts';

/**
 * A rule of FREQ=HOURLY or finer. It steps from dtstart in elapsed time, and its BY parts test the local time of each
 * step; the finer ones put slots into the step's hour or minute.
 */
interface SubDailyRule {
  readonly startMs: number;
  readonly stepMs: number;
  readonly unitMs: number;
  /** Places of the slots within a unit in milliseconds, or undefined when a slot is where its step is. */
  readonly places: readonly number[] | undefined;
  readonly filter: DayFilter | undefined;
  readonly hours: readonly boolean[] | undefined;
  readonly minutes: readonly boolean[] | undefined;
  readonly seconds: readonly boolean[] | undefined;
  readonly untilMs: number;
  readonly count: number | undefined;
}

/**
 * How far a window without an end reaches, and how far from dtstart a COUNT is followed: a bound for rules whose parts
 * rarely meet, far beyond any calendar.
 */
const MAX_SEARCH_MS = 50 * 366 * DAY_MS;

const DAY_SECONDS = 86_400;

const UNITS = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 } as const;

function compile(rule: RecurrenceRule, startMs: number, startWallMs: number, untilMs: number): SubDailyRule {
  const unitMs = UNITS[rule.freq as keyof typeof UNITS];
  const isLimited =
    rule.byMonth !== undefined ||
    rule.byMonthDay !== undefined ||
    rule.byYearDay !== undefined ||
    rule.byWeekNo !== undefined ||
    rule.byDay !== undefined;
  return {
    startMs,
    stepMs: rule.interval * unitMs,
    unitMs,
    places: placesInUnit(rule, startWallMs),
    filter: isLimited ? compileDayFilter(rule, {}) : undefined,
    hours: flags(rule.byHour, 24),
    minutes: rule.freq === 'HOURLY' ? undefined : flags(rule.byMinute, 60),
    seconds: rule.freq === 'SECONDLY' ? flags(rule.bySecond && clockSeconds(rule.bySecond, 0), 60) : undefined,
    untilMs,
    count: rule.count,
  };
}

function flags(values: readonly number[] | undefined, size: number): readonly boolean[] | undefined {
  return values && Array.from({ length: size }, (_, value) => values.includes(value));
}

function placesInUnit(rule: RecurrenceRule, startWallMs: number): readonly number[] | undefined {
  const expandsMinutes = rule.freq === 'HOURLY' && rule.byMinute !== undefined;
  const expandsSeconds = rule.freq !== 'SECONDLY' && rule.bySecond !== undefined;
  if (!expandsMinutes && !expandsSeconds) {
    // One slot in each step: its first and its last, and nothing else.
    const keeps = rule.bySetPos === undefined || rule.bySetPos.includes(1) || rule.bySetPos.includes(-1);
    return keeps ? undefined : [];
  }
  const seconds = Math.floor(startWallMs / 1000);
  const minutes = rule.freq === 'HOURLY' ? ascending(rule.byMinute, Math.floor(seconds / 60) % 60) : [0];
  const places = minutes.flatMap((minute) =>
    clockSeconds(rule.bySecond, seconds % 60).map((second) => (minute * 60 + second) * 1000),
  );
  return rule.bySetPos === undefined ? places : pickPositions([0], places, rule.bySetPos, DAY_MS);
}

function gcd(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

/**
 * Whether any step can ever meet the time-of-day parts while the offset is `offsetMs`. Steps meet exactly the times
 * that are congruent to dtstart modulo the common divisor of the step and a day.
 */
function meetsTimeParts(rule: SubDailyRule, offsetMs: number): boolean {
  if (rule.hours === undefined && rule.minutes === undefined && rule.seconds === undefined) return true;
  const divisor = gcd(rule.stepMs, DAY_MS);
  const start = rule.startMs + offsetMs;
  const first = ((start % divisor) + divisor) % divisor;
  for (let time = first; time < DAY_MS; time += divisor) if (passesTimeParts(rule, time)) return true;
  return false;
}

function passesTimeParts(rule: SubDailyRule, timeOfDay: number): boolean {
  const { hours, minutes, seconds } = rule;
  if (hours !== undefined && !hours[(timeOfDay / 3_600_000) | 0]) return false;
  if (minutes !== undefined && !minutes[((timeOfDay / 60_000) | 0) % 60]) return false;
  return seconds === undefined || seconds[((timeOfDay / 1000) | 0) % 60]!;
}

/** Reads a sub-daily rule in a zone. A rule that can never fire reads as empty at once. */
export function createSubDailyReader(
  source: RecurrenceRule,
  startWallMs: number,
  table: ZoneTable,
  untilMs: number,
): OccurrenceReader {
  const startMs = startWallMs - table.spanOfWall(startWallMs).offsetMs;
  const rule = compile(source, startMs, startWallMs, untilMs);
  const reachable = new Map<number, boolean>();
  const isEmpty = rule.places?.length === 0 || (rule.filter !== undefined && !allowsAnyDay(rule.filter));
  const tally = createTally(rule, table);

  function canFire(offsetMs: number): boolean {
    let answer = reachable.get(offsetMs);
    if (answer === undefined) {
      answer = meetsTimeParts(rule, offsetMs);
      reachable.set(offsetMs, answer);
    }
    return answer;
  }

  function readSpans(fromMs: number, toMs: number, max: number, out: Occurrence[]): void {
    for (let at = fromMs; at < toMs && out.length < max; ) {
      const span = table.spanAt(at);
      const end = Math.min(toMs, span.toMs);
      if (canFire(span.offsetMs)) readSpan(rule, span, at, end, max, out);
      at = end;
    }
  }

  return (fromMs, toMs, max, out) => {
    if (isEmpty) return;
    const from = Math.max(fromMs, rule.startMs);
    const to = Math.min(toMs, rule.untilMs + 1, from + MAX_SEARCH_MS);
    if (from < to) readSpans(from, Math.min(to, tally(to)), max, out);
  };
}

/** Reads the part of a window that lies in one span, day by day where the date decides, and then step by step. */
function readSpan(rule: SubDailyRule, span: ZoneSpan, from: number, to: number, max: number, out: Occurrence[]): void {
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
  const testsTime = rule.hours !== undefined || rule.minutes !== undefined || rule.seconds !== undefined;
  let step = firstStep;
  while (step < end && out.length < max) {
    const next = testsTime ? nextAllowedTime(rule, step + offset) - offset : step;
    if (next > step) {
      step = stepAtOrAfter(rule, next);
      continue;
    }
    if (places !== undefined) readPlaces(rule, places, step + offset, offset, from, to, max, out);
    else if (step >= from && step < to) out.push({ startMs: step, wallMs: step + offset });
    step += stepMs;
  }
  return step;
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
function countSlots(rule: SubDailyRule, span: ZoneSpan, fromMs: number, toMs: number): number {
  const { stepMs, unitMs, places, startMs } = rule;
  const offset = span.offsetMs;
  const isWhole = fromMs > startMs && (fromMs + offset) % unitMs === 0 && (toMs + offset) % unitMs === 0;
  if (places !== undefined && !isWhole) {
    const slots: Occurrence[] = [];
    readSpan(rule, span, fromMs, toMs, Number.POSITIVE_INFINITY, slots);
    return slots.length;
  }
  let step = stepAtOrAfter(rule, fromMs);
  let steps = 0;
  if (rule.hours === undefined && rule.minutes === undefined && rule.seconds === undefined) {
    steps = Math.max(0, Math.ceil((toMs - step) / stepMs));
  } else {
    while (step < toMs) {
      const next = nextAllowedTime(rule, step + offset) - offset;
      if (next === step) {
        steps++;
        step += stepMs;
      } else {
        step = stepAtOrAfter(rule, next);
      }
    }
  }
  return steps * (places?.length ?? 1);
}

function stepAtOrAfter(rule: SubDailyRule, ms: number): number {
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

function nextAllowedDay(filter: DayFilter, dayNumber: number): number {
  const packed = packedCivil(dayNumber);
  const place = (packed & 31) - 1;
  const month = ((packed >> 5) & 15) - 1;
  const first = dayNumber - place;
  const mask = monthMask(filter, packed >> 9, month, first) & (-1 << place);
  return mask === 0 ? daysFromCivil(packed >> 9, month + 2, 1) : first + 31 - Math.clz32(mask & -mask);
}

/**
 * Answers the instant at which COUNT ends the rule, looking no further than asked. Counting goes by local days: one
 * whose offset holds all day has as many slots as any other that begins at the same phase of the step, so no phase is
 * walked twice; and where it stopped is kept for the next call.
 */
function createTally(rule: SubDailyRule, table: ZoneTable): (toMs: number) => number {
  const { count, startMs, stepMs } = rule;
  if (count === undefined) return () => Number.POSITIVE_INFINITY;
  const isPlain = !rule.filter && !rule.hours && !rule.minutes && !rule.seconds && !rule.places;
  if (isPlain) return () => startMs + (count - 1) * stepMs + 1;
  const horizonMs = startMs + MAX_SEARCH_MS;
  const slotsByPhase = new Map<number, number>();
  let checkedTo = startMs;
  let counted = 0;
  let endMs: number | undefined;

  /** The slots of a stretch that lies in one span: those of a whole local day from memory. */
  function slotsIn(span: ZoneSpan, fromMs: number, toMs: number): number {
    const phase = stepAtOrAfter(rule, fromMs) - fromMs;
    const isWholeDay = toMs - fromMs === DAY_MS && fromMs > startMs;
    const known = isWholeDay ? slotsByPhase.get(phase) : undefined;
    if (known !== undefined) return known;
    const slots = countSlots(rule, span, fromMs, toMs);
    if (isWholeDay) slotsByPhase.set(phase, slots);
    return slots;
  }

  function checkDay(): void {
    const span = table.spanAt(checkedTo);
    const day = Math.floor((checkedTo + span.offsetMs) / DAY_MS);
    const next = Math.min((day + 1) * DAY_MS - span.offsetMs, span.toMs);
    const allowed = rule.filter === undefined ? day : nextAllowedDay(rule.filter, day);
    if (allowed > day) {
      checkedTo = Math.min(Math.max(allowed * DAY_MS - span.offsetMs, next), span.toMs);
      return;
    }
    const slots = slotsIn(span, checkedTo, next);
    if (counted + slots >= count!) endMs = endWithin(span, checkedTo, next, count! - counted);
    counted += slots;
    checkedTo = next;
  }

  function endWithin(span: ZoneSpan, fromMs: number, toMs: number, left: number): number {
    const slots: Occurrence[] = [];
    readSpan(rule, span, fromMs, toMs, left, slots);
    return slots.at(-1)!.startMs + 1;
  }

  return (toMs) => {
    while (endMs === undefined && checkedTo < Math.min(toMs, horizonMs)) checkDay();
    return endMs ?? horizonMs;
  };
}
