import { DAY_MS, daysFromCivil, daysInMonth, weekdayOf } from './civil.ts';

/** A component of an iCalendar text: a calendar, a VTIMEZONE, or one of its observances. */
export interface IcsZoneComponent {
  /** Upper case, for instance `VTIMEZONE`. */
  readonly name: string;
  /** `name` in lower case, `raw` as written after the colon, `text` decoded. */
  readonly properties: readonly { readonly name: string; readonly raw: string; readonly text: string }[];
  readonly components: readonly IcsZoneComponent[];
}

/** The changes to standard or to daylight time, by the latest definition of either. */
export interface Observance {
  /** 1 to 12. */
  readonly month: number;
  /** Offsets from UTC before and after the changes, in milliseconds, east positive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Instants of changes, ascending: those of the years that are looked at, else the last ones. */
  readonly onsets: readonly number[];
}

/** Years of a rule that are looked at: those of the events that are read today. */
const FIRST_YEAR = 2024;
const YEARS = 10;
/** Most days of a month that a rule names. */
const MOST_DAYS = 31;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Reads the latest STANDARD and the latest DAYLIGHT of a VTIMEZONE, in the order of their months. */
export function observancesOf(definition: IcsZoneComponent): readonly Observance[] {
  return (['STANDARD', 'DAYLIGHT'] as const)
    .map((kind) => latestOf(definition.components.filter((component) => component.name === kind)))
    .filter((observance) => observance !== undefined)
    .sort((one, other) => one.month - other.month);
}

function latestOf(components: readonly IcsZoneComponent[]): Observance | undefined {
  const dated = components
    .map((component) => ({ component, start: rawOf(component, 'dtstart') }))
    .sort((one, other) => (one.start < other.start ? -1 : 1));
  const latest = dated.at(-1);
  const toMs = readOffset(latest === undefined ? '' : rawOf(latest.component, 'tzoffsetto'));
  if (latest === undefined || toMs === undefined) return undefined;
  const fromMs = readOffset(rawOf(latest.component, 'tzoffsetfrom')) ?? toMs;
  const rule = readRule(rawOf(latest.component, 'rrule'));
  const month = monthOf(latest.start, rule);
  const walls = [...ruledWalls(latest.start, rule), ...datedWalls(latest.component)].sort((one, other) => one - other);
  const isNear = (wall: number): boolean =>
    wall >= Date.UTC(FIRST_YEAR, 0, 1) && wall < Date.UTC(FIRST_YEAR + YEARS, 0, 1);
  const near = walls.filter(isNear);
  const onsets = (near.length > 0 ? near : walls).slice(-YEARS).map((wall) => wall - fromMs);
  return { month, fromMs, toMs, onsets };
}

function rawOf(component: IcsZoneComponent, name: string): string {
  return component.properties.find((property) => property.name === name)?.raw ?? '';
}

function readOffset(raw: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d{2})(\d{2})/.exec(raw) ?? [];
  if (sign === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Parts of a rule by name. */
function readRule(raw: string): ReadonlyMap<string, string> {
  return new Map(
    raw
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const),
  );
}

/** Reads `20260329T020000` as the epoch milliseconds of the same reading in UTC, a date as its midnight; NaN for anything else. */
function readWall(raw: string): number {
  const [, year, month, day, hour = 0, minute = 0] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2}))?/i.exec(raw.trim()) ?? [];
  return (
    daysFromCivil(Number(year), Number(month), Number(day)) * DAY_MS + (Number(hour) * 60 + Number(minute)) * 60_000
  );
}

function datedWalls({ properties }: IcsZoneComponent): readonly number[] {
  return properties
    .filter(({ name }) => name === 'rdate')
    .flatMap(({ raw }) => raw.split(','))
    .map(readWall)
    .filter((wall) => !Number.isNaN(wall));
}

/** Returns the changes of a yearly rule, in ten of its years at most; without one, the start alone. */
function ruledWalls(start: string, rule: ReadonlyMap<string, string>): readonly number[] {
  const startMs = readWall(start);
  if (Number.isNaN(startMs)) return [];
  if (rule.get('FREQ') !== 'YEARLY') return [startMs];
  const firstYear = Number(start.slice(0, 4));
  const untilMs = readWall(rule.get('UNTIL') ?? '99991231') + DAY_MS;
  const lastYear = Math.min(
    Math.max(firstYear, FIRST_YEAR) + YEARS - 1,
    new Date(untilMs).getUTCFullYear(),
    firstYear + Number(rule.get('COUNT') ?? Number.POSITIVE_INFINITY) - 1,
  );
  const years = Array.from({ length: YEARS }, (_, index) => lastYear - index).filter((year) => year >= firstYear);
  const ofDayMs = startMs - Math.floor(startMs / DAY_MS) * DAY_MS;
  return years
    .map((year) => dayIn(year, start, rule) * DAY_MS + ofDayMs)
    .filter((wall) => wall >= startMs && wall <= untilMs);
}

function monthOf(start: string, rule: ReadonlyMap<string, string>): number {
  return Number.parseInt(rule.get('BYMONTH') ?? start.slice(4, 6), 10) || 0;
}

/** Returns the day number of a yearly rule in a year; NaN for a rule that has none there. */
function dayIn(year: number, start: string, rule: ReadonlyMap<string, string>): number {
  const month = monthOf(start, rule);
  const [, ordinal, weekday] = /^([+-]?\d+)?([A-Z]{2})$/.exec(rule.get('BYDAY') ?? '') ?? [];
  const monthDays = (rule.get('BYMONTHDAY') ?? (weekday === undefined ? start.slice(6, 8) : undefined))?.split(
    ',',
    MOST_DAYS,
  );
  const length = daysInMonth(year, month);
  const wanted = monthDays?.map((day) => (Number(day) < 0 ? length + 1 + Number(day) : Number(day)));
  const days = Array.from({ length }, (_, index) => daysFromCivil(year, month, index + 1)).filter(
    (day, index) =>
      (weekday === undefined || WEEKDAYS[weekdayOf(day)] === weekday) && wanted?.includes(index + 1) !== false,
  );
  const place = Number(ordinal ?? rule.get('BYSETPOS') ?? 1);
  return days.at(place > 0 ? place - 1 : place) ?? Number.NaN;
}
