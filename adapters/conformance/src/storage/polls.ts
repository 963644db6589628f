import assert from 'node:assert/strict';
import {
  ACCOUNT,
  APPLICATION,
  accountRow,
  credentialRow,
  ensureMirrored,
  inWorld,
  OTHER_ACCOUNT,
  OTHER_APPLICATION,
  type StorageConformanceOptions,
} from './world.ts';

/** State of a collection without a schedule. */
export const NO_SCHEDULE = {
  hintSeq: 0,
  clearedHintSeq: 0,
  fullHintSeq: 0,
  syncedAt: null,
  lastReadAt: null,
  dueAt: null,
  failures: 0,
  repeatsLeft: 0,
  pollEveryMs: null,
  unannouncedAt: null,
  notBefore: 0,
};

/** Intervals of polls: those that pulls choose, and those that are tightened for an OAuth client. */
export function pollsConformance(options: StorageConformanceOptions): void {
  const finished = { failures: 0, dueAt: null };

  inWorld(options, 'schedule: the later syncedAt stays, unless it is ahead of the clock of the pull', async (world) => {
    const { storage, key } = world;
    await ensureMirrored(storage, key);
    const syncedAfter = async (syncedAt: number, now?: number) => {
      await storage.schedule.finish(key, { ...finished, syncedAt, ...(now === undefined ? {} : { now }) });
      return (await storage.schedule.get(key)).syncedAt;
    };
    assert.equal(await syncedAfter(5_000), 5_000);
    assert.equal(await syncedAfter(3_000, 5_000), 5_000);
    assert.equal(await syncedAfter(3_000), 5_000);
    assert.equal(await syncedAfter(3_000, 4_999), 3_000);
    assert.equal(await syncedAfter(4_000, 4_500), 4_000);
  });

  inWorld(options, 'schedule: times by the clock of a process become times by its own', async (world) => {
    const { storage, key, clock } = world;
    const { schedule } = storage;
    const now = clock.now();
    const dueAt = async () => (await schedule.get(key)).dueAt;
    await ensureMirrored(storage, key);
    for (const behindMs of [-170_000, 0, 170_000]) {
      const theirs = now - behindMs;
      await schedule.finish(key, { failures: 0, dueAt: theirs + 9_000, now: theirs });
      assert.equal(await dueAt(), now + 9_000);
      await schedule.dueBy(key, theirs + 8_000, theirs);
      assert.equal(await dueAt(), now + 8_000);
      await schedule.dueBy(key, theirs + 8_500, theirs);
      assert.equal(await dueAt(), now + 8_000);
      await schedule.finish(key, { failures: 0, dueAt: null, now: theirs });
      assert.equal(await dueAt(), null);
    }
    const theirs = now - 170_000;
    await schedule.finish(key, {
      failures: 0,
      dueAt: null,
      polls: { everyMs: 5_000, readEveryMs: null, unannouncedAt: null },
    });
    // Tightened since the pull read its interval.
    const polls = { everyMs: 60_000, readEveryMs: 60_000, unannouncedAt: null };
    await schedule.finish(key, { failures: 0, dueAt: theirs + 60_000, now: theirs, polls });
    assert.equal(await dueAt(), now + 5_000);
  });

  inWorld(options, 'schedule: finish keeps polls unless it is given some', async ({ storage, key }) => {
    const { schedule } = storage;
    await ensureMirrored(storage, key);
    await schedule.finish(key, { ...finished, polls: { everyMs: 700, readEveryMs: null, unannouncedAt: 5 } });
    await schedule.finish(key, finished);
    assert.deepEqual(await schedule.get(key), { ...NO_SCHEDULE, pollEveryMs: 700, unannouncedAt: 5 });
    await schedule.finish(key, { ...finished, polls: { everyMs: null, readEveryMs: 700, unannouncedAt: null } });
    assert.deepEqual(await schedule.get(key), NO_SCHEDULE);
  });

  inWorld(options, 'schedule: polls are tightened for every account of one OAuth client', async (world) => {
    const { storage, peer, key, foreignKey, clock } = world;
    const { schedule } = storage;
    const now = clock.now();
    const poll = async (calendarId: string, everyMs: number | null, dueInMs: number, failures = 0) => {
      await ensureMirrored(storage, { ...key, calendarId });
      await schedule.finish(
        { ...key, calendarId },
        { failures, dueAt: now + dueInMs, polls: { everyMs, readEveryMs: null, unannouncedAt: null } },
      );
    };
    await poll('far', 10_000, 8_000);
    await poll('near', 10_000, 500);
    await poll('short', 800, 700);
    await poll('none', null, 9_000);
    await poll('failing', 10_000, 8_000, 2);
    const other = { applicationId: OTHER_APPLICATION, accountId: OTHER_ACCOUNT, calendarId: 'cal_1' };
    await ensureMirrored(storage, other);
    await schedule.finish(other, {
      failures: 0,
      dueAt: now + 8_000,
      polls: { everyMs: 10_000, readEveryMs: null, unannouncedAt: null },
    });
    const client = accountRow().providerConfigId ?? '';
    assert.equal(await peer.schedule.tightenPolls({ providerConfigId: client, everyMs: 1_000, limit: 100 }), undefined);
    const stateOf = async (calendarId: string) => {
      const { pollEveryMs, dueAt } = await schedule.get({ ...key, calendarId });
      return [pollEveryMs, (dueAt ?? 0) - now];
    };
    assert.deepEqual(await stateOf('far'), [1_000, 800]);
    assert.deepEqual(await stateOf('near'), [1_000, 500]);
    assert.deepEqual(await stateOf('short'), [800, 700]);
    assert.deepEqual(await stateOf('none'), [null, 9_000]);
    assert.deepEqual(await stateOf('failing'), [1_000, 8_000]);
    assert.deepEqual(await schedule.get(foreignKey), NO_SCHEDULE);
    await schedule.coolDown({ applicationId: APPLICATION, accountId: ACCOUNT }, 5_000);
    await poll('cool', 100_000, 20_000);
    await schedule.tightenPolls({ providerConfigId: client, everyMs: 1_000, limit: 100 });
    assert.deepEqual(await stateOf('cool'), [1_000, 5_000]);
  });

  inWorld(options, 'schedule: a hint that names its objects leaves fullHintSeq', async ({ storage, key }) => {
    const { schedule } = storage;
    const seqs = async () => {
      const { hintSeq, fullHintSeq } = await schedule.get(key);
      return [hintSeq, fullHintSeq];
    };
    assert.equal(await schedule.hint(key, { isNamed: true }), 1);
    assert.deepEqual(await seqs(), [1, 0]);
    assert.equal(await schedule.hint(key), 2);
    assert.equal(await schedule.hint(key, { isNamed: true }), 3);
    assert.deepEqual(await seqs(), [3, 2]);
  });

  inWorld(options, 'schedule: polls are tightened some accounts at a time', async ({ storage, clock }) => {
    const { schedule, accounts } = storage;
    const ids = ['acc_t1', 'acc_t2', 'acc_t3'];
    const keyOf = (accountId: string) => ({ applicationId: APPLICATION, accountId, calendarId: 'cal_1' });
    for (const id of ids) {
      const row = accountRow({ id, email: `${id}@example.com`, providerAccountId: id, providerConfigId: 'prv_tight' });
      await accounts.save(row, credentialRow({ id: `crd_${id}`, accountId: id }));
      const polls = { everyMs: 9_000, readEveryMs: null, unannouncedAt: null };
      await ensureMirrored(storage, keyOf(id));
      await schedule.finish(keyOf(id), { failures: 0, dueAt: clock.now() + 9_000, polls });
    }
    const tighten = (after?: string) =>
      schedule.tightenPolls({
        providerConfigId: 'prv_tight',
        everyMs: 900,
        limit: 2,
        ...(after === undefined ? {} : { after }),
      });
    assert.equal(await tighten(), 'acc_t2');
    const intervals = async () => await Promise.all(ids.map(async (id) => (await schedule.get(keyOf(id))).pollEveryMs));
    assert.deepEqual(await intervals(), [900, 900, 9_000]);
    assert.equal(await tighten('acc_t2'), undefined);
    assert.deepEqual(await intervals(), [900, 900, 900]);
  });

  inWorld(options, 'schedule: a pull that began before polls were tightened does not loosen them', async (world) => {
    const { storage, key, clock } = world;
    const { schedule } = storage;
    const client = accountRow().providerConfigId ?? '';
    const dueAt = clock.now() + 15_000;
    await ensureMirrored(storage, key);
    await schedule.finish(key, {
      failures: 0,
      dueAt,
      polls: { everyMs: 10_000, readEveryMs: null, unannouncedAt: null },
    });
    await schedule.tightenPolls({ providerConfigId: client, everyMs: 1_000, limit: 100 });
    await schedule.finish(key, {
      failures: 0,
      dueAt,
      polls: { everyMs: 15_000, readEveryMs: 10_000, unannouncedAt: null },
    });
    const { pollEveryMs, dueAt: due } = await schedule.get(key);
    assert.deepEqual([pollEveryMs, due], [1_000, clock.now() + 1_000]);
    await schedule.finish(key, {
      failures: 0,
      dueAt,
      polls: { everyMs: 1_500, readEveryMs: 1_000, unannouncedAt: null },
    });
    assert.equal((await schedule.get(key)).pollEveryMs, 1_500);
  });
}
