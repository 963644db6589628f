import type { IcsComponent } from '../text/component.ts';
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
  /** METHOD, such as `PUBLISH`. @default none */
  readonly method?: string;
}

/**
 * Prints a calendar as RFC 5545 text, group by group, in the order given: lines in CRLF, folded at 75 octets, a VTIMEZONE before the first
 * event in its zone, valid for all times. The same groups print the same text. Memory is that of one group and of the zones.
 */
export async function* printCalendar(
  groups: AsyncIterable<PrintableGroup> | Iterable<PrintableGroup>,
  options: PrintOptions,
): AsyncGenerator<string, void, undefined> {
  const printer = createPrinter(options);
  yield printer.head;
  for await (const group of groups) yield printer.print(group);
  yield printer.tail;
}

/** Prints the same at once. */
export function printEvents(groups: Iterable<PrintableGroup>, options: PrintOptions): string {
  const printer = createPrinter(options);
  const parts = [...groups].map((group) => printer.print(group));
  return [printer.head, ...parts, printer.tail].join('');
}

/** No zone has a change before: a VTIMEZONE from here on is valid for all times. */
export const ALL_TIMES = Date.UTC(1800, 0, 1);

function createPrinter(options: PrintOptions) {
  const defined = new Set<string>();

  function print(group: PrintableGroup): string {
    const events = printGroup(group, options.timeZone);
    const zones = [...new Set(events.flatMap((event) => [...zonesIn(event)]))].filter((zone) => !defined.has(zone));
    for (const zone of zones) defined.add(zone);
    return printComponents([...zones.map((zone) => vtimezone(zone, ALL_TIMES)), ...events]);
  }

  return { head: linesOf([BEGIN, ...headOf(options)]), print, tail: 'END:VCALENDAR\r\n' };
}

const BEGIN: IcsProperty = writeContentLine('BEGIN', 'VCALENDAR');

function linesOf(properties: readonly IcsProperty[]): string {
  return properties.map(({ line }) => `${foldLine(line)}\r\n`).join('');
}

function headOf({ timeZone, name, refreshMinutes, method }: PrintOptions): readonly IcsProperty[] {
  const interval = `PT${refreshMinutes}M`;
  return [
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
  ];
}

/** The properties that every calendar needs. */
export function calendarHead(): readonly IcsProperty[] {
  return [
    writeContentLine('VERSION', '2.0'),
    writeContentLine('PRODID', PRODUCT_ID),
    writeContentLine('CALSCALE', 'GREGORIAN'),
  ];
}

/** Returns a calendar of components with a VTIMEZONE for each zone that they name and that none of them defines. */
export function withZones(calendar: IcsComponent, fromMs: number): IcsComponent {
  const present = new Set(
    calendar.components
      .filter(({ name }) => name === 'VTIMEZONE')
      .map(({ properties }) => properties.find(({ name }) => name === 'tzid')?.text),
  );
  const used = calendar.components
    .filter(({ name }) => name !== 'VTIMEZONE')
    .flatMap((component) => [...zonesIn(component)]);
  const missing = [...new Set(used)].filter((zone) => !present.has(zone));
  if (missing.length === 0) return calendar;
  return { ...calendar, components: [...missing.map((zone) => vtimezone(zone, fromMs)), ...calendar.components] };
}
