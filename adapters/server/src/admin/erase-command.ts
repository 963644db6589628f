import type { ErasureReport, ErasureTrace } from 'kalends';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { withEngine } from './open-engine.ts';

const HELP = `kalends erase --verify: looks for what a deleted account has left in the database.

  --account ID     the account's id
  --email ADDRESS  the person's address; may be repeated
  --text TEXT      another text of the person, such as the external id; may be repeated
  --json           prints the whole report as JSON

It reads every text of every table, within JSON and URLs too, and lists each column with the number of its rows. Nothing is changed:
the background work of a server erases. An account that is in no table, not even in the audit log, is named: check its id. Exits with 0 when nothing is left, with 1 when something is.

  kalends erase --verify --account acc_… --email jane@people.example

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'verify', kind: 'switch', summary: 'looks, and changes nothing' },
  { name: 'account', kind: 'value', value: 'ID', summary: "the account's id" },
  { name: 'email', kind: 'list', value: 'ADDRESS', summary: "the person's address; may be repeated" },
  { name: 'text', kind: 'list', value: 'TEXT', summary: 'another text of the person; may be repeated' },
  { name: 'json', kind: 'switch', summary: 'prints the report as JSON' },
];

export const eraseCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runErase };

/** Runs `kalends erase --verify`; resolves with 0 when nothing is left, else with 1. */
export async function runErase(args: readonly string[], io: CommandIo): Promise<number> {
  const { settings, values } = readSettings(args, process.env, optionsOf(FLAGS));
  if (values['verify'] !== true) {
    throw new CommandError('--verify is required: a server erases by itself; this command looks for what is left');
  }
  const accountId = values['account'] as string | undefined;
  const texts = [...listOf(values['email']), ...listOf(values['text'])];
  if (accountId === undefined && texts.length === 0) throw new CommandError('give --account, --email or --text');
  const report = await withEngine(settings, (engine) =>
    engine.erasure.verify({ texts, ...(accountId === undefined ? {} : { accountId }) }),
  );
  io.stdout.write(values['json'] === true ? `${JSON.stringify(report)}\n` : shown(report) + doubt(report, accountId));
  return report.isErased ? 0 : 1;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

/** A mistyped id is found nowhere, as an erased one is: the audit log tells them apart. */
function doubt({ isErased, kept }: ErasureReport, accountId: string | undefined): string {
  if (accountId === undefined || !isErased || kept.length > 0) return '';
  return `${accountId} is in no table, not even in the audit log, which keeps ids for audit.keepDays: check the id.\n`;
}

function shown({ isErased, traces, ownerless, kept, sealed }: ErasureReport): string {
  const parts: readonly (readonly [string, readonly ErasureTrace[]])[] = [
    ['left:', traces],
    ['left, of accounts that do not exist:', ownerless],
    ["kept for the audit log, the account's id alone:", kept],
    ['sealed, not searched; each row goes with its owner:', sealed.filter(({ rows }) => rows > 0)],
  ];
  const lines = parts
    .filter(([, each]) => each.length > 0)
    .flatMap(([title, each]) => [title, ...each.map(({ table, column, rows }) => `  ${table}.${column}  ${rows}`)]);
  return `${[isErased ? 'Nothing is left.' : 'Something is left.', ...lines].join('\n')}\n`;
}
