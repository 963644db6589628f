import type { AccountRow } from 'kalends/ports';
import type { Run } from './run.ts';
import type { Shard } from './shard.ts';

/** Columns of an account on which background work in its shard depends. */
type CopiedColumns = Pick<AccountRow, 'providerType' | 'providerConfigId' | 'status'>;

interface HomeRow extends CopiedColumns {
  readonly id: string;
  readonly applicationId: string;
  readonly createdAt: number;
}

const HOME_ROW = `select id, application_id as "applicationId", provider_type as "providerType",
  provider_config_id as "providerConfigId", status, created_at as "createdAt" from kalends_account where id = $1`;

/**
 * Writes the copy of an account to its shard, for foreign keys and for background work, with the account's place there. It has
 * nothing of a person: e-mail and identity stay in the home database. Idempotent.
 */
export async function writeCopy(shard: Shard, account: Omit<HomeRow, 'updatedAt'>): Promise<void> {
  if (shard.isHome) return;
  await shard.transaction((run) => insertCopy(run, shard, account, 0));
}

/** Does so in a transaction. @param collections number of the latest collection of the account */
export async function insertCopy(run: Run, shard: Shard, account: HomeRow, collections: number): Promise<void> {
  await run(
    `insert into kalends_application (id, name, redirect_urls, created_at, updated_at) values ($1, '', '[]', 0, 0)
      on conflict do nothing`,
    [account.applicationId],
  );
  await run(
    `insert into kalends_account (id, application_id, provider_type, provider_config_id, provider_account_id, email, email_key,
        external_id, external_key, authorized_scopes, status, collections, created_at, updated_at)
      values ($1, $2, $3, $4, null, '', $1, null, null, '[]', $5, $6, $7, $7) on conflict (id) do nothing`,
    [
      ...[account.id, account.applicationId, account.providerType, account.providerConfigId, account.status],
      ...[collections, account.createdAt],
    ],
  );
  await run(
    `insert into kalends_account_place (account_id, application_id, shard) values ($1, $2, $3) on conflict do nothing`,
    [account.id, account.applicationId, shard.name],
  );
}

/** Returns which of these accounts a shard other than the home has, and whether their places there are open to writes. */
export async function placesIn(shard: Shard, accountIds: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const rows = await shard.read<{ readonly accountId: string; readonly isClosed: number }>(
    `select account_id as "accountId", is_closed as "isClosed" from kalends_account_place
      where account_id = any($1::text[]) and shard = $2`,
    [accountIds, shard.name],
  );
  return new Map(rows.map(({ accountId, isClosed }) => [accountId, isClosed === 0]));
}

/** Whether the shard has the account: the home database has all, another one those that have a place in it. */
export async function hasAccount(shard: Shard, accountId: string): Promise<boolean> {
  return shard.isHome || (await placesIn(shard, [accountId])).has(accountId);
}

/** Lets writes to the account in again. */
export async function openPlaceIn(shard: Shard, accountId: string): Promise<void> {
  await shard.write('update kalends_account_place set is_closed = 0 where account_id = $1', [accountId]);
}

/** Reads an account's row as its copy has it. */
export async function readHomeRow(run: Run, accountId: string): Promise<HomeRow | undefined> {
  const [row] = await run<HomeRow>(HOME_ROW, [accountId]);
  return row;
}

/**
 * Brings what background work in a database knows of an account up to date with its row in the home database: its copy, if the
 * database is another one, and its schedule. The row is read under the lock of the copy: of several changes the last one stands.
 */
export async function refreshCopy(home: Shard, shard: Shard, accountId: string): Promise<void> {
  await shard.transaction(async (run) => {
    const [copy] = await run('select 1 as found from kalends_account where id = $1 for no key update', [accountId]);
    const row = copy === undefined ? undefined : await readHomeRow(shard.isHome ? run : home.read, accountId);
    if (row === undefined) return;
    if (!shard.isHome) {
      await run(`update kalends_account set status = $2, provider_type = $3, provider_config_id = $4 where id = $1`, [
        ...[accountId, row.status, row.providerType, row.providerConfigId],
      ]);
    }
    await run(`update kalends_schedule set is_active = $2 where account_id = $1 and is_active <> $2`, [
      accountId,
      row.status === 'ACTIVE' ? 1 : 0,
    ]);
  });
}
