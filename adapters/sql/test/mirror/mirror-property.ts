import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CollectionKey, ItemVersion, ItemWrite, Storage } from 'kalends/ports';
import { MirrorModel } from './mirror-model.ts';

const KEY: CollectionKey = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
const IDS = ['a', 'b', 'B', 'ä', '\uffee', '\u{1f5d3}'];
const AT = { at: 0, tag: 't0', timeZone: 'UTC' };

const write: fc.Arbitrary<ItemWrite> = fc
  .record({
    itemId: fc.constantFrom(...IDS),
    groupId: fc.option(fc.constantFrom(...IDS), { freq: 2, nil: undefined }),
    content: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 3 }),
    rangeStart: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 6 }),
    length: fc.option(fc.integer({ min: 0, max: 5 }), { freq: 4 }),
    force: fc.boolean(),
    providerTag: fc.constantFrom('x', 'y'),
  })
  .map(({ itemId, groupId = itemId, content, rangeStart, length, force, providerTag }) => ({
    itemId,
    groupId,
    content,
    etag: `etag of ${content}`,
    providerTag,
    mappingVersion: 1,
    rangeStart,
    rangeEnd: rangeStart === null || length === null ? null : rangeStart + length,
    force,
  }));

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      writes: fc.array(write, { maxLength: 5 }),
      lag: fc.integer({ min: 0, max: 3 }),
      timeZone: fc.option(fc.constantFrom('UTC', 'Asia/Tokyo'), { freq: 1, nil: undefined }),
      reread: fc.subarray(IDS, { maxLength: 2 }),
      seen: fc.subarray(IDS, { maxLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('purge' as const),
      age: fc.integer({ min: 0, max: 4 }),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Any history of commits, purges and sweeps reads, at every revision that is kept, as the slow model says. */
export async function checkMirrorAgainstModel(createStorage: () => Promise<Storage>, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const storage = await createStorage();
      try {
        const model = new MirrorModel();
        const generation = await replay(storage, model, steps);
        await compare(storage, model, generation);
      } finally {
        await storage.close();
      }
    }),
    { numRuns: runs },
  );
}

async function replay(storage: Storage, model: MirrorModel, steps: readonly Step[]): Promise<number> {
  let generation = 0;
  await storage.mirror.ensure(KEY, AT);
  for (const [index, each] of steps.entries()) {
    const at = (index + 1) * 10;
    if (each.kind === 'commit') {
      const { writes, lag, timeZone, reread, seen } = each;
      const commit = {
        writes,
        basedOn: Math.max(0, model.writeCount - lag),
        at,
        tag: `t${index}`,
        reread,
        seen: { generation, itemIds: seen },
        ...(timeZone === undefined ? {} : { timeZone }),
      };
      assert.deepEqual(await storage.mirror.commit(KEY, commit), model.commit(commit));
    } else if (each.kind === 'purge') {
      const before = at - each.age * 10;
      let removed = 0;
      let inThisRound: number;
      do {
        inThisRound = await storage.mirror.purge({ before, limit: each.limit });
        removed += inThisRound;
      } while (inThisRound === each.limit);
      assert.equal(removed, model.purge(before));
    } else {
      model.startSweep();
      generation = (await storage.mirror.startSweep(KEY)).generation;
    }
  }
  return generation;
}

async function compare({ mirror }: Storage, model: MirrorModel, generation: number): Promise<void> {
  const state = await mirror.find(KEY);
  assert.deepEqual(
    [state?.revision, state?.writeCount, state?.purgedBelow],
    [model.revision, model.writeCount, model.purgedBelow],
  );
  assert.deepEqual(
    (await mirror.listRereads(KEY, 99)).map(({ itemId }) => itemId),
    [...model.rereads],
  );
  const unseen = await mirror.listUnseen(KEY, { generation, limit: 99 });
  assert.deepEqual(
    unseen.map(({ itemId }) => itemId),
    model.unseen(),
  );
  for (const id of IDS) {
    assert.deepEqual(await mirror.findDeletion(KEY, id), model.deletions.get(id));
    assert.equal((await mirror.findItem(KEY, id))?.content, model.items(model.revision).get(id)?.content);
  }
  for (let asOf = 0; asOf <= model.revision; asOf += 1) {
    if (asOf < model.purgedBelow) await expectPurged({ mirror }, asOf);
    else await compareAsOf({ mirror }, model, asOf);
  }
}

async function expectPurged({ mirror }: Pick<Storage, 'mirror'>, asOf: number): Promise<void> {
  await assert.rejects(mirror.listGroups(KEY, { asOf, limit: 1 }), { code: 'SyncTokenExpired' });
  await assert.rejects(mirror.readListed(KEY, { asOf, limit: 1 }), { code: 'SyncTokenExpired' });
  const touched = { since: asOf, until: asOf + 1, limit: 1 };
  await assert.rejects(mirror.listTouched(KEY, touched), { code: 'SyncTokenExpired' });
  await assert.rejects(mirror.readTouched(KEY, touched), { code: 'SyncTokenExpired' });
  assert.equal(await mirror.findRevision(KEY, asOf), undefined);
}

async function compareAsOf({ mirror }: Pick<Storage, 'mirror'>, model: MirrorModel, asOf: number): Promise<void> {
  assert.equal((await mirror.findRevision(KEY, asOf))?.timeZone, model.zones[asOf]);
  const groups: string[] = [];
  for (let page = await mirror.listGroups(KEY, { asOf, limit: 2 }); page.length > 0; ) {
    groups.push(...page);
    page = await mirror.listGroups(KEY, { asOf, limit: 2, after: groups.at(-1) ?? '' });
  }
  assert.deepEqual(groups, model.groups(asOf));
  for (const range of [
    { from: 0, to: 3 },
    { from: 4, to: 4 },
    { from: 8, to: 20 },
  ]) {
    const listed = await mirror.listGroups(KEY, { asOf, limit: 99, range });
    assert.deepEqual(listed, model.groups(asOf, range));
    assert.deepEqual(
      await mirror.readListed(KEY, { asOf, limit: 99, range }),
      await mirror.readGroups(KEY, listed, asOf),
    );
  }
  const items = await mirror.readGroups(KEY, IDS, asOf);
  assert.deepEqual(
    new Map(items.map(({ itemId, groupId, content, fromRevision }) => [itemId, { groupId, content, fromRevision }])),
    new Map(
      [...model.items(asOf)].map(([id, { groupId, content, fromRevision }]) => [
        id,
        { groupId, content, fromRevision },
      ]),
    ),
  );
  assert.equal(items.length, model.items(asOf).size);
  for (let until = asOf; until <= model.revision; until += 1) {
    const touched = await mirror.listTouched(KEY, { since: asOf, until, limit: 99 });
    assert.deepEqual(touched, model.touchedBetween(asOf, until));
  }
  await compareTouched({ mirror }, model, asOf);
}

/** Touched groups, with their items then and now. */
async function compareTouched({ mirror }: Pick<Storage, 'mirror'>, model: MirrorModel, since: number): Promise<void> {
  const until = model.revision;
  const shown = ({ itemId, groupId, content, fromRevision }: Pick<ItemVersion, 'itemId' | 'groupId'> & Shown) => ({
    itemId,
    groupId,
    content,
    fromRevision,
  });
  const itemsOf = (group: string, asOf: number) =>
    [...model.items(asOf)]
      .map(([itemId, item]) => shown({ itemId, ...item }))
      .filter(({ groupId }) => groupId === group)
      .sort((a, b) => Buffer.compare(Buffer.from(a.itemId), Buffer.from(b.itemId)));
  const read = await mirror.readTouched(KEY, { since, until, limit: 99 });
  assert.deepEqual(
    read.map(({ before, after, ...group }) => ({ ...group, before: before.map(shown), after: after.map(shown) })),
    model.touchedBetween(since, until).map((group) => ({
      ...group,
      before: itemsOf(group.groupId, since),
      after: itemsOf(group.groupId, until),
    })),
  );
}

type Shown = Pick<ItemVersion, 'content' | 'fromRevision'>;
