/** One property of a component. Its line is kept, so that what is not changed is written back as it was. */
export interface IcsProperty {
  /** Lower case; empty for a line that is no property. */
  readonly name: string;
  /** By lower-case name; several values are joined by commas. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The value as written, without white space around it. */
  readonly raw: string;
  /** The value as a text: escapes resolved (RFC 5545 §3.3.11). */
  readonly text: string;
  /** The whole line, unfolded. */
  readonly line: string;
}

const NAME = /^[A-Za-z0-9-]+/;
const PARAMETER_NAME = /[^=;:"]+/y;
const VALUE = /"[^"]*"|[^";:,]*/y;

/** Reads an unfolded line; undefined for one that is no property. */
export function readContentLine(line: string): IcsProperty | undefined {
  return parse(line) ?? parse(withMovedQuote(line));
}

function parse(written: string): IcsProperty | undefined {
  const line = withQuotedZone(written);
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return undefined;
  const parameters: Record<string, string> = {};
  let at = name.length;
  while (line[at] === ';') {
    const read = readParameter(line, at + 1);
    if (read === undefined) return undefined;
    if (read.name !== '__proto__') parameters[read.name] = read.value;
    at = read.end;
  }
  if (line[at] !== ':') return undefined;
  const value = line.slice(at + 1);
  return { name: name.toLowerCase(), parameters, raw: value.trim(), text: unescapeText(value), line: written };
}

interface ReadParameter {
  readonly name: string;
  readonly value: string;
  readonly end: number;
}

/** Reads `NAME=value`, `NAME="a","b"`, or the bare `NAME` of vCard. */
function readParameter(line: string, from: number): ReadParameter | undefined {
  const name = matchAt(PARAMETER_NAME, line, from);
  if (name === undefined) return undefined;
  let at = from + name.length;
  const values: string[] = [];
  while (line[at] === '=' || (line[at] === ',' && values.length > 0)) {
    const value = matchAt(VALUE, line, at + 1) ?? '';
    values.push(decodeParameter(value.startsWith('"') ? value.slice(1, -1) : value));
    at += 1 + value.length;
  }
  return { name: name.trim().toLowerCase(), value: values.join(','), end: at };
}

function matchAt(sticky: RegExp, line: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(line)?.[0];
}

/** A zone name with colons must be quoted and often is not: `DTSTART;TZID=tzone://Microsoft/Custom:20260301T090000`. */
function withQuotedZone(line: string): string {
  if (!/TZID=/i.test(line.slice(0, 256))) return line;
  return line.replace(
    /^([A-Z-]{1,40};(?:[^:"]{0,200};)?TZID=)([^":;]{0,200}:[^";]{0,200}):([\dTZP/,]{1,100000})$/i,
    '$1"$2":$3',
  );
}

/** Some writers put the closing quote behind the value: `DTSTART;TZID="Zone:20200609T090000"`. */
function withMovedQuote(line: string): string {
  return line.replace(/="([^"]*):([^":]*)"\s*$/, '="$1":$2');
}

/** RFC 6868 §3.1. */
function decodeParameter(value: string): string {
  if (!value.includes('^')) return value;
  return value.replaceAll(/\^([n^'])/g, (_match, escaped: string) => DECODED[escaped] ?? '');
}

const DECODED: Readonly<Record<string, string>> = { n: '\n', '^': '^', "'": '"' };

/** Resolves the escapes of a TEXT value, without a call for each: a text may have a million. */
export function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.split('\\\\').map(unescapePart).join('\\');
}

/** Resolves escapes in a text without escaped backslashes. */
function unescapePart(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll('\\n', '\n').replaceAll('\\N', '\n').replaceAll('\\,', ',').replaceAll('\\;', ';');
}

/** Escapes a text as a TEXT value; characters that no line may contain are left out (RFC 5545 §3.1). */
export function escapeText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\\,;]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll(CONTROLS, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 5545 forbids these characters, save the tab
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]/g;

/** Splits a value at its commas, save escaped ones. */
export function splitValues(raw: string): readonly string[] {
  return raw.match(/(?:\\.|[^\\,])+/g) ?? [];
}

/**
 * Writes a property. Its value is as it stands in the line, without the characters that none may contain: an address or a link of a provider's
 * may have them, and would end the line. Parameters that are undefined are left out.
 */
export function writeContentLine(
  name: string,
  given: string,
  parameters: Readonly<Record<string, string | undefined>> = {},
): IcsProperty {
  const value = given.replaceAll(CONTROLS, '');
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const head = present.map(([key, text]) => `;${key}=${encodeParameter(text)}`).join('');
  return {
    name: name.toLowerCase(),
    parameters: Object.fromEntries(present.map(([key, text]) => [key.toLowerCase(), text])),
    raw: value,
    text: unescapeText(value),
    line: `${name}${head}:${value}`,
  };
}

/** Writes a property whose value is a text. */
export function writeText(name: string, text: string): IcsProperty {
  return writeContentLine(name, escapeText(text));
}

/** RFC 6868 §3.1; quoted where a separator is in it. */
function encodeParameter(value: string): string {
  const text = value
    .replaceAll('^', '^^')
    .replaceAll('"', "^'")
    .replaceAll(/\r\n?|\n/g, '^n')
    .replaceAll(CONTROLS, '');
  return /[;:,]/.test(text) ? `"${text}"` : text;
}

/** Returns the property with a parameter set; undefined removes it. The other parameters and the value stay as written. */
export function withParameter(property: IcsProperty, name: string, value: string | undefined): IcsProperty {
  const { line } = property;
  let head = line.slice(0, property.name.length);
  let at = head.length;
  while (line[at] === ';') {
    const read = readParameter(line, at + 1);
    if (read === undefined) return property;
    if (read.name !== name.toLowerCase()) head += line.slice(at, read.end);
    at = read.end;
  }
  const added = value === undefined ? '' : `;${name}=${encodeParameter(value)}`;
  return readContentLine(head + added + line.slice(at)) ?? property;
}
