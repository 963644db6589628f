import type { AccountPlace, ShardedStorage } from '@kalends/postgres';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseArguments } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { type Flag, optionsOf } from '../commands/flag.ts';
import { jsonOf, show } from '../commands/show.ts';
import { createLogger } from '../logger.ts';
import { opening, shardedStorageOf } from '../serve/open-storage.ts';
import { readSettingValues, SETTING_FLAGS, settingsHelp } from '../settings.ts';

const HELP = `kalends account places [--app ID] [--shard SHARD] [--json] [ACCOUNT…]: shows in which database of KALENDS_SHARDS accounts are, all of
them or the given ones.

  --app ID       only accounts of the application; or KALENDS_APP
  --shard SHARD  only accounts in this database: a name of KALENDS_SHARDS, or "home"
  --json         prints JSON

movingTo is the database that an account is being moved to; movedFrom one that it has left, and that has rows of it yet.

  kalends account places --shard two

${settingsHelp()}`;

const FLAGS: readonly Flag[] = [
  { name: 'app', kind: 'value', value: 'ID', summary: 'only accounts of the application; or KALENDS_APP' },
  { name: 'shard', kind: 'value', value: 'SHARD', summary: 'only accounts in this database' },
  { name: 'json', kind: 'switch', summary: 'Print JSON.' },
];
const AT_ONCE = 1_000;

export const accountPlacesCommand: Command = { help: HELP, flags: [...FLAGS, ...SETTING_FLAGS], run: runAccountPlaces };

interface Wanted {
  readonly accountIds: readonly string[];
  readonly app: string | undefined;
  readonly shard: string | undefined;
}

/** Runs `kalends account places`; resolves with 0. @throws CommandError for arguments that cannot be used, and unknown accounts */
async function runAccountPlaces(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals: accountIds } = parseArguments(args, optionsOf(accountPlacesCommand.flags));
  const settings = readSettingValues(values, process.env);
  const app = (values['app'] as string | undefined) ?? process.env['KALENDS_APP'];
  const storage = shardedStorageOf(settings, createLogger('warn'));
  await opening(settings, () => storage.open());
  try {
    const shard = values['shard'] as string | undefined;
    const data: AccountPlace[] = [];
    for await (const { accountId, applicationId, shard: name, movingTo, movedFrom } of placesOf(storage, {
      accountIds,
      app,
      shard,
    })) {
      data.push({ accountId, applicationId, shard: name, movingTo, movedFrom });
    }
    io.stdout.write(values['json'] === true ? `${jsonOf({ data })}\n` : show({ data }, undefined));
    return 0;
  } finally {
    await storage.close();
  }
}

async function* placesOf(storage: ShardedStorage, wanted: Wanted): AsyncGenerator<AccountPlace> {
  const { accountIds, app, shard } = wanted;
  const isWanted = (place: AccountPlace) =>
    (app === undefined || place.applicationId === app) && (shard === undefined || place.shard === shard);
  for (const accountId of accountIds) {
    const place = await storage.findPlace(accountId);
    if (place === undefined || !isWanted(place)) throw new CommandError(`there is no account ${accountId} there`, 1);
    yield place;
  }
  if (accountIds.length > 0) return;
  for (let after = ''; ; ) {
    const page = await storage.listPlaces({ after, limit: AT_ONCE, ...(shard === undefined ? {} : { shard }) });
    yield* page.filter(isWanted);
    const last = page.at(-1);
    if (last === undefined || page.length < AT_ONCE) return;
    after = last.accountId;
  }
}
