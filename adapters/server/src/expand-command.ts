import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { describeRecurrence } from 'kalends/describe';
import { compileSeries, RecurrenceError, type SeriesDefinition } from 'kalends/recurrence';
import { formatDate, formatInstant, formatWall, instantOf, parseWall, resolveZone } from 'kalends/zones';
import type { CommandIo } from './command-io.ts';
import type { Command } from './commands/command.ts';
import { flagsOf } from './commands/flag.ts';

const USAGE = `Usage: kalends expand --dtstart 2026-01-05T09:00 [--tz America/New_York] --rule 'FREQ=WEEKLY;BYDAY=MO'
                      [--rule 'EXDATE:…'] [--from DATE] [--to DATE] [--limit N] [--gap forward|skip]
       kalends expand --batch < requests.jsonl

Prints the starts of a recurrence that lie in [from, to), one a line. Dates are local unless they end in Z or an offset.
Without --tz the series is floating; a --dtstart without a time makes it all-day. Without --to at most 1000 are printed.

--batch reads one JSON object a line, {dtstart, timeZone|null, lines, from?, to?, limit?, gap?}, and writes one a line:
{"starts":[…]} in order, with "truncated":true when there are more than 100000 (1000 without "to"), or {"error":"…"}.
`;

const OPTIONS = {
  dtstart: { type: 'string' },
  tz: { type: 'string' },
  rule: { type: 'string', multiple: true },
  from: { type: 'string' },
  to: { type: 'string' },
  limit: { type: 'string' },
  gap: { type: 'string' },
  batch: { type: 'boolean' },
} as const;

export const expandCommand: Command = { help: USAGE, flags: flagsOf(OPTIONS), run: runExpand };

/** One request: a series and a window. Dates are in the user's spelling. */
interface ExpandRequest extends Pick<SeriesDefinition, 'dtstart' | 'timeZone' | 'lines' | 'gap'> {
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

const MAX_STARTS = 100_000;
const MAX_STARTS_WITHOUT_END = 1000;

/**
 * Runs `kalends expand`: prints the occurrences of a recurrence, or answers requests line by line with `--batch`.
 * Resolves with the exit code: 0, 1 for an invalid recurrence, 2 for invalid arguments.
 */
export async function runExpand(args: readonly string[], io: CommandIo): Promise<number> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (options.batch === true) {
    await answerLines(io);
    return 0;
  }
  if (options.dtstart === undefined) {
    io.stderr.write(`--dtstart is required: the first start of the recurrence\n\n${USAGE}`);
    return 2;
  }
  return printOne(options, io);
}

function readOptions(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS }).values;
}

type Options = ReturnType<typeof readOptions>;

function requestOf(options: Options): ExpandRequest {
  const { dtstart, tz, rule = [], limit, from, to, gap } = options;
  return checkRequest({
    dtstart,
    timeZone: tz ?? null,
    lines: rule,
    from,
    to,
    limit: limit === undefined ? undefined : Number(limit),
    gap,
  });
}

function printOne(options: Options, io: CommandIo): number {
  try {
    const request = requestOf(options);
    const { starts, truncated } = expand(request);
    io.stdout.write(`# ${describeRecurrence(request.lines) || 'once'}\n`);
    for (const start of starts) io.stdout.write(`${start}\n`);
    if (truncated === true) io.stderr.write(`stopped after ${starts.length}; give --to or --limit for others\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    io.stderr.write(`${error.message}\n`);
    return 1;
  }
}

interface Expansion {
  readonly starts: readonly string[];
  readonly truncated?: true;
}

function expand(request: ExpandRequest): Expansion {
  const series = compileSeries(request);
  const zone = series.isAllDay || request.timeZone === null ? null : (resolveZone(request.timeZone) ?? null);
  const from = boundOf('from', request.from, zone, Number.NEGATIVE_INFINITY);
  const to = boundOf('to', request.to, zone, Number.POSITIVE_INFINITY);
  const room = request.to === undefined ? MAX_STARTS_WITHOUT_END : MAX_STARTS;
  const limit = request.limit === undefined ? room + 1 : Math.min(request.limit, MAX_STARTS);
  const text = (startMs: number): string =>
    series.isAllDay ? formatDate(startMs) : zone === null ? formatWall(startMs) : formatInstant(zone, startMs);
  const starts = series.occurrences({ from, to, limit }).map((occurrence) => text(occurrence.startMs));
  if (request.limit !== undefined || starts.length <= room) return { starts };
  return { starts: starts.slice(0, room), truncated: true };
}

/** Parses a bound of the window: local time, or an instant if the text ends in `Z` or an offset. */
function boundOf(name: string, text: string | undefined, zone: string | null, byDefault: number): number {
  if (text === undefined) return byDefault;
  const [, local = '', sign = '', hours = '0', minutes = '0'] =
    /^(.*?)(?:Z|([+-])(\d\d):?(\d\d))?$/.exec(text.length > 10 ? text : `${text}T00:00`) ?? [];
  const wall = parseWall(local);
  if (wall === undefined) throw new RecurrenceError(name, `"${text}" is no date or date-time`);
  const offsetMs = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const isInstant = sign !== '' || text.endsWith('Z');
  if (zone === null) return wall.wallMs;
  return isInstant ? wall.wallMs - offsetMs : instantOf(zone, wall.wallMs);
}

/** Answers requests as they arrive, no faster than the reader takes the answers. */
async function answerLines(io: CommandIo): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of io.stdin) {
    const text = rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
    const lines = text.split('\n');
    rest = lines.pop() ?? '';
    await write(io, lines);
  }
  await write(io, [rest]);
}

async function write(io: CommandIo, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    if (line.trim() === '') continue;
    if (!io.stdout.write(`${answer(line)}\n`)) await once(io.stdout, 'drain');
  }
}

function answer(line: string): string {
  try {
    return JSON.stringify(expand(checkRequest(JSON.parse(line))));
  } catch (error) {
    if (error instanceof RecurrenceError || error instanceof SyntaxError)
      return JSON.stringify({ error: error.message });
    throw error;
  }
}

/** Checks a request field by field; null stands for an absent field. */
function checkRequest(value: unknown): ExpandRequest {
  const check = (field: string, isGood: boolean, rule: string): void => {
    if (!isGood) throw new RecurrenceError(field, rule);
  };
  check('request', typeof value === 'object' && value !== null && !Array.isArray(value), 'must be a JSON object');
  const given = Object.entries(value as Record<string, unknown>).filter(([, field]) => field != null);
  const { dtstart, timeZone, lines, from, to, limit, gap } = Object.fromEntries(given);
  check('dtstart', typeof dtstart === 'string', 'must be a local date or date-time');
  check('timeZone', timeZone === undefined || typeof timeZone === 'string', 'must be a string or null');
  check('lines', Array.isArray(lines) && lines.every((each) => typeof each === 'string'), 'must be a list of strings');
  check('from', from === undefined || typeof from === 'string', 'must be a string');
  check('to', to === undefined || typeof to === 'string', 'must be a string');
  check('limit', limit === undefined || (Number.isInteger(limit) && Number(limit) >= 0), 'must be a whole number');
  check('gap', gap === undefined || gap === 'forward' || gap === 'skip', 'must be forward or skip');
  return { timeZone: null, ...Object.fromEntries(given) } as unknown as ExpandRequest;
}
