import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CalendarImport } from 'kalends/model';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { commandActor } from '../commands/command-actor.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { readSettingValues, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';

const EVERY_MS = 500;

const HELP = `kalends import FILE --app ID --account ID --calendar ID [--dry-run]: imports an iCalendar file into a calendar.

  --app ID       the application; or KALENDS_APP
  --account ID   the account
  --calendar ID  the calendar, by its id at the provider
  --dry-run      only report what the import would do

A running "kalends start" or "kalends work" writes the events; this command shows how far it is, and then what was not taken over. An
interrupted command does not stop the import.

  kalends import ada.ics --app app_… --account acc_… --calendar ada@example.com --dry-run

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'app', kind: 'value', value: 'ID', summary: 'the application; or KALENDS_APP' },
  { name: 'account', kind: 'value', value: 'ID', summary: 'the account' },
  { name: 'calendar', kind: 'value', value: 'ID', summary: 'the calendar' },
  { name: 'dry-run', kind: 'switch', summary: 'only report what the import would do' },
];

export const importCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runImport };

/**
 * Runs `kalends import`; resolves with 0, or 1 when the import failed.
 * @throws CommandError for arguments that cannot be used, and for a refusal
 */
export async function runImport(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArguments(args, optionsOf([...FLAGS, ...SETTING_FLAGS]));
  const [file, surplus] = positionals;
  if (file === undefined) throw new CommandError('FILE is required');
  if (surplus !== undefined) throw new CommandError(`Unexpected argument "${surplus}"`);
  const need = (name: string, value: unknown, hint = ''): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new CommandError(`--${name} is required${hint}`);
  };
  const applicationId = need('app', values['app'] ?? process.env['KALENDS_APP'], '; or set KALENDS_APP');
  const [accountId, calendarId] = [need('account', values['account']), need('calendar', values['calendar'])];
  const settings = readSettingValues(values, process.env);
  const opened = await open(file).catch(unreadable(file));
  const work = withEngine(settings, async ({ imports }) => {
    const caller = { applicationId, actor: commandActor() };
    const query = { dryRun: values['dry-run'] === true };
    const parts = opened.createReadStream({ autoClose: false });
    let now = await imports.create(caller, accountId, calendarId, parts, query).catch(unreadable(file));
    let shown = '';
    while (now.state === 'running') {
      if (shown !== progress(now)) io.stderr.write(`${progress(now)}\n`);
      shown = progress(now);
      await sleep(EVERY_MS);
      now = await imports.get(caller, accountId, calendarId, now.id);
    }
    io.stdout.write(`${now.state}: ${progress(now)}\n`);
    if (now.error !== null) io.stdout.write(`error: ${now.error}\n`);
    for (;;) {
      for (const { uid, field, rule } of now.problems) io.stdout.write(`${uid}\t${field}\t${rule}\n`);
      if (now.nextPageToken === null) break;
      now = await imports.get(caller, accountId, calendarId, now.id, { pageToken: now.nextPageToken });
    }
    return now.state === 'finished' ? 0 : 1;
  });
  return await work.finally(() => opened.close());
}

function progress({ counts }: CalendarImport): string {
  return Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

const unreadable = (file: string) => (error: NodeJS.ErrnoException) => {
  if (error.syscall === undefined) throw error;
  throw new CommandError(`cannot read ${file}: ${error.message}`, 1);
};
