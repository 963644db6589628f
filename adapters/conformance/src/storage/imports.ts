import assert from 'node:assert/strict';
import { type ImportHold, type ImportRow, ITEM_LENGTH, type Storage } from 'kalends/ports';
import { rejection } from './rejection.ts';
import { ACCOUNT, APPLICATION, inWorld, OTHER_APPLICATION, type StorageConformanceOptions } from './world.ts';

const running: ImportRow = {
  id: 'imp_1',
  applicationId: APPLICATION,
  accountId: ACCOUNT,
  calendarId: 'cal_1',
  state: 'receiving',
  isDryRun: false,
  frame: '',
  problems: [],
  errorCode: null,
  createdAt: 1,
  finishedAt: null,
};

const item = (uid: string, components = `<${uid}>`) => ({ uidKey: `k-${uid}`, uid, components });

/** Begins an import under a lease of its own. */
async function begun(storage: Storage, row: ImportRow = running): Promise<ImportHold & ImportRow> {
  const name = `import:${row.id}`;
  const claimed = await storage.leases.claim(name, 60_000);
  assert.ok(claimed);
  assert.equal(await storage.imports.begin(row), 'begun');
  return { ...row, lease: { name, epoch: claimed.epoch } };
}

/** Imports: one at a time for a calendar, of one application, with items that are settled once. */
export function importConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'imports: one of a calendar is under way at a time', async ({ storage, peer }) => {
    const hold = await begun(storage);
    assert.equal(await peer.imports.begin({ ...running, id: 'imp_2' }), 'running');
    assert.equal(await peer.imports.begin({ ...running, id: 'imp_3', calendarId: 'cal_2', isDryRun: true }), 'begun');
    assert.equal(await peer.imports.begin({ ...running, id: 'imp_4', applicationId: OTHER_APPLICATION }), 'unknown');
    assert.deepEqual(await peer.imports.find(running), running);
    assert.equal(await peer.imports.find({ ...running, applicationId: OTHER_APPLICATION }), undefined);
    const over = { state: 'finished', errorCode: 'Code', finishedAt: 9 } as const;
    await storage.imports.change(hold, over);
    await storage.imports.change(hold, { state: 'failed' });
    assert.deepEqual(await peer.imports.find(running), { ...running, ...over });
    assert.equal(await storage.imports.begin({ ...running, id: 'imp_2' }), 'begun');
  });

  inWorld(options, 'imports: the due ones are listed until they are over', async ({ storage, peer }) => {
    const hold = await begun(storage);
    assert.deepEqual(await peer.imports.listDue(5), [running]);
    await storage.imports.change(hold, { dueInMs: 60_000, problems: [{ field: 'line 3', rule: 'broken' }] });
    assert.deepEqual(await peer.imports.listDue(5), []);
    await storage.imports.change(hold, { dueInMs: 0, state: 'matching', frame: 'F' });
    const found = await peer.imports.listDue(5);
    assert.deepEqual(found, [
      { ...running, state: 'matching', frame: 'F', problems: [{ field: 'line 3', rule: 'broken' }] },
    ]);
    await storage.imports.change(hold, { finishedAt: 2 });
    assert.deepEqual(await peer.imports.listDue(5), []);
  });

  inWorld(options, 'imports: one that is under its lease is not due', async ({ storage, peer }) => {
    const name = `import:${ACCOUNT}:${running.id}`;
    const lease = await storage.leases.claim(name, 60_000);
    assert.ok(lease);
    assert.equal(await storage.imports.begin(running), 'begun');
    assert.deepEqual(await peer.imports.listDue(5), []);
    await storage.leases.release(name, lease.epoch);
    assert.deepEqual(await peer.imports.listDue(5), [running]);
  });

  inWorld(options, 'imports: components of a UID are gathered, up to a length', async ({ storage, peer }) => {
    const hold = await begun(storage);
    await storage.imports.addItems(hold, [item('b'), item('a')]);
    await storage.imports.addItems(hold, [item('a', '<more>'), item('c', 'c'.repeat(ITEM_LENGTH))]);
    await storage.imports.addItems(hold, [item('c', 'd')]);
    await storage.imports.addItems({ ...hold, id: 'imp_none' }, [item('a')]);
    const [a, b, c, ...others] = await peer.imports.nextItems(running, 5);
    assert.deepEqual(a, { ...item('a', '<a><more>'), isTooLong: false, isBegun: false, eventId: null, failures: 0 });
    assert.deepEqual(b, { ...item('b'), isTooLong: false, isBegun: false, eventId: null, failures: 0 });
    assert.deepEqual([c?.components.length, c?.isTooLong, others], [ITEM_LENGTH, true, []]);
  });

  inWorld(
    options,
    'imports: items are matched, settled once, counted, and their problems paged',
    async ({ storage, peer }) => {
      const hold = await begun(storage);
      await storage.imports.addItems(
        hold,
        ['a', 'b', 'c'].map((uid) => item(uid)),
      );
      await storage.imports.match(hold, [
        { uidKey: 'k-b', eventId: 'e1' },
        { uidKey: 'k-none', eventId: 'e2' },
      ]);
      assert.deepEqual(
        (await peer.imports.nextItems(running, 5)).map(({ eventId }) => eventId),
        [null, 'e1', null],
      );
      await storage.imports.beginItem(hold, 'k-a');
      await storage.imports.beginItem(hold, 'k-none');
      assert.deepEqual(
        (await peer.imports.nextItems(running, 5)).map(({ eventId, isBegun }) => [eventId, isBegun]),
        [
          [null, true],
          ['e1', false],
          [null, false],
        ],
      );
      assert.deepEqual(await peer.imports.listProblems(running, { limit: 5 }), []);
      const problems = [{ field: 'start', rule: 'must be' }];
      await storage.imports.settleItem(hold, 'k-a', { state: 'created', problems: [] });
      await storage.imports.settleItem(hold, 'k-b', { state: 'refused', problems });
      await storage.imports.settleItem(hold, 'k-b', { state: 'updated', problems: [] });
      await storage.imports.settleItem(hold, 'k-c', { state: 'updated', problems });
      assert.deepEqual(await peer.imports.nextItems(running, 5), []);
      assert.deepEqual(await peer.imports.count(running), { created: 1, refused: 1, updated: 1 });
      const [b, c] = ['b', 'c'].map((uid) => ({ uidKey: `k-${uid}`, uid, problems }));
      assert.deepEqual(await peer.imports.listProblems(running, { limit: 1 }), [b]);
      assert.deepEqual(await peer.imports.listProblems(running, { limit: 5, after: 'k-b' }), [c]);
    },
  );

  inWorld(
    options,
    'imports: they go when discarded, when they are old, and with their account',
    async ({ storage, peer }) => {
      const rows = ['imp_1', 'imp_2', 'imp_3'].map((id) => ({ ...running, id, calendarId: id }));
      const holds = await Promise.all(rows.map((row) => begun(storage, row)));
      for (const hold of holds) await storage.imports.addItems(hold, [item('a')]);
      const [first, second, third] = holds;
      assert.ok(first && second && third);
      await storage.imports.discard(first);
      assert.equal(await peer.imports.find(first), undefined);
      await storage.imports.change(second, { state: 'finished', finishedAt: 5 });
      assert.equal(await storage.imports.purge(5, 10), 0);
      assert.equal(await storage.imports.purge(6, 10), 1);
      assert.equal(await peer.imports.find(second), undefined);
      await storage.accounts.delete(APPLICATION, ACCOUNT);
      assert.equal(await peer.imports.find(third), undefined);
      assert.deepEqual(await peer.imports.count(third), {});
    },
  );

  inWorld(options, 'imports: items that failed come last', async ({ storage, peer }) => {
    const hold = await begun(storage);
    await storage.imports.addItems(hold, [item('a'), item('b'), item('c')]);
    for (const uid of ['k-a', 'k-a', 'k-b', 'k-none']) await storage.imports.failItem(hold, uid);
    const waiting = await peer.imports.nextItems(running, 5);
    assert.deepEqual(
      waiting.map(({ uid, failures }) => [uid, failures]),
      [
        ['c', 0],
        ['b', 1],
        ['a', 2],
      ],
    );
  });

  inWorld(options, 'imports: a former holder changes nothing', async ({ storage, peer }) => {
    const hold = await begun(storage);
    await storage.imports.addItems(hold, [item('a')]);
    await storage.leases.release(hold.lease.name, hold.lease.epoch);
    const { imports } = peer;
    for (const attempt of [
      () => imports.addItems(hold, [item('b')]),
      () => imports.change(hold, { state: 'finished', finishedAt: 3 }),
      () => imports.match(hold, [{ uidKey: 'k-a', eventId: 'e1' }]),
      () => imports.settleItem(hold, 'k-a', { state: 'created', problems: [] }),
      () => imports.beginItem(hold, 'k-a'),
      () => imports.failItem(hold, 'k-a'),
      () => imports.discard(hold),
    ]) {
      await rejection(String(attempt), attempt(), 'Conflict');
    }
    assert.deepEqual(await storage.imports.find(running), running);
    const only = { ...item('a'), isTooLong: false, isBegun: false, eventId: null, failures: 0 };
    assert.deepEqual(await storage.imports.nextItems(running, 5), [only]);
  });
}
