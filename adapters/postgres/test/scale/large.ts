import { postgres } from '@kalends/postgres';
import type { Storage } from 'kalends/ports';
import pg from 'pg';
import { startPostgres } from '../server/start-postgres.ts';
import { generate, largeScale } from './generate.ts';

const REPEATS = 50;

/** Builds the large database in a PostgreSQL of its own and prints what it takes. @param share of the full size, default 1 */
export async function main(share = '1'): Promise<void> {
  const scale = largeScale(Number(share));
  const server = await startPostgres({ maintenance_work_mem: '512MB', max_wal_size: '8GB' });
  try {
    const storage = postgres({ connectionString: server.url, listen: false });
    await storage.open();
    const client = new pg.Client({ connectionString: server.url });
    // A look that fails stops the server under it; its own error is the one to see.
    client.on('error', () => undefined);
    await client.connect();
    const begin = performance.now();
    await generate(client, scale);
    print('generated in', `${Math.round((performance.now() - begin) / 1000)} s`);
    const { rows } = await client.query(`
      select pg_size_pretty(pg_database_size(current_database())) as size, (select count(*) from kalends_item_version) as versions`);
    print('versions', rows[0].versions);
    print('size', rows[0].size);
    await measure(storage, client, scale.eventsPerAccount);
    await client.end();
    await storage.close();
  } finally {
    await server.stop();
  }
}

async function measure(storage: Storage, client: pg.Client, events: number): Promise<void> {
  const { rows } = await client.query(`select application_id, account_id, calendar_id from kalends_collection
    where calendar_id <> '' order by tag, md5(account_id) limit ${REPEATS}`);
  const keys = rows.map((row) => ({
    applicationId: row.application_id as string,
    accountId: row.account_id as string,
    calendarId: row.calendar_id as string,
  }));
  const from = 1_650_000_000_000;
  const groups = new Map<string, readonly string[]>();
  const looks: Readonly<Record<string, (index: number) => Promise<unknown>>> = {
    'groups of a month': (index) =>
      storage.mirror.listGroups(keys[index]!, { asOf: 20, limit: 250, range: { from, to: from + 2_678_400_000 } }),
    'first page of groups': async (index) => {
      groups.set(keys[index]!.accountId, await storage.mirror.listGroups(keys[index]!, { asOf: 20, limit: 250 }));
    },
    'contents of a page': (index) =>
      storage.mirror.readGroups(keys[index]!, groups.get(keys[index]!.accountId) ?? [], 20),
    'changes since a revision': (index) =>
      storage.mirror.listTouched(keys[index]!, { since: 18, until: 20, limit: 250 }),
    'claim of a due account': () => storage.schedule.claimDueAccounts(60_000, 1),
    // Few enough that there is something left for each.
    'claim of 20 deliveries': () => storage.outbox.acknowledgeAndClaim([], { limit: 20, leaseMs: 60_000 }),
    'accounts of an application': (index) => storage.accounts.list(keys[index]!.applicationId, { limit: 50 }),
    'push hint': (index) => storage.schedule.hint(keys[index]!),
    'commit of one change': (index) =>
      storage.mirror.commit(keys[index]!, {
        writes: [
          {
            ...{ itemId: `new_${events}`, groupId: `new_${events}`, content: { title: 'New' }, etag: 'new' },
            ...{ providerTag: null, mappingVersion: 1, rangeStart: from, rangeEnd: from + 1 },
          },
        ],
        basedOn: 20,
        at: from,
        tag: 'new',
      }),
  };
  for (const [name, look] of Object.entries(looks)) {
    const times: number[] = [];
    for (let index = 0; index < keys.length; index += 1) {
      const begin = performance.now();
      await look(index);
      times.push(performance.now() - begin);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(1)} ms`;
    print(name, `median ${at(0.5)}, 95 % ${at(0.95)}`);
  }
}

function print(name: string, value: unknown): void {
  process.stdout.write(`${name.padEnd(28)} ${value}\n`);
}
