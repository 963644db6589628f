/** JSON values of the interface. */
export type Body = Readonly<Record<string, unknown>>;

/** Control characters: a name from outside must not steer the terminal of the person who reads it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Returns a body as JSON of several lines, with control characters escaped. */
export function jsonOf(body: unknown): string {
  // JSON.stringify itself breaks lines: what is left of control characters stands in texts and may be escaped there.
  return JSON.stringify(body, null, 2).replace(CONTROL, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

/** Returns an answer for a person: a table for a list, `name: value` lines for an object. */
export function show(body: Body, columns: readonly string[] | undefined): string {
  const { data } = body;
  if (Array.isArray(data)) return data.length === 0 ? 'none\n' : table(data as readonly Body[], columns);
  return object(body, columns);
}

function object(body: Body, columns: readonly string[] | undefined): string {
  const fields = flat(body);
  const lists = fields.filter(([, value]) => isListOfObjects(value));
  const lines = fields.filter(([, value]) => !isListOfObjects(value));
  const width = Math.max(0, ...lines.map(([name]) => name.length + 1));
  const text = lines.map(([name, value]) => `${`${name}:`.padEnd(width)} ${textOf(value, ', ')}\n`).join('');
  return text + lists.map(([name, value]) => `\n${name}:\n${table(value as readonly Body[], columns)}`).join('');
}

/** Returns the fields of an object, those of inner objects under a path with dots. */
function flat(body: Body, prefix = ''): readonly [string, unknown][] {
  return Object.entries(body).flatMap(([name, value]): readonly [string, unknown][] =>
    isObject(value) && Object.keys(value).length > 0 ? flat(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]],
  );
}

function table(rows: readonly Body[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  const cells = [
    columns.map(heading),
    ...rows.map((row) => columns.map((column) => textOf(valueAt(row, column), ','))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Returns the heading of a column: `lastUsedAt` is LAST USED AT, `actor.id` is ACTOR ID. */
function heading(column: string): string {
  return column
    .replace(/[A-Z]/g, (letter) => ` ${letter}`)
    .replaceAll('.', ' ')
    .toUpperCase();
}

function valueAt(row: Body, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), row);
}

function textOf(value: unknown, separator: string): string {
  if (value === null || value === undefined || value === '') return '-';
  if (isObject(value) && Object.keys(value).length === 0) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map((each) => textOf(each, ' ')).join(separator);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** Returns a text without control characters, for a terminal. */
export function printable(text: string): string {
  return text.replace(CONTROL, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
