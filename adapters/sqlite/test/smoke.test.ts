import { sqlite } from '@kalends/sqlite';
import { manualClock } from 'kalends/conformance';
import { expect, test } from 'vitest';

test('smoke', async () => {
  const s = sqlite({ path: ':memory:', clock: manualClock() });
  await s.open();
  await s.open();
  await s.applications.create({ id: 'app', name: 'n', redirectUrls: ['x'], createdAt: 1, updatedAt: 1 });
  expect(await s.applications.find('app')).toMatchObject({ redirectUrls: ['x'] });
  expect(
    await s.accounts.save(
      {
        id: 'acc',
        applicationId: 'app',
        providerType: 'G',
        providerConfigId: 'p',
        providerAccountId: null,
        email: 'A@b',
        externalId: null,
        authorizedScopes: [],
        status: 'ACTIVE',
        createdAt: 1,
        updatedAt: 1,
      },
      {
        id: 'crd',
        applicationId: 'app',
        accountId: 'acc',
        wrappedKey: '',
        sealedAccessToken: '',
        sealedRefreshToken: '',
        expiresAt: 1,
        status: 'ACTIVE',
        version: 1,
        createdAt: 1,
        updatedAt: 1,
      },
    ),
  ).toBe(true);
  expect((await s.accounts.list('app', { search: 'a@B', limit: 3 })).length).toBe(1);
  const key = { applicationId: 'app', accountId: 'acc', calendarId: 'cal' };
  await s.mirror.ensure(key, { at: 1, tag: 't0', timeZone: 'UTC' });
  await s.subscriptions.insert({
    id: 'whs',
    applicationId: 'app',
    accountId: 'acc',
    calendarId: 'cal',
    subscriptionType: 'event',
    providerType: 'G',
    url: 'u',
    wrappedKey: '',
    sealedSecret: '',
    rateLimit: 2,
    disabledAt: null,
    failingSince: null,
    createdAt: 1,
    updatedAt: 1,
  });
  const w = (itemId: string, groupId: string, content: unknown, etag: string) => ({
    itemId,
    groupId,
    content,
    etag,
    providerTag: null,
    mappingVersion: 1,
    rangeStart: 1,
    rangeEnd: 2,
  });
  expect(
    await s.mirror.commit(key, {
      writes: [w('a', 'a', { x: 1 }, 'e1'), w('a1', 'a', { x: 2 }, 'e2')],
      basedOn: 0,
      at: 5,
      tag: 't1',
      providerToken: 'tok',
      notify: { eventType: 'calendar.event.changed', messageId: () => 'msg1' },
    }),
  ).toEqual({ revision: 1, changed: ['a', 'a1'], deferred: [] });
  expect(await s.mirror.commit(key, { writes: [w('a', 'a', null, '')], basedOn: 0, at: 6, tag: 't2' })).toEqual({
    revision: 1,
    changed: [],
    deferred: ['a'],
  });
  expect(await s.mirror.commit(key, { writes: [w('a', 'a', null, '')], basedOn: 1, at: 6, tag: 't2' })).toEqual({
    revision: 2,
    changed: ['a'],
    deferred: [],
  });
  expect(await s.mirror.readGroups(key, ['a'], 1)).toHaveLength(2);
  expect(await s.mirror.readGroups(key, ['a'], 2)).toHaveLength(1);
  expect(await s.mirror.listRereads(key, 10)).toEqual(['a']);
  expect(await s.mirror.findDeletion(key, 'a')).toEqual({ groupId: 'a', revision: 2 });
  expect(await s.mirror.listTouched(key, { since: 0, until: 2, limit: 5 })).toEqual([{ groupId: 'a', revision: 2 }]);
  expect(await s.mirror.listGroups(key, { asOf: 2, limit: 5, range: { from: 2, to: null } })).toEqual(['a']);
  expect(await s.mirror.findItem(key, 'a')).toBeUndefined();
  expect(await s.mirror.findItem(key, 'a1', 1)).toBeDefined();
  const sw = await s.mirror.startSweep(key);
  expect((await s.mirror.listUnseen(key, { generation: sw.generation, limit: 5 })).length).toBe(1);
  await s.mirror.endSweep(key, sw.generation);
  expect(await s.schedule.hint(key)).toBe(1);
  expect(await s.schedule.claimDueAccount(1000)).toMatchObject({ accountId: 'acc', epoch: 1, collections: [key] });
  expect(await s.schedule.claimDueAccount(1000)).toBeUndefined();
  expect(await s.schedule.nextDueAt()).toBeGreaterThan(1);
  await s.schedule.finish(key, { failures: 0, dueAt: null, clearedHintSeq: 1, syncedAt: 4 });
  const [c] = await s.outbox.claim({ limit: 4, leaseMs: 100 });
  expect(c).toMatchObject({ message: { id: 'msg1', attempts: 1 } });
  expect(
    await s.outbox.acknowledge(
      { applicationId: 'app', subscriptionId: 'whs', messageId: 'msg1', epoch: c!.epoch },
      { id: 'att', messageId: 'msg1', at: 3, status: 200, failure: null, latencyMs: 3, excerpt: '' },
      { kind: 'delivered' },
    ),
  ).toBe(true);
  expect(await s.mirror.purge({ before: 100, limit: 10 })).toBe(2);
  expect(await s.accounts.delete('app', 'acc')).toBe(true);
  await s.close();
});
