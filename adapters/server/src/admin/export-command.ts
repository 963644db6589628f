import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { readSettingValues, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';
import { writeWhole } from './write-whole.ts';

const HELP = `kalends export --app ID --account ID --calendar ID [FILE]: writes a calendar as an iCalendar file.

  --app ID       the application; or KALENDS_APP
  --account ID   the account
  --calendar ID  the calendar, by its id at the provider

Without FILE it prints to standard output. All events of the mirror are in it, each series with its exceptions. A calendar whose mirror
is older than a read allows is pulled first.

  kalends export --app app_… --account acc_… --calendar ada@example.com ada.ics

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'app', kind: 'value', value: 'ID', summary: 'the application; or KALENDS_APP' },
  { name: 'account', kind: 'value', value: 'ID', summary: 'the account' },
  { name: 'calendar', kind: 'value', value: 'ID', summary: 'the calendar' },
];

export const exportCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runExport };

/** Runs `kalends export`; resolves with 0. @throws CommandError for arguments that cannot be used, and for a refusal */
export async function runExport(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args, optionsOf([...FLAGS, ...SETTING_FLAGS]));
  const [file, surplus] = positionals;
  if (surplus !== undefined) throw new CommandError(`Unexpected argument "${surplus}"`);
  const need = (name: string, value: unknown, hint = ''): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new CommandError(`--${name} is required${hint}`);
  };
  const applicationId = need('app', values['app'] ?? process.env['KALENDS_APP'], '; or set KALENDS_APP');
  const [accountId, calendarId] = [need('account', values['account']), need('calendar', values['calendar'])];
  const settings = readSettingValues(values, process.env);
  await withEngine(settings, async (engine) => {
    const { text } = await engine.events.export({ applicationId }, accountId, calendarId);
    if (file === undefined) await writeAll(text, io.stdout);
    else await writeWhole(file, text).catch(unwritable(file));
  });
  return 0;
}

async function writeAll(text: AsyncIterable<string>, target: NodeJS.WritableStream): Promise<void> {
  for await (const part of text) {
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
      target.write(part, resolve);
    });
    // The reader has gone, and wants no more.
    if (error?.code === 'EPIPE') return;
    if (error != null) throw error;
  }
}

const unwritable = (file: string) => (error: NodeJS.ErrnoException) => {
  if (error.syscall === undefined) throw error;
  throw new CommandError(`cannot write ${file}: ${error.message}`, 1);
};
