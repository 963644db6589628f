import { type IcsComponent, propertyOf } from '../text/component.ts';
import { type IcsProperty, writeContentLine, writeText } from '../text/content-line.ts';
import { foldLine, printComponents } from '../text/print-components.ts';
import { vtimezone, zonesIn } from '../write/vtimezone.ts';
import { type PrintableGroup, printGroup } from './print-group.ts';

/** Name of this program in what it writes (RFC 5545 §3.7.3). */
export const PRODUCT_ID = '-//kalends//kalends//EN';

/** The calendar around printed events. */
export interface PrintOptions {
  /** IANA name. */
  readonly timeZone: string;
  /** @default none */
  readonly name?: string;
  /** How often a subscriber should ask again, in minutes (RFC 7986 §5.7). @default not said */
  readonly refreshMinutes?: number;
  /**
   * Instant before which no event begins, nor an occurrence or its slot: each VTIMEZONE is valid from its year on. Of an event that is printed
   * earlier than said, the year counts if it is the first in its zone. @default all times; for printEvents the first year of each zone
   */
  readonly fromMs?: number;
  /** METHOD, such as `PUBLISH`. @default none */
  readonly method?: string;
}

/**
 * Prints a calendar as RFC 5545 text, group by group, in the order given: lines in CRLF, folded at 75 octets, a VTIMEZONE before the first
 * event in its zone. The same groups print the same text. Memory is that of one group and of the zones.
 */
export async function* printCalendar(
  groups: AsyncIterable<PrintableGroup> | Iterable<PrintableGroup>,
  options: PrintOptions,
): AsyncGenerator<string, void, undefined> {
  const print = createPrinter(from(options.fromMs ?? ALL_TIMES));
  yield headOf(options);
  for await (const group of groups) yield print(printGroup(group, options.timeZone));
  yield TAIL;
}

/** Prints the same at once. */
export function printEvents(groups: Iterable<PrintableGroup>, options: PrintOptions): string {
  const events = [...groups].map((group) => printGroup(group, options.timeZone));
  const all = events.flat();
  const { fromMs } = options;
  const print = createPrinter(fromMs === undefined ? (zone) => earliestIn(zone, all) : from(fromMs));
  return [headOf(options), ...events.map(print), TAIL].join('');
}

/** No zone has a change before: a VTIMEZONE from here on is valid for all times. */
export const ALL_TIMES = Date.UTC(1800, 0, 1);

/** Returns the instant from which the VTIMEZONE of a zone must be valid, which events are the first to name. */
type ZoneStart = (zone: string, events: readonly IcsComponent[]) => number;

function from(fromMs: number): ZoneStart {
  return (zone, events) => Math.min(fromMs, earliestIn(zone, events));
}

function createPrinter(startOf: ZoneStart): (events: readonly IcsComponent[]) => string {
  const defined = new Set<string>();
  return (events) => {
    const zones = [...new Set(events.flatMap((event) => [...zonesIn(event)]))].filter((zone) => !defined.has(zone));
    for (const zone of zones) defined.add(zone);
    return printComponents([...zones.map((zone) => vtimezone(zone, startOf(zone, events))), ...events]);
  };
}

/** Returns the beginning of the first year of which events tell a time in a zone. */
function earliestIn(zone: string, events: readonly IcsComponent[]): number {
  let year = Number.POSITIVE_INFINITY;
  for (const { properties } of events) {
    for (const { parameters, raw } of properties) {
      if (parameters['tzid'] !== zone) continue;
      for (const value of raw.split(',')) year = Math.min(year, Number(value.slice(0, 4)));
    }
  }
  return startOfYear(year);
}

/** `Date.UTC` takes the years below 100 for those of the twentieth century. */
function startOfYear(year: number): number {
  return Number.isInteger(year) && year >= 1800 ? Date.UTC(year, 0, 1) : ALL_TIMES;
}

const BEGIN: IcsProperty = writeContentLine('BEGIN', 'VCALENDAR');
const TAIL = 'END:VCALENDAR\r\n';

function linesOf(properties: readonly IcsProperty[]): string {
  return properties.map(({ line }) => `${foldLine(line)}\r\n`).join('');
}

function headOf({ timeZone, name, refreshMinutes, method }: PrintOptions): string {
  const interval = `PT${refreshMinutes}M`;
  return linesOf([
    BEGIN,
    ...calendarHead(),
    ...(method === undefined ? [] : [writeContentLine('METHOD', method)]),
    ...(name === undefined ? [] : [writeText('NAME', name), writeText('X-WR-CALNAME', name)]),
    writeText('X-WR-TIMEZONE', timeZone),
    ...(refreshMinutes === undefined
      ? []
      : [
          writeContentLine('REFRESH-INTERVAL', interval, { VALUE: 'DURATION' }),
          writeContentLine('X-PUBLISHED-TTL', interval),
        ]),
  ]);
}

/** The properties that every calendar needs. */
export function calendarHead(): readonly IcsProperty[] {
  return [
    writeContentLine('VERSION', '2.0'),
    writeContentLine('PRODID', PRODUCT_ID),
    writeContentLine('CALSCALE', 'GREGORIAN'),
  ];
}

/**
 * Returns a calendar of components with a VTIMEZONE for each zone that they name, valid from an instant on. One that is there is kept, unless
 * it begins later and is of a known zone.
 */
export function withZones(calendar: IcsComponent, fromMs: number): IcsComponent {
  const definitions = calendar.components.filter(({ name }) => name === 'VTIMEZONE');
  const others = calendar.components.filter(({ name }) => name !== 'VTIMEZONE');
  const used = new Set(others.flatMap((component) => [...zonesIn(component)]));
  const late = definitions.filter((definition) => used.has(tzidOf(definition)) && beginsAfter(definition, fromMs));
  const present = new Set(definitions.filter((definition) => !late.includes(definition)).map(tzidOf));
  const missing = [...used].filter((zone) => !present.has(zone));
  if (missing.length === 0) return calendar;
  const kept = calendar.components.filter((component) => !late.includes(component));
  return { ...calendar, components: [...missing.map((zone) => vtimezone(zone, fromMs)), ...kept] };
}

function tzidOf({ properties }: IcsComponent): string {
  return properties.find(({ name }) => name === 'tzid')?.text ?? '';
}

function beginsAfter(definition: IcsComponent, fromMs: number): boolean {
  const onsets = definition.components.map((observance) => propertyOf(observance, 'dtstart')?.raw ?? '');
  const from = new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '');
  return onsets.every((onset) => onset.slice(0, 8) > from);
}
