import type { RuleShape } from './rule-shape.ts';
import { placeAt, slowOffsetsOf, slowStartOf } from './slow-offsets.ts';

/*
 * The oracle of sub-daily rules in zones, written from the definition in docs/recurrence.md. It goes through every
 * second (every minute, where whole minutes decide) of each window of the rule and asks each BY part about the local
 * time of that instant. Nothing of the engine is used here.
 */

const DAY = 86_400;
const FIRST_DAY = Date.UTC(1984, 0, 1) / 1000 / DAY;
const LAST_DAY = Date.UTC(2128, 0, 1) / 1000 / DAY;
const UNIT = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 } as const;

interface DayFacts {
  readonly month: number;
  readonly monthDay: number;
  readonly monthDayFromEnd: number;
  readonly yearDay: number;
  readonly yearDayFromEnd: number;
  readonly weekday: number;
  readonly year: number;
}

const dayOf = (year: number, month: number, day: number): number => Date.UTC(year, month - 1, day) / 1000 / DAY;

const facts: readonly DayFacts[] = Array.from({ length: LAST_DAY - FIRST_DAY }, (_, index) => {
  const date = new Date((FIRST_DAY + index) * DAY * 1000);
  const [year, month, monthDay] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const day = FIRST_DAY + index;
  return {
    year,
    month,
    monthDay,
    monthDayFromEnd: day - dayOf(year, month + 1, 1),
    yearDay: day - dayOf(year, 1, 1) + 1,
    yearDayFromEnd: day - dayOf(year + 1, 1, 1),
    weekday: (date.getUTCDay() + 6) % 7,
  };
});

/** The first day of week 1, the first week with at least four days in the year. */
function firstWeekOf(year: number, wkst: number): number {
  const newYear = dayOf(year, 1, 1);
  const weekday = (new Date(newYear * DAY * 1000).getUTCDay() + 6) % 7;
  const intoWeek = (weekday - wkst + 7) % 7;
  return intoWeek <= 3 ? newYear - intoWeek : newYear - intoWeek + 7;
}

function isInWeek(day: number, year: number, numbers: readonly number[], wkst: number): boolean {
  return [year - 1, year, year + 1].some((each) => {
    const [first, next] = [firstWeekOf(each, wkst), firstWeekOf(each + 1, wkst)];
    if (day < first || day >= next) return false;
    const number = Math.floor((day - first) / 7) + 1;
    return numbers.includes(number) || numbers.includes(number - (next - first) / 7 - 1);
  });
}

function passesDate(shape: RuleShape, day: number): boolean {
  const fact = facts[day - FIRST_DAY]!;
  const { byMonth, byMonthDay, byYearDay, byWeekNo, byDay, wkst } = shape;
  if (byMonth && !byMonth.includes(fact.month)) return false;
  if (byMonthDay && !byMonthDay.includes(fact.monthDay) && !byMonthDay.includes(fact.monthDayFromEnd)) return false;
  if (byYearDay && !byYearDay.includes(fact.yearDay) && !byYearDay.includes(fact.yearDayFromEnd)) return false;
  if (byDay && !byDay.some(([, weekday]) => weekday === fact.weekday)) return false;
  return !byWeekNo || isInWeek(day, fact.year, byWeekNo, wkst);
}

/** A rule of FREQ=HOURLY or finer in a zone, with its dtstart as wall time in seconds. */
export interface SubDailyCase {
  readonly shape: RuleShape;
  readonly zone: string | null;
  readonly dtstart: number;
}

/** The definition of one rule. All times are instants in seconds. */
export interface Definition {
  readonly start: number;
  /** How many instants are tested for each second of time, about. */
  readonly density: number;
  passesDay(day: number): boolean;
  /** The slots in `[from, to)`, without regard to COUNT. */
  slots(from: number, to: number): readonly number[];
  /** Calls back with each slot up to `to`, COUNT taken into account, until it answers false. */
  walk(to: number, take: (slot: number) => boolean): void;
}

const ANY = new Uint8Array(60).fill(1);

function allowed(values: readonly number[] | undefined, size: number): Uint8Array {
  return values === undefined ? ANY : Uint8Array.from({ length: size }, (_, value) => (values.includes(value) ? 1 : 0));
}

/** Reads a rule by the definition. */
export function define({ shape, zone, dtstart }: SubDailyCase): Definition {
  const table = slowOffsetsOf(zone);
  const { starts, offsets } = table;
  const unit = UNIT[shape.freq as keyof typeof UNIT];
  const step = unit * shape.interval;
  const start = slowStartOf(table, dtstart);
  const shown = start + offsets[placeAt(table, start)]!;
  const isWindowed = shape.freq !== 'SECONDLY' && (shape.byMinute !== undefined || shape.bySecond !== undefined);
  // The parts that a windowed rule does not have are those of dtstart; a stepped one is where its step is.
  const bySecond = shape.bySecond ?? (isWindowed ? [shown % 60] : undefined);
  const byMinute =
    shape.byMinute ?? (isWindowed && shape.freq === 'HOURLY' ? [Math.floor(shown / 60) % 60] : undefined);
  const hours = allowed(shape.byHour, 24);
  const minutes = allowed(byMinute, 60);
  const seconds = allowed(bySecond, 60);
  const hasDates = [shape.byMonth, shape.byMonthDay, shape.byYearDay, shape.byWeekNo, shape.byDay].some(Boolean);
  const days = new Map<number, boolean>();
  const origin = isWindowed ? start - (shown % unit) : start;
  const length = isWindowed ? unit : 1;

  function passesDay(day: number): boolean {
    if (!hasDates) return true;
    let passes = days.get(day);
    if (passes === undefined) {
      passes = passesDate(shape, day);
      days.set(day, passes);
    }
    return passes;
  }

  let place = 0;
  let checkedDay = Number.NaN;
  let isDayGood = false;

  function passes(instant: number): boolean {
    while (instant < starts[place]!) place--;
    while (instant >= (starts[place + 1] ?? Number.POSITIVE_INFINITY)) place++;
    const local = instant + offsets[place]!;
    if (seconds[local % 60] !== 1 || minutes[Math.floor(local / 60) % 60] !== 1) return false;
    if (hours[Math.floor(local / 3600) % 24] !== 1) return false;
    const day = Math.floor(local / DAY);
    if (day !== checkedDay) {
      checkedDay = day;
      isDayGood = passesDay(day);
    }
    return isDayGood;
  }

  /** The slots of the window that begins at `first`: offsets are whole minutes, so only the listed seconds can pass. */
  function windowSlots(first: number): readonly number[] {
    const found: number[] = [];
    if (!isWindowed) {
      if (passes(first)) found.push(first);
    } else {
      const listed = [...new Set(bySecond)].sort((a, b) => a - b);
      for (let minute = first - (first % 60); minute < first + length; minute += 60) {
        for (const second of listed) {
          const instant = minute + second;
          if (instant >= first && instant < first + length && passes(instant)) found.push(instant);
        }
      }
    }
    const { bySetPos } = shape;
    if (bySetPos === undefined || found.length === 0) return found;
    return found.filter((_, index) => bySetPos.includes(index + 1) || bySetPos.includes(index - found.length));
  }

  const until = shape.until === undefined ? Number.POSITIVE_INFINITY : slowStartOf(table, shape.until);

  return {
    start,
    density: ((isWindowed ? length / 60 : 1) * (isWindowed ? (bySecond?.length ?? 60) : 1)) / step,
    passesDay,
    slots(from, to) {
      const found: number[] = [];
      let window = origin + Math.max(0, Math.floor((from - origin) / step)) * step;
      for (; window < to; window += step) {
        for (const slot of windowSlots(window)) {
          if (slot >= start && slot >= from && slot < to && slot <= until) found.push(slot);
        }
      }
      return found;
    },
    walk(to, take) {
      let left = shape.count ?? Number.POSITIVE_INFINITY;
      for (let window = origin; window < to && left > 0; window += step) {
        for (const slot of windowSlots(window)) {
          if (slot < start || left === 0) continue;
          if (slot >= to || slot > until || !take(slot)) return;
          left--;
        }
      }
    },
  };
}
