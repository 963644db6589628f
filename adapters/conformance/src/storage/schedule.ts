import assert from 'node:assert/strict';
import type { DueAccount } from 'kalends/ports';
import { NO_SCHEDULE, pollsConformance } from './polls.ts';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  channelRow,
  credentialRow,
  ensureMirrored,
  inWorld,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  race,
  type StorageConformanceOptions,
} from './world.ts';

/** ScheduleStore and ChannelStore. */
export function scheduleConformance(options: StorageConformanceOptions): void {
  hints(options);
  pollsConformance(options);
  claims(options);
  coolDowns(options);
  channels(options);
}

function hints(options: StorageConformanceOptions): void {
  inWorld(options, 'schedule: a collection without any has zeros and nulls', async ({ storage, key }) => {
    assert.deepEqual(await storage.schedule.get(key), NO_SCHEDULE);
    assert.equal(await storage.schedule.nextDueAt(), null);
  });

  inWorld(
    options,
    'schedule: missing calendars are noted since the first time, until they are found',
    async (world) => {
      const { schedule } = world.storage;
      const other = { ...world.key, calendarId: 'cal_2' };
      await schedule.dueBy(world.key, 5);
      await schedule.noteMissing(world.key, 10);
      await schedule.noteMissing(world.key, 20);
      await schedule.noteMissing(other, 30);
      await schedule.noteMissing(world.foreignKey, 40);
      assert.equal((await schedule.get(world.key)).dueAt, null);
      assert.deepEqual(await schedule.listMissing(world.key), [
        { calendarId: 'cal_1', since: 10 },
        { calendarId: 'cal_2', since: 30 },
      ]);
      await schedule.noteFound(world.key);
      await schedule.noteFound({ ...world.key, calendarId: 'cal_3' });
      assert.deepEqual(await schedule.listMissing(other), [{ calendarId: 'cal_2', since: 30 }]);
      assert.deepEqual(await schedule.listMissing(world.foreignKey), []);
    },
  );

  inWorld(options, 'schedule: lists an account with its failures and missing calendars', async (world) => {
    const { storage, key, foreignKey } = world;
    const { schedule } = storage;
    const [list, other] = [
      { ...key, calendarId: null },
      { ...key, calendarId: 'cal_0' },
    ];
    assert.deepEqual(await schedule.list(key), []);
    await ensureMirrored(storage, key);
    const lastFailure = { code: 'ProviderUnavailable', at: 70 };
    await schedule.finish(key, { failures: 1, lastFailure, dueAt: 80 });
    await schedule.finish(key, { failures: 1, dueAt: 90 });
    await schedule.noteMissing(other, 5);
    await schedule.dueBy(list, 7);
    await schedule.dueBy(foreignKey, 8);
    const row = { ...NO_SCHEDULE, missingSince: null, lastFailure: null };
    assert.deepEqual(await schedule.list(key), [
      { ...row, calendarId: null, dueAt: 7 },
      { ...row, calendarId: 'cal_0', missingSince: 5 },
      { ...row, calendarId: 'cal_1', failures: 1, lastFailure, dueAt: 90 },
    ]);
    assert.deepEqual(await schedule.list(foreignKey), []);
    await schedule.finish(key, { failures: 0, lastFailure: null, dueAt: 90 });
    assert.equal((await schedule.list(key)).at(-1)?.lastFailure, null);
  });

  inWorld(options, 'schedule: hints count up, also concurrent ones, and are due now', async (world) => {
    const { storage, key, foreignKey, clock } = world;
    const seqs = await race(world, 6, ({ schedule }) => schedule.hint(key));
    assert.deepEqual(seqs.toSorted(), [1, 2, 3, 4, 5, 6]);
    const state = await storage.schedule.get(key);
    assert.deepEqual([state.hintSeq, state.clearedHintSeq, state.dueAt], [6, 0, clock.now()]);
    assert.equal(await storage.schedule.hint(foreignKey), 0);
    assert.deepEqual(await storage.schedule.get(foreignKey), NO_SCHEDULE);
    assert.equal((await storage.schedule.get(key)).hintSeq, 6);
    assert.equal((await storage.schedule.get({ ...key, calendarId: null })).hintSeq, 0);
  });

  inWorld(options, 'schedule: dueBy takes the earlier time, reads the later', async ({ storage, key, foreignKey }) => {
    const { schedule } = storage;
    for (const at of [500, 300, 400]) await schedule.dueBy(key, at);
    for (const at of [500, 700, 600]) await schedule.noteRead(key, at);
    await schedule.dueBy(foreignKey, 1);
    await schedule.noteRead(foreignKey, 900);
    assert.deepEqual(await schedule.get(key), { ...NO_SCHEDULE, dueAt: 300, lastReadAt: 700 });
    assert.equal(await schedule.nextDueAt(), 300);
  });

  inWorld(options, 'schedule: an outcome under a lost lease is not recorded', async ({ storage, key }) => {
    const { leases, schedule } = storage;
    await ensureMirrored(storage, key);
    const name = `pull:${key.applicationId}:${key.accountId}:${key.calendarId}`;
    const lost = await leases.claim(name, 1_000);
    if (lost === undefined) throw new Error('The lease is held');
    const finish = (failures: number, epoch: number) =>
      schedule.finish(key, { failures, dueAt: failures * 10 }, { name, epoch });
    await finish(1, lost.epoch + 1);
    assert.deepEqual(await schedule.list(key), []);
    await finish(1, lost.epoch);
    await leases.release(name, lost.epoch);
    const held = await leases.claim(name, 1_000);
    await finish(2, lost.epoch);
    assert.equal((await schedule.get(key)).failures, 1);
    await finish(3, held?.epoch ?? 0);
    const { failures, dueAt } = await schedule.get(key);
    assert.deepEqual([failures, dueAt], [3, 30]);
  });

  inWorld(options, 'schedule: finish sets the outcome and never lowers what is known', async ({ storage, key }) => {
    const { schedule } = storage;
    await ensureMirrored(storage, key);
    await schedule.finish(key, { syncedAt: 100, clearedHintSeq: 0, failures: 0, dueAt: 900 });
    assert.deepEqual(await schedule.get(key), { ...NO_SCHEDULE, syncedAt: 100, dueAt: 900 });
    for (let hint = 1; hint <= 3; hint += 1) await schedule.hint(key);
    await schedule.finish(key, { syncedAt: 200, clearedHintSeq: 3, failures: 0, repeatsLeft: 2, dueAt: 950 });
    await schedule.finish(key, { failures: 2, dueAt: 960 });
    assert.deepEqual(await schedule.get(key), {
      ...NO_SCHEDULE,
      hintSeq: 3,
      fullHintSeq: 3,
      clearedHintSeq: 3,
      syncedAt: 200,
      dueAt: 960,
      failures: 2,
      repeatsLeft: 2,
    });
    await schedule.finish(key, { syncedAt: 150, clearedHintSeq: 3, failures: 0, repeatsLeft: 0, dueAt: null });
    const state = await schedule.get(key);
    assert.deepEqual([state.syncedAt, state.failures, state.repeatsLeft, state.dueAt], [200, 0, 0, null]);
    assert.equal(await schedule.nextDueAt(), null);
  });

  inWorld(options, 'schedule: a hint that came meanwhile keeps the collection due', async ({ storage, key, clock }) => {
    const { schedule } = storage;
    await schedule.hint(key);
    await schedule.hint(key);
    await clock.advance(50);
    const later = clock.now() + 1_000;
    await schedule.finish(key, { syncedAt: 1, clearedHintSeq: 1, failures: 0, dueAt: later });
    assert.deepEqual([(await schedule.get(key)).clearedHintSeq, (await schedule.get(key)).dueAt], [1, clock.now()]);
    await schedule.finish(key, { failures: 1, dueAt: later });
    assert.equal((await schedule.get(key)).dueAt, later);
  });
}

function claims(options: StorageConformanceOptions): void {
  inWorld(options, 'schedule: a claim takes one account with its due collections, earliest first', async (world) => {
    const { storage, key, clock } = world;
    const now = clock.now();
    const collection = (calendarId: string | null) => ({ ...key, calendarId });
    await storage.schedule.dueBy(collection('later'), now - 5);
    await storage.schedule.dueBy(collection(null), now);
    await storage.schedule.dueBy(collection('first'), now - 9);
    await storage.schedule.dueBy(collection('future'), now + 1);
    await storage.schedule.noteRead(collection('never'), now);
    const [claim] = await storage.schedule.claimDueAccounts(100, 8);
    assert.ok(claim);
    assert.deepEqual(claim, {
      applicationId: APPLICATION,
      accountId: ACCOUNT,
      epoch: claim.epoch,
      collections: [collection('first'), collection('later'), collection(null)],
      isFailing: false,
    });
    assert.equal(await storage.leases.claim(`account:${ACCOUNT}`, 100), undefined);
    assert.deepEqual(await storage.schedule.claimDueAccounts(100, 8), []);
    assert.equal(await storage.schedule.nextDueAt(), now + 100);
    await storage.leases.release(`account:${ACCOUNT}`, claim.epoch);
    assert.equal(await storage.schedule.nextDueAt(), now - 9);
    assert.equal((await storage.schedule.claimDueAccounts(100, 8))[0]?.accountId, ACCOUNT);
  });

  inWorld(options, 'schedule: a claim takes several accounts, up to its limit, each once', async (world) => {
    const { storage, clock } = world;
    const now = clock.now();
    // One has much that is due at the same time.
    const accounts = ['acc_s3', 'acc_s2', 'acc_s1', 'acc_s0'];
    for (const [index, id] of accounts.entries()) {
      await storage.accounts.save(
        accountRow({ id, email: `${id}@example.com`, providerAccountId: id }),
        credentialRow({ id: `crd_${id}`, accountId: id }),
      );
      const key = { applicationId: APPLICATION, accountId: id };
      for (let calendar = 0; calendar < (index === 2 ? 20 : 2); calendar += 1) {
        await storage.schedule.dueBy({ ...key, calendarId: `cal_${calendar}` }, now - 50 * index - calendar);
      }
    }
    const claims: DueAccount[] = [];
    for (let limit = 2; claims.length < accounts.length; limit = 8) {
      const claimed = await storage.schedule.claimDueAccounts(100, limit);
      assert.ok(claimed.length > 0 && claimed.length <= limit);
      claims.push(...claimed);
    }
    assert.deepEqual(claims.map(({ accountId }) => accountId).toSorted(), accounts.toSorted());
    for (const { accountId, collections } of claims) {
      const ids = collections.map(({ calendarId }) => calendarId);
      if (accountId === 'acc_s1') assert.equal(ids.length, 20);
      else assert.deepEqual(ids, ['cal_1', 'cal_0']);
    }
    assert.deepEqual(await storage.schedule.claimDueAccounts(100, 8), []);
  });

  inWorld(options, 'schedule: nothing due, nothing claimed; a lapsed claim is claimed again', async (world) => {
    const { storage, key, clock } = world;
    await storage.schedule.dueBy(key, clock.now() + 10);
    assert.deepEqual(await storage.schedule.claimDueAccounts(100, 8), []);
    await clock.advance(10);
    const [first] = await storage.schedule.claimDueAccounts(100, 8);
    await clock.advance(100);
    const [second] = await storage.schedule.claimDueAccounts(100, 8);
    assert.ok(first && second && second.epoch > first.epoch);
  });

  inWorld(options, 'schedule: accounts that are failing can be left alone', async ({ storage, key, clock }) => {
    const { schedule, leases } = storage;
    const other = { ...key, calendarId: 'cal_2' };
    await schedule.dueBy(key, clock.now());
    await schedule.finish(key, { failures: 2, dueAt: clock.now() });
    assert.deepEqual(await schedule.claimDueAccounts(100, 8, { soundOnly: true }), []);
    const [failing] = await schedule.claimDueAccounts(100, 8);
    assert.deepEqual([failing?.isFailing, failing?.collections], [true, [key]]);
    await leases.release(`account:${ACCOUNT}`, failing?.epoch ?? 0);
    await schedule.dueBy(other, clock.now());
    const [sound] = await schedule.claimDueAccounts(100, 8, { soundOnly: true });
    assert.deepEqual([sound?.isFailing, sound?.collections], [false, [key, other]]);
  });

  inWorld(options, 'schedule: accounts that are not ACTIVE are passed over', async ({ storage, key, clock }) => {
    await storage.schedule.dueBy(key, clock.now());
    const other = { applicationId: OTHER_APPLICATION, accountId: OTHER_ACCOUNT, calendarId: 'cal_1' };
    await storage.schedule.dueBy(other, clock.now() + 5);
    await storage.accounts.expire(APPLICATION, ACCOUNT, 1, 1);
    assert.equal(await storage.schedule.nextDueAt(), clock.now() + 5);
    assert.deepEqual(await storage.schedule.claimDueAccounts(100, 8), []);
    await clock.advance(5);
    assert.equal((await storage.schedule.claimDueAccounts(100, 8))[0]?.accountId, OTHER_ACCOUNT);
    assert.deepEqual(await storage.schedule.claimDueAccounts(100, 8), []);
  });

  inWorld(options, 'schedule: concurrent claimers never share an account, and leave none', async (world) => {
    const { storage, clock } = world;
    for (let index = 0; index < 6; index += 1) {
      const id = `acc_r${index}`;
      await storage.accounts.save(
        accountRow({ id, email: `${id}@example.com`, providerAccountId: id }),
        credentialRow({ id: `crd_r${index}`, accountId: id }),
      );
      await storage.schedule.dueBy({ applicationId: APPLICATION, accountId: id, calendarId: null }, clock.now());
    }
    const claimed = await race(world, 10, ({ schedule }, index) => schedule.claimDueAccounts(100, 1 + (index % 3)));
    const ids = claimed.flat().map(({ accountId }) => accountId);
    assert.deepEqual(ids.toSorted(), ['acc_r0', 'acc_r1', 'acc_r2', 'acc_r3', 'acc_r4', 'acc_r5']);
  });

  inWorld(
    options,
    'schedule: an expired account has nothing due until it is active again',
    async ({ storage, key }) => {
      const { schedule, accounts } = storage;
      await schedule.dueBy(key, 1);
      await accounts.expire(APPLICATION, ACCOUNT, 1, 20);
      assert.deepEqual(await schedule.claimDueAccounts(1_000, 8), []);
      await schedule.hint(key);
      await schedule.hint({ ...key, calendarId: 'cal_2' });
      assert.equal(await schedule.nextDueAt(), null);
      assert.deepEqual(await schedule.claimDueAccounts(1_000, 8), []);
      await accounts.save(accountRow({ status: 'ACTIVE' }), credentialRow());
      const [claim] = await schedule.claimDueAccounts(1_000, 8);
      assert.deepEqual(
        claim?.collections.map(({ calendarId }) => calendarId),
        ['cal_1', 'cal_2'],
      );
    },
  );
}

function coolDowns(options: StorageConformanceOptions): void {
  const account = { applicationId: APPLICATION, accountId: ACCOUNT };

  inWorld(options, 'schedule: a cool-down moves what is due of the whole account behind it', async (world) => {
    const { storage, peer, key, clock } = world;
    const { schedule } = storage;
    const end = clock.now() + 1_000;
    await schedule.dueBy(key, clock.now() - 5);
    await schedule.dueBy({ ...key, calendarId: 'later' }, end + 7);
    await schedule.noteRead({ ...key, calendarId: 'never' }, 1);
    await schedule.coolDown(account, 1_000);
    assert.equal((await schedule.get(key)).notBefore, end);
    assert.deepEqual(await peer.schedule.claimDueAccounts(100, 8), []);
    assert.equal(await peer.schedule.nextDueAt(), end);
    assert.equal((await schedule.get({ ...key, calendarId: 'never' })).dueAt, null);
    await clock.advance(999);
    assert.deepEqual(await peer.schedule.claimDueAccounts(100, 8), []);
    await clock.advance(1);
    const [claim] = await peer.schedule.claimDueAccounts(100, 8);
    assert.deepEqual(claim?.collections, [key]);
  });

  inWorld(options, 'schedule: nothing makes an account due while it cools down', async ({ storage, key, clock }) => {
    const { schedule } = storage;
    await schedule.coolDown(account, 1_000);
    const end = clock.now() + 1_000;
    await schedule.coolDown(account, 500);
    await schedule.hint(key);
    await schedule.dueBy({ ...key, calendarId: 'new' }, clock.now());
    await ensureMirrored(storage, { ...key, calendarId: 'done' }, { ...key, calendarId: 'idle' });
    await schedule.finish({ ...key, calendarId: 'done' }, { failures: 0, dueAt: clock.now() });
    await schedule.finish({ ...key, calendarId: 'idle' }, { failures: 0, dueAt: null });
    const dueAt = async (calendarId: string | null) => (await schedule.get({ ...key, calendarId })).dueAt;
    assert.deepEqual(
      [await dueAt(key.calendarId), await dueAt('new'), await dueAt('done'), await dueAt('idle')],
      [end, end, end, null],
    );
    assert.equal(await schedule.nextDueAt(), end);
    await schedule.coolDown(account, 2_000);
    assert.equal(await schedule.nextDueAt(), clock.now() + 2_000);
    await clock.advance(2_000);
    await schedule.hint(key);
    assert.equal(await dueAt(key.calendarId), clock.now());
  });

  inWorld(options, 'schedule: a cool-down is its account’s alone', async ({ storage, key, foreignKey, clock }) => {
    const { schedule } = storage;
    const other = { applicationId: OTHER_APPLICATION, accountId: OTHER_ACCOUNT, calendarId: 'cal_1' };
    await schedule.dueBy(key, clock.now());
    await schedule.dueBy(other, clock.now());
    await schedule.coolDown(foreignKey, 1_000);
    await schedule.coolDown({ ...account, accountId: 'acc_gone' }, 1_000);
    await schedule.coolDown(other, 1_000);
    assert.equal((await schedule.claimDueAccounts(100, 8))[0]?.accountId, ACCOUNT);
    assert.deepEqual(await schedule.claimDueAccounts(100, 8), []);
  });
}

function channels(options: StorageConformanceOptions): void {
  inWorld(options, 'channels: a hold is extended by its holder alone', async ({ storage, clock }) => {
    const { channels } = storage;
    for (const id of ['chn_1', 'chn_2']) await channels.insert(channelRow({ id, renewAt: clock.now() }));
    const held = await channels.claimRenewals({ holdMs: 50, limit: 9 });
    await channels.update(APPLICATION, 'chn_2', { renewAt: clock.now() + 9_000 });
    await clock.advance(40);
    const until = await channels.extendHold(held, 50);
    assert.equal(until, clock.now() + 50);
    await clock.advance(49);
    assert.deepEqual(await channels.claimRenewals({ holdMs: 50, limit: 9 }), []);
    await clock.advance(1);
    assert.deepEqual(
      (await channels.claimRenewals({ holdMs: 50, limit: 9 })).map(({ id }) => id),
      ['chn_1'],
    );
  });

  inWorld(
    options,
    'channels: listed newest first, changed and deleted within one application',
    async ({ storage, key, foreignKey }) => {
      const second = channelRow({ id: 'chn_2', kind: 'poll', providerChannelId: 'poll_1', address: '', createdAt: 20 });
      const list = channelRow({ id: 'chn_3', calendarId: null });
      for (const row of [channelRow(), second, list]) await storage.channels.insert(row);
      assert.deepEqual(await storage.channels.list(key), [second, channelRow()]);
      assert.deepEqual(await storage.channels.list({ ...key, calendarId: null }), [list]);
      assert.deepEqual(await storage.channels.list(foreignKey), []);
      const patch = {
        providerChannelId: 'p',
        resourceId: 'r',
        expiresAt: 1,
        renewAt: 2,
        address: 'a',
        kind: 'poll',
      } as const;
      assert.equal(await storage.channels.update(OTHER_APPLICATION, 'chn_1', patch), false);
      assert.equal(await storage.channels.update(APPLICATION, 'chn_none', patch), false);
      assert.equal(await storage.channels.update(APPLICATION, 'chn_1', {}), true);
      assert.equal(await storage.channels.update(APPLICATION, 'chn_1', patch), true);
      assert.deepEqual(await storage.channels.list(key), [second, channelRow(patch)]);
      assert.equal(await storage.channels.update(APPLICATION, 'chn_1', { providerChannelId: null }), true);
      await storage.channels.delete(OTHER_APPLICATION, 'chn_1');
      await storage.channels.delete(APPLICATION, 'chn_2');
      assert.deepEqual(await storage.channels.list(key), [channelRow({ ...patch, providerChannelId: null })]);
    },
  );

  inWorld(options, 'channels: many are found by our ids, of every provider', async ({ storage }) => {
    await storage.channels.insert(channelRow({ providerChannelId: 'remote-1' }));
    await storage.channels.insert(channelRow({ id: 'chn_2', providerType: 'PROVIDER_B' }));
    const find = async (...ids: string[]) => (await storage.channels.findMany(ids)).map(({ id }) => id).sort();
    assert.deepEqual(await find('chn_1', 'chn_2', 'remote-1', 'chn_none'), ['chn_1', 'chn_2']);
    assert.deepEqual(await find('chn_none'), []);
    assert.deepEqual(await find(), []);
    assert.equal((await find(...Array.from({ length: 50 }, (_, index) => `chn_${index}`))).length, 2);
  });

  inWorld(options, 'channels: of concurrent claimers each due renewal goes to exactly one', async (world) => {
    const { storage, clock } = world;
    const now = clock.now();
    for (let index = 0; index < 6; index += 1) {
      await storage.channels.insert(channelRow({ id: `chn_r${index}`, renewAt: now - index }));
    }
    await storage.channels.insert(channelRow({ id: 'chn_later', renewAt: now + 1 }));
    assert.equal(await storage.channels.nextRenewalAt(), now - 5);
    const [first] = await storage.channels.claimRenewals({ holdMs: 50, limit: 1 });
    assert.deepEqual([first?.id, first?.renewAt], ['chn_r5', now + 50]);
    const claimed = await race(world, 4, (each) => each.channels.claimRenewals({ holdMs: 50, limit: 2 }));
    assert.deepEqual(
      claimed
        .flat()
        .map(({ id }) => id)
        .toSorted(),
      ['chn_r0', 'chn_r1', 'chn_r2', 'chn_r3', 'chn_r4'],
    );
    assert.equal(await storage.channels.nextRenewalAt(), now + 1);
    await clock.advance(50);
    assert.equal((await storage.channels.claimRenewals({ holdMs: 50, limit: 99 })).length, 7);
  });

  inWorld(options, 'channels: those of another address become due', async ({ storage, clock }) => {
    const renewAt = clock.now() + 500;
    assert.equal(await storage.channels.nextRenewalAt(), null);
    await storage.channels.insert(channelRow({ renewAt }));
    await storage.channels.insert(channelRow({ id: 'chn_2', address: 'https://old.test/push', renewAt }));
    await storage.channels.insert(channelRow({ id: 'chn_3', address: '', kind: 'poll', renewAt }));
    await storage.channels.insert(channelRow({ id: 'chn_4', address: '', providerType: 'PROVIDER_B', renewAt }));
    assert.equal(await storage.channels.dueUnlessAddress('PROVIDER_A', 'https://kalends.test/push'), 2);
    const claimed = await storage.channels.claimRenewals({ holdMs: 50, limit: 9 });
    assert.deepEqual(
      claimed.map(({ id }) => id),
      ['chn_2', 'chn_3'],
    );
  });
}
