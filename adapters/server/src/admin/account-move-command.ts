import type { ShardedStorage } from '@kalends/postgres';
import { KalendsError } from 'kalends';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { jsonOf } from '../commands/show.ts';
import { createLogger } from '../logger.ts';
import { opening, shardedStorageOf } from '../serve/open-storage.ts';
import { HOME } from '../serve/shard-list.ts';
import { readSettingValues, SETTING_FLAGS, type Settings, settingsHelp } from '../settings.ts';

const HELP = `kalends account move --to SHARD [--app ID] [--json] ACCOUNT…: moves accounts to another database of KALENDS_SHARDS, while they
are in use.

  --to SHARD  the database: a name of KALENDS_SHARDS, or "home"
  --app ID    the application of the accounts; or KALENDS_APP
  --json      prints JSON at the end: {"data":[{"accountId","shard"}]}, or {"data":[{"shard","accounts"}]} without ACCOUNT; what was
              moved before an error, too

Reads go on; writes to an account wait while its rows are copied. Tokens, subscriptions, messages and ids stay valid. A move that is
interrupted is finished or taken back by the other processes. Without ACCOUNT it prints how many accounts each database has;
"kalends account places" shows where each is.

  kalends account move --app app_… --to two acc_… acc_…

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'to', kind: 'value', value: 'SHARD', summary: 'the database to move to' },
  { name: 'app', kind: 'value', value: 'ID', summary: 'the application; or KALENDS_APP' },
  { name: 'json', kind: 'switch', summary: 'Print JSON.' },
];

export const accountMoveCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runAccountMove };

/** Runs `kalends account move`; resolves with 0. @throws CommandError for arguments that cannot be used, and for a refusal */
async function runAccountMove(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals: accountIds } = parseArguments(args, optionsOf([...FLAGS, ...SETTING_FLAGS]));
  const settings = readSettingValues(values, process.env);
  const storage = shardedStorageOf(settings, createLogger('warn'));
  const isJson = values['json'] === true;
  const target = accountIds.length === 0 ? undefined : targetOf(values, settings);
  if (target === undefined && values['to'] !== undefined) throw new CommandError('the accounts to move are missing');
  await opening(settings, () => storage.open());
  try {
    if (target !== undefined) {
      const { app, to } = target;
      const moved: object[] = [];
      try {
        for (const accountId of accountIds) {
          await storage.moveAccount(app, accountId, to);
          moved.push({ accountId, shard: to });
          if (!isJson) io.stdout.write(`${accountId}  ${to}\n`);
        }
      } finally {
        if (isJson) io.stdout.write(`${jsonOf({ data: moved })}\n`);
      }
      return 0;
    }
    const counts = await countAll(storage);
    if (isJson) io.stdout.write(`${jsonOf({ data: counts })}\n`);
    else for (const { shard, accounts } of counts) io.stdout.write(`${shard.padEnd(16)}${accounts}\n`);
    return 0;
  } catch (error) {
    if (KalendsError.isInstance(error) && error.status < 500) throw new CommandError(error.message, 1);
    throw error;
  } finally {
    await storage.close();
  }
}

/** Returns where accounts are to go. @throws CommandError for a database that the settings do not name, and without an application */
function targetOf(
  { to, app = process.env['KALENDS_APP'] }: Readonly<Record<string, unknown>>,
  { shards }: Settings,
): { readonly app: string; readonly to: string } {
  if (typeof to !== 'string') throw new CommandError('--to is required');
  const names = [HOME, ...shards.map(({ name }) => name)];
  if (!names.includes(to)) throw new CommandError(`--to: there is no shard "${to}"; there are ${names.join(', ')}`);
  if (typeof app !== 'string') throw new CommandError('--app is required; or set KALENDS_APP');
  return { app, to };
}

/** Counts the accounts of each database, of those that KALENDS_SHARDS does not name too. */
async function countAll(
  storage: ShardedStorage,
): Promise<readonly { readonly shard: string; readonly accounts: number }[]> {
  const missing = (await storage.health.databases?.countMissing()) ?? [];
  return [...(await storage.countPlaces()), ...missing.map(({ name, accounts }) => ({ shard: name, accounts }))];
}
