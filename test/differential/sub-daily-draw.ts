import type { RuleShape } from './rule-shape.ts';
import { slowOffsetsOf } from './slow-offsets.ts';
import type { Definition, SubDailyCase } from './sub-daily-definition.ts';

const DAY = 86_400;
const HUNDRED_YEARS = 36_525 * DAY;
const UNIT = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 } as const;

/** Zones whose changes are whole hours, half hours, at midnight, around Ramadan, once for ever, or none. */
export const ZONES: readonly (string | null)[] = [
  'America/New_York',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Kyiv',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Asia/Pyongyang',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Tehran',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Antarctica/Troll',
  'America/Caracas',
  'UTC',
  null,
];

/** Random numbers from a seed, the same on every machine. */
export interface Dice {
  /** A whole number from `min` to `max`. */
  whole(min: number, max: number): number;
  oneIn(odds: number): boolean;
  of<T>(values: readonly T[]): T;
}

/** Mulberry32. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return { whole, oneIn: (odds) => whole(1, odds) === 1, of: (values) => values[whole(0, values.length - 1)]! };
}

function list(dice: Dice, min: number, max: number, most: number): readonly number[] {
  const values = Array.from({ length: dice.whole(1, most) }, () => dice.whole(min, max));
  return values.filter((value) => value !== 0 || min === 0);
}

/** Present one time in `odds`. */
function maybe(dice: Dice, odds: number, draw: () => readonly number[]): readonly number[] | undefined {
  const values = dice.oneIn(odds) ? draw() : [];
  return values.length === 0 ? undefined : values;
}

function drawInterval(dice: Dice, freq: keyof typeof UNIT): number {
  if (dice.oneIn(2)) return 1;
  if (dice.oneIn(2)) return dice.whole(2, 12);
  const special = {
    HOURLY: [23, 24, 25, 45, 168, 8766],
    MINUTELY: [59, 61, 1439, 1440, 10_080],
    SECONDLY: [3599, 86_399],
  };
  return dice.oneIn(3) ? dice.of(special[freq]) : dice.whole(2, 100_000 / UNIT[freq] + 50);
}

/** Draws a rule without an end. */
function drawShape(dice: Dice): RuleShape {
  const freq = dice.of(['HOURLY', 'HOURLY', 'HOURLY', 'MINUTELY', 'MINUTELY', 'SECONDLY'] as const);
  const shape = {
    freq,
    interval: drawInterval(dice, freq),
    wkst: dice.oneIn(4) ? dice.whole(0, 6) : 0,
    byMonth: maybe(dice, 4, () => list(dice, 1, 12, 4)),
    byWeekNo: maybe(dice, 30, () => list(dice, -53, 53, 6)),
    byYearDay: maybe(dice, 14, () => list(dice, -366, 366, 30)),
    byMonthDay: maybe(dice, 8, () => list(dice, -31, 31, 5)),
    byDay: maybe(dice, 4, () => list(dice, 0, 6, 4))?.map((weekday) => [0, weekday] as const),
    byHour: maybe(dice, 3, () => list(dice, 0, 23, 6)),
    byMinute: maybe(dice, 2, () => list(dice, 0, 59, 6)),
    bySecond: maybe(dice, 5, () => list(dice, 0, 59, 4)),
    bySetPos: maybe(dice, 5, () => list(dice, -5, 5, 3)),
  };
  const present = Object.entries(shape).filter(([, value]) => value !== undefined);
  // Without another BY part BYSETPOS has nothing to pick from.
  const isAlone = present.every(([name]) => !name.startsWith('by') || name === 'bySetPos');
  return Object.fromEntries(present.filter(([name]) => !(isAlone && name === 'bySetPos'))) as unknown as RuleShape;
}

/** Draws a rule, a zone and a dtstart between 1986 and 2026, one time in four near a change of the clocks. */
export function drawCase(dice: Dice, zones: readonly (string | null)[] = ZONES): SubDailyCase {
  const zone = dice.of(zones);
  const { starts, offsets } = slowOffsetsOf(zone);
  const [earliest, latest] = [Date.UTC(1986, 0, 1) / 1000, Date.UTC(2026, 0, 1) / 1000];
  const changes = starts.filter((start) => start > earliest && start < latest).length;
  let dtstart = dice.whole(earliest, latest);
  if (changes > 0 && dice.oneIn(4)) {
    const place = starts.findIndex((start) => start > earliest) + dice.whole(0, changes - 1);
    dtstart = starts[place]! + offsets[place]! + dice.whole(-3 * 3600, 3 * 3600);
  }
  dtstart -= dice.oneIn(3) ? 0 : dtstart % dice.of([60, 900, 3600]);
  const shape = drawShape(dice);
  const until = dice.oneIn(6) ? { until: dtstart + dice.whole(0, HUNDRED_YEARS / dice.of([1, 100, 10_000])) } : {};
  return { shape: { ...shape, ...until }, zone, dtstart };
}

/** A window of at most three days, and an instant in it where it is cut in two. */
export interface DrawnWindow {
  readonly from: number;
  readonly middle: number;
  readonly to: number;
}

/** Draws a window for a rule: so long that the oracle tests some hundred instants, at most three days. */
export function drawWindow(dice: Dice, each: SubDailyCase, definition: Definition): DrawnWindow {
  const most = Math.min(3 * DAY, Math.ceil(400 / definition.density));
  const length = dice.oneIn(3) ? most : dice.whole(1, most);
  const from = placeWindow(dice, each, definition) - dice.whole(0, length);
  return { from, middle: from + dice.whole(0, length), to: from + length };
}

/** A moment at which a mistake is likely. */
function placeWindow(dice: Dice, { zone, shape }: SubDailyCase, { start, passesDay }: Definition): number {
  const { starts } = slowOffsetsOf(zone);
  const somewhere = start + dice.whole(0, dice.oneIn(2) ? HUNDRED_YEARS : 400 * DAY);
  const kind = dice.whole(0, 9);
  if (kind === 0) return start;
  if (kind === 1) return start + HUNDRED_YEARS;
  if (kind === 2 && shape.until !== undefined) return shape.until;
  if (kind <= 5 && starts.length > 1) return starts[dice.whole(1, starts.length - 1)]!;
  const unit = shape.interval * UNIT[shape.freq as keyof typeof UNIT];
  if (kind === 6) return start + Math.round((somewhere - start) / unit) * unit;
  let day = Math.floor(somewhere / DAY);
  for (let tries = 0; tries < 60 && !passesDay(day); tries++) day++;
  return day * DAY + dice.whole(0, DAY);
}
