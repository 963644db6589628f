import { createReadStream } from 'node:fs';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { createHistoryChecker, type HistoryCheckerOptions } from './history-checker.ts';
import { HistoryLineError, readHistoryLine } from './history-line.ts';
import { printHistoryReport } from './print-history-report.ts';
import { readLines } from './read-lines.ts';

const HELP = `kalends check-history FILE: checks the log of a client against the promises of kalends (docs/histories.md).

  --only-writer         no one else writes to the calendars, and these clients write one after the other
  --no-updated-at       do not compare updatedAt, where programs with wrong clocks write it (CalDAV)
  --token-lifetime DAYS lifetime of sync tokens that the service is configured with (30)
  --json                print the report as JSON

FILE has a line of JSON for each request, as recordHistory of @kalends/client/history writes it; "-" is standard input. Exits with 0 when every
promise held, 1 when one did not, 2 when the file or an argument cannot be read.

  kalends check-history history.jsonl
`;

const FLAGS: readonly Flag[] = [
  { name: 'only-writer', kind: 'switch', summary: 'no one else writes to the calendars' },
  { name: 'updated-at', kind: 'switch', isOn: true, summary: 'do not compare updatedAt' },
  { name: 'token-lifetime', kind: 'value', value: 'DAYS', summary: 'lifetime of sync tokens' },
  { name: 'json', kind: 'switch', summary: 'print the report as JSON' },
];

const DAY_MS = 86_400_000;

export const checkHistoryCommand: Command = { help: HELP, flags: FLAGS, run: runCheckHistory };

/**
 * Runs `kalends check-history`; resolves with 0 when every promise held, and 1 when one did not.
 * @throws CommandError for arguments, a file or a line that cannot be read
 */
async function runCheckHistory(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args, optionsOf(FLAGS));
  const [file, surplus] = positionals;
  if (file === undefined) throw new CommandError('FILE is required; "-" is standard input');
  if (surplus !== undefined) throw new CommandError(`Unexpected argument "${surplus}"`);
  const checker = createHistoryChecker(optionsFrom(values));
  const parts = file === '-' ? io.stdin : createReadStream(file);
  try {
    let number = 0;
    for await (const line of readLines(parts)) {
      number += 1;
      if (line.trim() !== '') checker.take(readHistoryLine(line, number), number);
    }
  } catch (error) {
    if (error instanceof HistoryLineError) throw new CommandError(`${file}, ${error.message}`);
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new CommandError(`cannot read ${file}: ${(error as Error).message}`);
  }
  const report = checker.end();
  if (report.exchanges === 0) throw new CommandError(`${file}: has no requests`);
  io.stdout.write(values['json'] === true ? `${JSON.stringify(report)}\n` : printHistoryReport(report));
  return Object.values(report.promises).some(({ violated }) => violated > 0) ? 1 : 0;
}

function optionsFrom(values: Readonly<Record<string, unknown>>): HistoryCheckerOptions {
  const days = values['token-lifetime'];
  const isDays = days === undefined || (/^\d+(?:\.\d+)?$/.test(String(days)) && Number(days) > 0);
  if (!isDays) throw new CommandError('--token-lifetime: must be a number of days above 0');
  return {
    isOnlyWriter: values['only-writer'] === true,
    trustsUpdatedAt: values['updated-at'] !== false,
    ...(days === undefined ? {} : { tokenLifetimeMs: Number(days) * DAY_MS }),
  };
}
