import { RecurrenceError } from '../../../src/recurrence/index.ts';
import type { IcsZoneComponent } from '../../../src/zones/index.ts';

/** One property of a recurrence text. */
export interface TextProperty {
  /** Upper case: DTSTART, RRULE, EXRULE, RDATE or EXDATE. */
  readonly name: string;
  readonly tzid: string | undefined;
  /** Upper case. */
  readonly valueType: string | undefined;
  readonly value: string;
}

/** A VTIMEZONE of a text, read and as written. */
export interface ZoneDefinition {
  readonly component: IcsZoneComponent;
  readonly lines: readonly string[];
}

/** The parts of a recurrence text. */
export interface RecurrenceText {
  readonly properties: readonly TextProperty[];
  /** By TZID. */
  readonly definitions: ReadonlyMap<string, ZoneDefinition>;
}

/** Components whose recurrence properties are read; others, such as VALARM, are passed over. */
const EVENTS = ['VEVENT', 'VTODO', 'VJOURNAL'];
const NAMES = ['DTSTART', 'RRULE', 'EXRULE', 'RDATE', 'EXDATE'];

/** iCalendar has three levels. Each line looks at those that are open. */
const MOST_NESTED = 16;

const COMPONENT = /^(BEGIN|END):(\S+)$/i;

interface OpenComponent {
  readonly name: string;
  readonly properties: { name: string; raw: string; text: string }[];
  readonly components: OpenComponent[];
}

/**
 * Reads a recurrence text: content lines, folded or not, a bare `FREQ=…`, VTIMEZONE components beside them, or one event in a
 * whole iCalendar text.
 * @throws RecurrenceError naming the property that no recurrence has, or what is missing
 */
export function readText(text: string): RecurrenceText {
  const properties: TextProperty[] = [];
  const definitions = new Map<string, ZoneDefinition>();
  const open: OpenComponent[] = [];
  let zoneLines: string[] = [];
  let events = 0;
  for (const line of contentLines(text)) {
    const [, verb, componentName = ''] = COMPONENT.exec(line) ?? [];
    const name = componentName.toUpperCase();
    if (verb?.toUpperCase() === 'BEGIN') {
      if (EVENTS.includes(name)) events += 1;
      if (events > 1) throw new RecurrenceError(name, 'the text has several; give the lines of one');
      if (name === 'VTIMEZONE') zoneLines = [];
      if (open.length >= MOST_NESTED) throw new RecurrenceError(name, `is nested more than ${MOST_NESTED} deep`);
      const component: OpenComponent = { name, properties: [], components: [] };
      open.at(-1)?.components.push(component);
      open.push(component);
      zoneLines.push(line);
    } else if (verb !== undefined) {
      const closed = open.pop();
      if (closed?.name !== name) throw new RecurrenceError(name, 'END without its BEGIN');
      zoneLines.push(line);
      if (name === 'VTIMEZONE') {
        define(definitions, closed, zoneLines);
        zoneLines = [];
      }
    } else {
      zoneLines.push(line);
      readLine(line, open, properties);
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw new RecurrenceError(unclosed.name, 'has no END');
  return { properties, definitions };
}

/** Begins a property; each alternative is fixed text. */
const PROPERTY = /^(?:DTSTART|RRULE|EXRULE|RDATE|EXDATE)[;:]/i;
/** The one space before a property. */
const SPACE_BEFORE_PROPERTY = /[ \t](?=(?:DTSTART|RRULE|EXRULE|RDATE|EXDATE)[;:])/i;

/**
 * Splits a text into unfolded lines. Outside of components a property also begins after a space: in indented texts of source code,
 * and in one line as rrule reads it. Inside, a space may be part of any text.
 */
function contentLines(text: string): readonly string[] {
  const lines: string[] = [];
  let open = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const content = line.trim();
    if (content === '') continue;
    const isFolded = line.charCodeAt(0) <= SPACE && lines.length > 0 && (open > 0 || !PROPERTY.test(content));
    if (isFolded) lines.push(`${lines.pop()}${open > 0 ? line.slice(1) : line.slice(1).trimEnd()}`);
    else lines.push(...(open > 0 ? [line] : content.split(SPACE_BEFORE_PROPERTY)));
    const [, verb] = isFolded ? [] : (COMPONENT.exec(content) ?? []);
    if (verb !== undefined) open += verb.toUpperCase() === 'BEGIN' ? 1 : -1;
  }
  return lines.map((line) => line.trim());
}

const SPACE = 32;

function define(definitions: Map<string, ZoneDefinition>, component: OpenComponent, lines: readonly string[]): void {
  const tzid = component.properties.find(({ name }) => name === 'tzid')?.text;
  if (tzid === undefined) throw new RecurrenceError('VTIMEZONE', 'has no TZID');
  definitions.set(tzid, { component, lines });
}

function readLine(line: string, open: readonly OpenComponent[], properties: TextProperty[]): void {
  const component = open.at(-1);
  if (open.some(({ name }) => name === 'VTIMEZONE')) {
    const { name, value } = partsOf(line);
    // A TZID is a TEXT, whose separators are escaped; as a parameter it is quoted instead.
    component?.properties.push({ name: name.toLowerCase(), raw: value, text: value.replaceAll(/\\([\\,;])/g, '$1') });
    return;
  }
  if (component !== undefined && !EVENTS.includes(component.name)) return;
  const property = propertyOf(line);
  if (property !== undefined) properties.push(property);
  else if (component === undefined) {
    throw new RecurrenceError(partsOf(line).name || 'recurrence', `is none of ${NAMES.join(', ')}`);
  }
}

function propertyOf(line: string): TextProperty | undefined {
  if (/^FREQ=/i.test(line)) return { name: 'RRULE', tzid: undefined, valueType: undefined, value: line };
  const { name, parameters, value } = partsOf(line);
  if (!NAMES.includes(name)) return undefined;
  return {
    name,
    tzid: parameterOf(parameters, 'TZID='),
    valueType: parameterOf(parameters, 'VALUE=')?.toUpperCase(),
    value,
  };
}

function parameterOf(parameters: readonly string[], head: string): string | undefined {
  const parameter = parameters.find((text) => text.slice(0, head.length).toUpperCase() === head);
  return parameter?.slice(head.length).replaceAll('"', '').trim();
}

/** No value of a recurrence has a colon, but names of zones do, quoted or not: the last colon begins the value. */
function partsOf(line: string): { name: string; parameters: readonly string[]; value: string } {
  const colon = ZONE_NAME.test(line) ? line.indexOf(':') : line.lastIndexOf(':');
  const head = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(colon + 1).trim();
  const [name = '', ...parameters] = head.includes(';') ? (head.match(PARAMETER) ?? []) : [head];
  return { name: name.trim().toUpperCase(), parameters, value: value.endsWith(';') ? value.slice(0, -1) : value };
}

const ZONE_NAME = /^(?:TZID|X-LIC-LOCATION)[;:]/i;
const PARAMETER = /(?:"[^"]*"|[^;"])+/g;
