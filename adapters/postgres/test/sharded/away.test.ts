import { createHandler } from '@kalends/http';
import { shardedStorage } from '@kalends/postgres';
import { StorageUnavailableError } from 'kalends/ports';
import { expect, onTestFinished, test } from 'vitest';
import { databasePool } from '../server/database-pool.ts';
import { startPostgres } from '../server/start-postgres.ts';
import { databasesOf } from './sharded-databases.ts';
import { engineOf, type Mailbox, startShardedWorld } from './sharded-world.ts';

const EVENT = { start: { dateTime: '2026-04-02T09:00:00', timeZone: 'Europe/London' } };

test('a database that is away costs its own accounts a 503, and other accounts nothing', {
  timeout: 240_000,
}, async () => {
  const near = await Promise.all([databasePool.take(), databasePool.take()]);
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  // Named home, one and two.
  const shards = databasesOf([...near.map(({ url }) => url), server.url]).map((database) => ({
    ...database,
    outageTimeoutMs: 300,
  }));
  const world = await startShardedWorld({ shards });
  onTestFinished(async () => {
    await world.close();
    for (const database of near) await databasePool.giveBack(database);
  });
  const { engine, caller, receiver, storage, sandbox } = world;
  const { key } = await engine.apiKeys.create(caller.applicationId, { name: 'Test', expiresAt: null });
  const mailboxes: Mailbox[] = [];
  for (const name of ['ada', 'ben', 'cy', 'dee', 'eve', 'fay']) mailboxes.push(await world.connect(name));
  const away = new Set((await storage.listPlaces({ shard: 'two', limit: 9 })).map(({ accountId }) => accountId));
  expect(away.size).toBe(2);
  const others = mailboxes.filter(({ accountId }) => !away.has(accountId));
  const gone = mailboxes.filter(({ accountId }) => away.has(accountId));
  const request = (handler: (request: Request) => Promise<Response>) => async (mailbox: Mailbox) => {
    const path = `v1/events/${mailbox.accountId}/${encodeURIComponent(mailbox.calendarId)}`;
    const response = await handler(new Request(`http://localhost/${path}`, { headers: { 'x-api-key': key } }));
    return response.status;
  };
  const statusOf = request(createHandler(engine));
  for (const mailbox of mailboxes) expect(await statusOf(mailbox)).toBe(200);
  const tokens = new Map<Mailbox, string>();
  for (const mailbox of mailboxes) {
    const { nextSyncToken } = await engine.events.list(caller, mailbox.accountId, mailbox.calendarId, {});
    tokens.set(mailbox, nextSyncToken ?? '');
  }

  await server.goAway();
  // Nothing is closed for it: the account is written to below.
  const stays = storage.moveAccount(caller.applicationId, others[0]?.accountId ?? '', 'two');
  await expect(stays).rejects.toThrow('The database of the shard "two" cannot be reached');
  for (const mailbox of gone) {
    expect(await statusOf(mailbox)).toBe(503);
    await world.addEvent(mailbox, 'While away');
  }
  for (const mailbox of others) {
    expect(await statusOf(mailbox)).toBe(200);
    await engine.events.create(caller, mailbox.accountId, mailbox.calendarId, { title: 'Ours', ...EVENT });
    // Pulled by a worker, and delivered.
    const told = receiver.next(mailbox.path);
    await world.addEvent(mailbox, 'Theirs');
    await told;
  }
  // A row that is found nowhere may be in the database that is away.
  const { applicationId } = caller;
  const unknown = [
    () => storage.targets.find(applicationId, 'whs_none'),
    () => storage.channels.findMany(['chn_none']),
  ];
  for (const find of unknown) await expect(find()).rejects.toThrow(StorageUnavailableError);
  const known = others[0]?.subscriptionId ?? '';
  expect(await storage.targets.find(applicationId, known)).toMatchObject({ id: known });
  // New accounts find a place, processes can start, and what is not about its accounts goes on.
  const late = await world.connect('late');
  expect(await statusOf(late)).toBe(200);
  expect((await engine.accounts.list(caller, {})).data).toHaveLength(mailboxes.length + 1);
  const second = shardedStorage({ shards });
  const secondEngine = engineOf(second, (await sandbox.listen()).url);
  await secondEngine.start({ background: false });
  onTestFinished(() => secondEngine.stop());
  const statusAtSecond = request(createHandler(secondEngine));
  expect(await Promise.all(others.map(statusAtSecond))).toEqual(others.map(() => 200));
  expect(await Promise.all(gone.map(statusAtSecond))).toEqual(gone.map(() => 503));

  const told = gone.map(({ path }) => receiver.next(path));
  await server.comeBack();
  await Promise.all(told);
  for (const mailbox of gone) {
    const { accountId, calendarId } = mailbox;
    const syncToken = tokens.get(mailbox) ?? '';
    const { data } = await engine.events.list(caller, accountId, calendarId, { syncToken });
    expect(data).toEqual([expect.objectContaining({ title: 'While away' })]);
  }
  expect(await storage.targets.find(applicationId, 'whs_none')).toBeUndefined();
  expect(await storage.channels.findMany(['chn_none'])).toEqual([]);
  await expect.poll(() => Promise.all(gone.map(statusAtSecond)), { timeout: 30_000 }).toEqual(gone.map(() => 200));
});
