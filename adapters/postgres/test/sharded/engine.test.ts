import { expect, onTestFinished, test } from 'vitest';
import { SHARDS, takeShardedDatabases } from './sharded-databases.ts';
import { startShardedWorld } from './sharded-world.ts';

const NAMES = ['ada', 'ben', 'cy', 'dee', 'eve', 'fay', 'gus', 'hal'];
const EVENT = { start: { dateTime: '2026-04-02T09:00:00', timeZone: 'Europe/London' } };

test('an engine on four databases spreads accounts, reads, writes, syncs and delivers', async () => {
  const databases = await takeShardedDatabases();
  const world = await startShardedWorld(databases.optionsOf());
  onTestFinished(async () => {
    await world.close();
    await databases.giveBack();
  });
  const { engine, caller, receiver, storage } = world;
  const mailboxes = [];
  for (const name of NAMES) mailboxes.push(await world.connect(name));
  expect(await storage.countPlaces()).toEqual(SHARDS.map((shard) => ({ shard, accounts: 2 })));

  for (const { accountId, calendarId, path } of mailboxes) {
    const { nextSyncToken } = await engine.events.list(caller, accountId, calendarId, {});
    const told = receiver.next(path);
    const { id } = await engine.events.create(caller, accountId, calendarId, { title: 'Ours', ...EVENT });
    const { data } = await engine.events.list(caller, accountId, calendarId, { syncToken: nextSyncToken ?? '' });
    expect(data).toEqual([expect.objectContaining({ id, title: 'Ours' })]);
    expect(JSON.parse((await told).body)).toMatchObject({ eventType: 'calendar.event.changed' });
  }
  // A worker's poll finds an event that a person adds at the provider, and tells of it.
  await Promise.all(
    mailboxes.map(async (mailbox) => {
      const told = receiver.next(mailbox.path);
      await world.addEvent(mailbox, 'Theirs');
      await told;
      const { data } = await engine.events.list(caller, mailbox.accountId, mailbox.calendarId, {});
      expect(data.map((event) => ('title' in event ? event.title : '')).sort()).toEqual(['Ours', 'Theirs']);
    }),
  );
  const { data: accounts } = await engine.accounts.list(caller, {});
  expect(accounts.map(({ email }) => email)).toEqual(mailboxes.map(({ email }) => email));
  await engine.accounts.delete(caller, mailboxes[3]?.accountId ?? '');
  expect((await storage.erasure.findOwnerless()).ownerless).toEqual([]);
  expect((await storage.countPlaces()).reduce((sum, { accounts: count }) => sum + count, 0)).toBe(NAMES.length - 1);
});
