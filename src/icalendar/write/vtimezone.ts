import { DAY_MS, formatOffset, intlZones, weekdayOf, zoneOfTzid } from '../../zones/index.ts';
import { compact } from '../read/recurrence-lines.ts';
import type { IcsComponent } from '../text/component.ts';
import { type IcsProperty, writeContentLine } from '../text/content-line.ts';

/** A change of a zone's offset. */
interface Transition {
  readonly atMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Last year whose changes are looked at, at least; a rule that holds until then holds for good. */
const LAST_YEAR = 2037;
/** So many years are looked at for a zone that begins late. */
const FEWEST_YEARS = 12;
/** Years in which a rule must hold before it is written as one. */
const PROVING_YEARS = 8;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/**
 * Returns the VTIMEZONE of a zone, valid from an instant on: changes of the offset as yearly rules where they follow one to the end (2037, or twelve
 * years), else as dates. The same for all instants of one year.
 * @throws RangeError for a name that is no zone's
 */
export function vtimezone(tzid: string, fromMs: number): IcsComponent {
  const zone = zoneOfTzid(tzid) ?? tzid;
  const year = new Date(fromMs).getUTCFullYear();
  const lastYear = Math.max(LAST_YEAR, year + FEWEST_YEARS);
  const startMs = Math.max(Date.UTC(year, 0, 1) - DAY_MS, FIRST_MS);
  const transitions = transitionsOf(zone, startMs, lastYear);
  const initial = transitionBefore(zone, startMs);
  const observances = observanceSeries(initial === undefined ? transitions : [initial, ...transitions], lastYear);
  const fixed = intlZones.tableOf(zone).spanAt(startMs).offsetMs;
  const components =
    observances.length > 0
      ? observances
      : [observance([{ atMs: Math.min(Date.UTC(1970, 0, 1), startMs), fromMs: fixed, toMs: fixed }], undefined)];
  return { name: 'VTIMEZONE', properties: [writeContentLine('TZID', tzid)], components };
}

/** No zone has a change before. */
const FIRST_MS = Date.UTC(1800, 0, 1);

function transitionsOf(zone: string, startMs: number, lastYear: number): Transition[] {
  const table = intlZones.tableOf(zone);
  const endMs = Date.UTC(lastYear + 1, 0, 1);
  const found: Transition[] = [];
  let span = table.spanAt(startMs);
  while (span.toMs < endMs) {
    const next = table.spanAt(span.toMs);
    if (next.offsetMs !== span.offsetMs) found.push({ atMs: span.toMs, fromMs: span.offsetMs, toMs: next.offsetMs });
    span = next;
  }
  return found;
}

/** Returns the change in force at an instant; undefined for a zone that has had none yet. */
function transitionBefore(zone: string, atMs: number): Transition | undefined {
  const table = intlZones.tableOf(zone);
  let span = table.spanAt(atMs);
  while (Number.isFinite(span.fromMs) && span.fromMs > FIRST_MS) {
    const before = table.spanAt(span.fromMs - 1);
    if (before.offsetMs !== span.offsetMs) return { atMs: span.fromMs, fromMs: before.offsetMs, toMs: span.offsetMs };
    span = before;
  }
  return undefined;
}

/** Groups changes by their offsets: the last ones of a group as a rule where they follow one, the others as dates. */
function observanceSeries(transitions: readonly Transition[], lastYear: number): IcsComponent[] {
  const groups = new Map<string, Transition[]>();
  for (const transition of transitions) {
    const key = `${transition.fromMs} ${transition.toMs}`;
    groups.set(key, [...(groups.get(key) ?? []), transition]);
  }
  return [...groups.values()].flatMap((group) => {
    const from = ruleStart(group, lastYear);
    const ruled = from === undefined ? [] : group.slice(from);
    const dated = group.slice(0, from ?? group.length);
    return [
      ...(dated.length === 0 ? [] : [observance(dated, undefined)]),
      ...(ruled.length === 0 ? [] : [observance(ruled, ruleOf(ruled))]),
    ];
  });
}

/** Returns the index from which one rule holds each year until the last; undefined when there is none. */
function ruleStart(group: readonly Transition[], lastYear: number): number | undefined {
  const last = group.at(-1);
  if (last === undefined || yearOf(last) !== lastYear) return undefined;
  let from = group.length;
  while (from > 0 && follows(group.slice(from - 1))) from -= 1;
  return group.length - from >= PROVING_YEARS ? from : undefined;
}

function follows(group: readonly Transition[]): boolean {
  const isYearly = group.every(
    (transition, at) => at === 0 || yearOf(transition) === yearOf(group[at - 1] ?? transition) + 1,
  );
  return isYearly && ruleOf(group) !== undefined;
}

/** Returns the rule of changes that are on the same weekday of the same month at the same time; undefined for others. */
function ruleOf(group: readonly Transition[]): string | undefined {
  const walls = group.map(wallOf);
  const [first] = walls;
  if (first === undefined) return undefined;
  const isAlike = walls.every(
    (wall) => monthOf(wall) === monthOf(first) && dayOf(wall) === dayOf(first) && ofDay(wall) === ofDay(first),
  );
  if (!isAlike) return undefined;
  const head = `FREQ=YEARLY;BYMONTH=${monthOf(first) + 1};BYDAY=`;
  const weekday = WEEKDAYS[dayOf(first)];
  const ordinals = walls.map((wall) => Math.ceil(dateOf(wall) / 7));
  if (walls.every((wall) => dateOf(wall) > daysInMonth(wall) - 7)) return `${head}-1${weekday}`;
  if (ordinals.every((ordinal) => ordinal === ordinals[0])) return `${head}${ordinals[0]}${weekday}`;
  return ruleOfWeek(walls, `FREQ=YEARLY;BYMONTH=${monthOf(first) + 1};BYMONTHDAY=`, weekday ?? '');
}

/** A weekday on or after a date, as `Sun>=9` of the tz database. */
function ruleOfWeek(walls: readonly number[], head: string, weekday: string): string | undefined {
  const dates = walls.map(dateOf);
  const first = Math.min(...dates);
  if (Math.max(...dates) - first > 6) return undefined;
  const days = Array.from({ length: 7 }, (_, index) => first + index);
  return `${head}${days.join(',')};BYDAY=${weekday}`;
}

function observance(group: readonly Transition[], rule: string | undefined): IcsComponent {
  const first = group[0] ?? { atMs: 0, fromMs: 0, toMs: 0 };
  // The first too: ical.js, which Thunderbird is built on, passes over DTSTART beside RDATE.
  const dates = rule === undefined && group.length > 1 ? group : [];
  const properties: IcsProperty[] = [
    writeContentLine('DTSTART', compact(wallOf(first))),
    writeContentLine('TZOFFSETFROM', offsetText(first.fromMs)),
    writeContentLine('TZOFFSETTO', offsetText(first.toMs)),
    ...(rule === undefined ? [] : [writeContentLine('RRULE', rule)]),
    // One line each: it takes the first value of a line alone.
    ...dates.map((other) => writeContentLine('RDATE', compact(wallOf(other)))),
  ];
  return { name: first.toMs > first.fromMs ? 'DAYLIGHT' : 'STANDARD', properties, components: [] };
}

/** `+0100`; with seconds where a local mean time has them (RFC 5545 §3.3.14). */
function offsetText(offsetMs: number): string {
  const seconds = (Math.abs(offsetMs) / 1000) % 60;
  const text = formatOffset(offsetMs).replace(':', '');
  return seconds === 0 ? text : `${text}${String(seconds).padStart(2, '0')}`;
}

/** The time by the offset before the change, as VTIMEZONE tells it. */
function wallOf({ atMs, fromMs }: Transition): number {
  return atMs + fromMs;
}

function yearOf(transition: Transition): number {
  return new Date(wallOf(transition)).getUTCFullYear();
}

function monthOf(wallMs: number): number {
  return new Date(wallMs).getUTCMonth();
}

function dateOf(wallMs: number): number {
  return new Date(wallMs).getUTCDate();
}

function dayOf(wallMs: number): number {
  return weekdayOf(Math.floor(wallMs / DAY_MS));
}

function ofDay(wallMs: number): number {
  return wallMs - Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function daysInMonth(wallMs: number): number {
  const date = new Date(wallMs);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

/** Returns the known zones that a component names in TZID parameters, as spelled, each once. */
export function zonesIn(component: IcsComponent): ReadonlySet<string> {
  const names = component.properties.flatMap(({ parameters }) => parameters['tzid'] ?? []);
  const inner = component.components.flatMap((child) => [...zonesIn(child)]);
  return new Set([...names, ...inner].filter((name) => zoneOfTzid(name) !== undefined));
}
