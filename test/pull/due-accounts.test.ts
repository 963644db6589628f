import { manualClock } from '@kalends/conformance';
import { expect, onTestFinished, test } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

test.each(STORAGES)('of one database, accounts are claimed in the order in which they are due: %s', async (name) => {
  const clock = manualClock();
  const storage = await storageAt(await newDatabase(name), clock);
  onTestFinished(() => storage.close());
  await storage.open();
  await storage.applications.create(applicationRow());
  // The longest due have the last ids, and the second of them has more that is due than a claim looks at for one account.
  const ids = ['acc_4', 'acc_3', 'acc_2', 'acc_1', 'acc_0'];
  for (const [index, id] of ids.entries()) {
    const identity = { id, email: `${id}@example.com`, providerAccountId: id };
    const account = accountRow(identity);
    await storage.accounts.save(account, credentialRow({ id: `crd_${id}`, accountId: id }));
    for (let calendar = 0; calendar < (index === 1 ? 30 : 2); calendar += 1) {
      const key = { applicationId: account.applicationId, accountId: id, calendarId: `cal_${calendar}` };
      await storage.schedule.dueBy(key, clock.now() - 100 * (ids.length - index) - calendar);
    }
  }
  const claimed: string[][] = [];
  for (const limit of [1, 3, 8, 8, 8]) {
    const claims = await storage.schedule.claimDueAccounts(1_000, limit);
    claimed.push(claims.map(({ accountId }) => accountId));
    expect(claims.length).toBeLessThanOrEqual(limit);
  }
  expect(claimed[0]).toEqual(['acc_4']);
  expect(claimed.flat()).toEqual(ids);
});
