import type { Run } from './run.ts';

/** Reads the name that a database has noted; undefined for one that has none yet. */
export async function readShardName(read: Run): Promise<string | undefined> {
  const [fact] = await read<{ readonly value: string }>(`select value from kalends_fact where name = 'shard'`);
  return fact?.value;
}

/** Writes its name into a database, so that two that were mixed up are noticed. @throws Error when it has another one */
export async function claimName(label: string, read: Run, write: Run): Promise<void> {
  await write(`insert into kalends_fact (name, value) values ('shard', $1) on conflict do nothing`, [label]);
  const noted = await readShardName(read);
  if (noted === label) return;
  throw new Error(
    `The database given as "${label}" is that of "${noted}": give each shard the name and the address that it began with, and the home database first`,
  );
}

/** Names the shards that have accounts, without a walk over these. */
export async function readShardNames(run: Run): Promise<readonly string[]> {
  const rows = await run<{ readonly shard: string }>(
    `with recursive found (shard) as (
        select min(shard) from kalends_account_place
        union all
        select (select min(p.shard) from kalends_account_place p where p.shard > found.shard)
          from found where found.shard is not null)
      select shard from found where shard is not null`,
  );
  return rows.map(({ shard }) => shard);
}

/**
 * Says why a database that is one of several must not be used by a storage that knows this one alone, which would pull the calendars
 * of the accounts of the others anew, and answer without their subscriptions; undefined when it may be used. The database has been migrated.
 */
export async function problemAlone(run: Run): Promise<string | undefined> {
  const label = await readShardName(run);
  if (label === undefined) return undefined;
  const [kind, name] = label.split(':');
  if (kind !== 'home') {
    return `The database is the shard "${name}" of several: set KALENDS_SHARDS, or use shardedStorage`;
  }
  const others = (await readShardNames(run)).filter((each) => each !== name);
  if (others.length === 0) return undefined;
  return `Accounts of the database are in the shards ${others.join(', ')}: set KALENDS_SHARDS, or use shardedStorage; or move them home first`;
}
