import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { AvailabilityExplainQuery, AvailabilityQuery, AvailabilityResult, SlotExplanation } from 'kalends/model';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { readSettingValues, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';

const HELP = `kalends availability --app ID [FILE] [--explain TIME] [--json]: finds when people can meet.

  --app ID        the application; or KALENDS_APP
  --explain TIME  says why the slot that starts then is offered, or why not
  --json          prints the answer as it is

FILE has the query as POST /v1/availability takes it; without FILE it is read from standard input.

  kalends availability --app app_… question.json
  kalends availability --app app_… question.json --explain 2027-03-02T14:00

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'app', kind: 'value', value: 'ID', summary: 'the application; or KALENDS_APP' },
  { name: 'explain', kind: 'value', value: 'TIME', summary: 'why the slot that starts then is offered, or why not' },
  { name: 'json', kind: 'switch', summary: 'prints the answer as it is' },
];

export const availabilityCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runAvailability };

/** Runs `kalends availability`; resolves with 0. @throws CommandError for arguments that cannot be used, and for a refusal */
export async function runAvailability(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args, optionsOf([...FLAGS, ...SETTING_FLAGS]));
  const [file, surplus] = positionals;
  if (surplus !== undefined) throw new CommandError(`Unexpected argument "${surplus}"`);
  const applicationId = values['app'] ?? process.env['KALENDS_APP'];
  if (typeof applicationId !== 'string' || applicationId === '')
    throw new CommandError('--app is required; or set KALENDS_APP');
  const settings = readSettingValues(values, process.env);
  const query = await readQuery(file, io);
  const slotDateTime = values['explain'];
  const print = (lines: readonly string[], answer: object) => {
    const shown = values['json'] === true ? [JSON.stringify(answer, null, 2)] : lines;
    io.stdout.write(`${shown.join('\n')}\n`);
  };
  await withEngine(settings, async ({ availability }) => {
    if (typeof slotDateTime === 'string') {
      const { limit: _, pageToken: __, orderBy: ___, result: ____, ...question } = query;
      const answer = await availability.explain({ applicationId }, {
        ...question,
        slotDateTime,
      } as AvailabilityExplainQuery);
      print(explanationLines(answer), answer);
    } else {
      const answer = await availability.query({ applicationId }, query);
      print(slotLines(answer), answer);
    }
  });
  return 0;
}

async function readQuery(file: string | undefined, io: CommandIo): Promise<AvailabilityQuery> {
  const name = file ?? 'standard input';
  const json = file === undefined ? await text(io.stdin) : await readFile(file, 'utf8').catch(unreadable(file));
  try {
    // The engine checks it.
    return JSON.parse(json) as AvailabilityQuery;
  } catch (error) {
    throw new CommandError(`${name} must be JSON: ${error instanceof Error ? error.message : error}`, 1);
  }
}

function slotLines({ slots, ranges, total, notConnected = [], nextPageToken }: AvailabilityResult): readonly string[] {
  const found = slots ?? ranges ?? [];
  const lines = found.map(({ start, end, participants, absent }) =>
    [start.dateTime, end.dateTime, participants.join(', '), ...absent.map((id) => `without ${id}`)].join('\t'),
  );
  const unread = notConnected.flatMap(({ email, error }) =>
    error === undefined ? [] : [`not known: ${email} (${error.code}: ${error.message})`],
  );
  const rest = nextPageToken === null ? [] : [`more: "pageToken": "${nextPageToken}"`];
  return [...lines, `${total ?? found.length} found`, ...unread, ...rest];
}

function explanationLines({ start, isOffered, obstacles }: SlotExplanation): readonly string[] {
  const verdict = `${start.dateTime} is ${isOffered ? '' : 'not '}offered`;
  return [verdict, ...obstacles.map(({ code, text: reason }) => `${code}\t${reason}`)];
}

const unreadable = (file: string) => (error: NodeJS.ErrnoException) => {
  throw new CommandError(`cannot read ${file}: ${error.message}`, 1);
};
