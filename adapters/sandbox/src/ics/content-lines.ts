import ICAL from 'ical.js';

/** One property of an iCalendar component. */
export interface IcsProperty {
  /** Lower case. */
  readonly name: string;
  /** By lower-case name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The text as written after the colon. */
  readonly raw: string;
  /** The decoded text: escapes resolved, several values joined by commas. */
  readonly text: string;
}

/** A component with its properties and the components in it. */
export interface IcsComponent {
  /** Upper case, for instance `VEVENT`. */
  readonly name: string;
  readonly properties: readonly IcsProperty[];
  readonly components: readonly IcsComponent[];
}

interface OpenComponent {
  name: string;
  properties: IcsProperty[];
  components: IcsComponent[];
}

/**
 * Reads the components of an iCalendar text, line by line, so that one broken line costs no more than itself:
 * what cannot be read is told to `report` and left out. Components that are never closed end with the text.
 */
export function readComponents(text: string, report: (problem: string) => void): IcsComponent[] {
  const root: OpenComponent = { name: '', properties: [], components: [] };
  const open: OpenComponent[] = [root];
  for (const line of unfold(text)) {
    const [, verb, name = ''] = /^\s*(BEGIN|END):\s*(\S+)\s*$/i.exec(line) ?? [];
    const top = open.at(-1) ?? root;
    if (verb?.toUpperCase() === 'BEGIN') {
      const component: OpenComponent = { name: name.toUpperCase(), properties: [], components: [] };
      top.components.push(component);
      open.push(component);
    } else if (verb !== undefined) {
      const at = open.findLastIndex((component) => component.name === name.toUpperCase());
      if (at > 0) open.length = at;
    } else if (open.length > 1) {
      const property = readProperty(line);
      if (property === undefined) report(`left out a line that cannot be read: ${line.slice(0, 120)}`);
      else top.properties.push(property);
    }
  }
  return root.components;
}

/** RFC 5545 §3.1: a line that begins with white space continues the one before it. */
function unfold(text: string): string[] {
  const unfolded = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?|\u2028/g, '\n')
    .replaceAll(/\n[ \t]/g, '');
  return unfolded.split('\n').filter((line) => line.trim() !== '');
}

function readProperty(line: string): IcsProperty | undefined {
  const quoted = quoteZone(line);
  const property = parse(quoted) ?? parse(moveStrayQuote(quoted));
  if (property === undefined) return undefined;
  const parameters: Record<string, string> = {};
  for (const [name, value] of Object.entries(property.jCal[1] as Record<string, unknown>)) {
    parameters[name] = Array.isArray(value) ? value.join(',') : String(value);
  }
  const values = (property.jCal as unknown[]).slice(3);
  const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(',');
  const isUntyped = property.jCal[2] === 'unknown';
  return {
    name: property.name,
    parameters,
    raw: rawValue(property.source),
    text: isUntyped ? unescapeText(text) : text,
  };
}

function parse(line: string): { name: string; jCal: unknown[]; source: string } | undefined {
  try {
    const property = ICAL.Property.fromString(line, ICAL.design.icalendar);
    return { name: property.name, jCal: property.jCal, source: line };
  } catch {
    // Reported by the caller, which has the whole line.
    return undefined;
  }
}

/** A zone name with colons must be quoted and often is not: `DTSTART;TZID=tzone://Microsoft/Custom:20260301T090000`. */
function quoteZone(line: string): string {
  return line.replace(/^([A-Z-]+;(?:[^:"]*;)?TZID=)([^":;]*:[^":;]*):([\dTZ,]+)\s*$/i, '$1"$2":$3');
}

/** Some writers put the closing quote behind the value: `DTSTART;TZID="Zone:20200609T090000"`. */
function moveStrayQuote(line: string): string {
  return line.replace(/="([^"]*):([^":]*)"\s*$/, '="$1":$2');
}

function rawValue(line: string): string {
  let quoted = false;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === '"') quoted = !quoted;
    else if (line[index] === ':' && !quoted) return line.slice(index + 1).trim();
  }
  return '';
}

function unescapeText(text: string): string {
  return text.replaceAll(/\\([\\,;nN])/g, (_match, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}
