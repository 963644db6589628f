import assert from 'node:assert/strict';
import { inWorld, itemWrite, put, type StorageConformanceOptions, type StorageWorld } from './world.ts';

const DAY_MS = 86_400_000;

/** A group of three and two single events, changed over four revisions. */
async function seed(world: StorageWorld): Promise<void> {
  await put(world, [
    itemWrite('s', 1),
    itemWrite('s_2', 1, { groupId: 's' }),
    itemWrite('s_1', 1, { groupId: 's' }),
    itemWrite('b', 1, { rangeStart: 200, rangeEnd: 300 }),
  ]);
  await put(world, [itemWrite('s_1', 2, { groupId: 's' }), itemWrite('a', 2)]);
  await put(world, [itemWrite('b', null)]);
  await put(world, [itemWrite('s', 4, { rangeStart: 50, rangeEnd: null })]);
}

/** MirrorStore's reads of items. */
export function mirrorReadConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'mirror: an item is read now and as of every revision', async (world) => {
    await seed(world);
    const { mirror } = world.storage;
    const contents = async (itemId: string) => {
      const versions = [1, 2, 3, 4].map((revision) => mirror.findItem(world.key, itemId, revision));
      return (await Promise.all(versions)).map((version) => version?.content);
    };
    assert.deepEqual(await contents('s'), [1, 1, 1, 4]);
    assert.deepEqual(await contents('s_1'), [1, 2, 2, 2]);
    assert.deepEqual(await contents('b'), [1, 1, undefined, undefined]);
    assert.deepEqual(await contents('a'), [undefined, 2, 2, 2]);
    assert.equal(await mirror.findItem(world.key, 's', 0), undefined);
    assert.equal((await mirror.findItem(world.key, 's_1'))?.groupId, 's');
    assert.equal((await mirror.findItem(world.key, 's'))?.content, 4);
    assert.equal(await mirror.findItem(world.key, 'b'), undefined);
    assert.equal(await mirror.findItem(world.foreignKey, 's'), undefined);
    assert.equal(await mirror.findItem(world.foreignKey, 's', 4), undefined);
  });

  inWorld(options, 'mirror: items by id are those that exist now', async (world) => {
    await seed(world);
    const { mirror } = world.storage;
    const found = await mirror.findItems(world.key, ['s_1', 'b', 's', 'none', 's']);
    assert.deepEqual(found.map(({ itemId, content }) => [itemId, content]).toSorted(), [
      ['s', 4],
      ['s_1', 2],
    ]);
    assert.deepEqual(await mirror.findItems(world.key, []), []);
    assert.deepEqual(await mirror.findItems(world.foreignKey, ['s']), []);
    const many = Array.from({ length: 700 }, (_, index) => `none-${index}`);
    assert.equal((await mirror.findItems(world.key, [...many, 'a'])).length, 1);
  });

  inWorld(options, 'mirror: a deletion is found with its group and revision', async (world) => {
    await seed(world);
    await put(world, [itemWrite('s_2', null, { groupId: 'wrong' })]);
    const { mirror } = world.storage;
    assert.deepEqual(await mirror.findDeletion(world.key, 'b'), { groupId: 'b', revision: 3 });
    assert.deepEqual(await mirror.findDeletion(world.key, 's_2'), { groupId: 's', revision: 5 });
    assert.equal(await mirror.findDeletion(world.key, 's'), undefined);
    assert.equal(await mirror.findDeletion(world.key, 'none'), undefined);
    assert.equal(await mirror.findDeletion(world.foreignKey, 'b'), undefined);
  });

  inWorld(options, 'mirror: groups are read whole as of a revision, ascending', async (world) => {
    await seed(world);
    const read = async (groupIds: readonly string[], asOf: number) => {
      const items = await world.storage.mirror.readGroups(world.key, groupIds, asOf);
      return items.map(({ itemId, content }) => `${itemId}=${content}`);
    };
    assert.deepEqual(await read(['s', 'b', 'a'], 1), ['b=1', 's=1', 's_1=1', 's_2=1']);
    assert.deepEqual(await read(['s', 'b', 'a', 's'], 4), ['a=2', 's=4', 's_1=2', 's_2=1']);
    assert.deepEqual(await read(['none', 's_1'], 4), []);
    assert.deepEqual(await read([], 4), []);
    assert.deepEqual(await world.storage.mirror.readGroups(world.foreignKey, ['s'], 4), []);
    const all = [...Array.from({ length: 700 }, (_, index) => `none-${index}`), 's', 'a'];
    assert.equal((await read(all, 4)).length, 4);
  });

  inWorld(options, 'mirror: groups are listed as of a revision in pages', async (world) => {
    await seed(world);
    const list = (asOf: number, after?: string, limit = 9) =>
      world.storage.mirror.listGroups(world.key, { asOf, limit, ...(after === undefined ? {} : { after }) });
    assert.deepEqual(await list(0), []);
    assert.deepEqual(await list(1), ['b', 's']);
    assert.deepEqual(await list(2), ['a', 'b', 's']);
    assert.deepEqual(await list(4), ['a', 's']);
    assert.deepEqual(await list(2, undefined, 2), ['a', 'b']);
    assert.deepEqual(await list(2, 'b', 2), ['s']);
    assert.deepEqual(await world.storage.mirror.listGroups(world.foreignKey, { asOf: 4, limit: 9 }), []);
  });

  inWorld(options, 'mirror: a range meets items that share an instant with it, ends included', async (world) => {
    await put(world, [
      itemWrite('closed', 1, { rangeStart: 100, rangeEnd: 200 }),
      itemWrite('endless', 1, { rangeStart: 150, rangeEnd: null }),
      itemWrite('ancient', 1, { rangeStart: -5_000_000_000_000, rangeEnd: -4_000_000_000_000 }),
      itemWrite('group', 1, { rangeStart: 100, rangeEnd: 110 }),
      itemWrite('member', 1, { groupId: 'group', rangeStart: 900, rangeEnd: 910 }),
      itemWrite('timeless', 1, { rangeStart: null, rangeEnd: null }),
    ]);
    const list = (from: number | null, to: number | null) =>
      world.storage.mirror.listGroups(world.key, { asOf: 1, limit: 9, range: { from, to } });
    assert.deepEqual(await list(0, 99), []);
    assert.deepEqual(await list(0, 100), ['closed', 'group']);
    assert.deepEqual(await list(200, 201), ['closed', 'endless']);
    assert.deepEqual(await list(201, 899), ['endless']);
    assert.deepEqual(await list(910, null), ['endless', 'group']);
    assert.deepEqual(await list(null, 0), ['ancient']);
    assert.deepEqual(await list(null, null), ['ancient', 'closed', 'endless', 'group']);
    const all = await world.storage.mirror.listGroups(world.key, { asOf: 1, limit: 9 });
    assert.deepEqual(all, ['ancient', 'closed', 'endless', 'group', 'timeless']);
  });

  inWorld(options, 'mirror: no range begins before the first start, whatever its length', async (world) => {
    const firstStart = () => world.storage.mirror.findFirstStart(world.key);
    assert.equal(await firstStart(), null);
    await put(world, [itemWrite('timeless', 1, { rangeStart: null, rangeEnd: null })]);
    assert.equal(await firstStart(), null);
    const lengths = [0, 40 * DAY_MS, 400 * DAY_MS, 5_000 * DAY_MS, null];
    for (const [index, length] of lengths.entries()) {
      const rangeStart = 1_000 - index * 100;
      const rangeEnd = length === null ? null : rangeStart + length;
      await put(world, [itemWrite(`i${index}`, 1, { rangeStart, rangeEnd })]);
      assert.equal(await firstStart(), rangeStart);
    }
    await put(world, [itemWrite('later', 1, { rangeStart: 5_000, rangeEnd: 5_000 })]);
    assert.equal(await firstStart(), 600);
    assert.equal(await world.storage.mirror.findFirstStart(world.foreignKey), null);
  });

  inWorld(options, 'mirror: items of every length are met by windows of every length, in pages', async (world) => {
    const lengths = [
      0,
      1_800_000,
      3 * DAY_MS,
      3 * DAY_MS + 1,
      40 * DAY_MS,
      40 * DAY_MS + 1,
      400 * DAY_MS,
      5_000 * DAY_MS,
    ];
    const starts = [-6_000, -401, -41, -4, -1, 0, 1, 99, 101, 366].map((days) => days * DAY_MS);
    const items = starts.flatMap((rangeStart, row) =>
      [...lengths.map((length) => rangeStart + length), null].map((rangeEnd, column) => ({
        id: `item_${row}_${column}`,
        rangeStart,
        rangeEnd,
      })),
    );
    await put(
      world,
      items.map(({ id, ...range }) => itemWrite(id, 1, range)),
    );
    const { mirror } = world.storage;
    for (const days of [0, 1, 30, 99, 100, 101, 500, 10_000]) {
      for (const from of [0, 1, -DAY_MS, 50 * DAY_MS]) {
        const to = from + days * DAY_MS;
        const met = items.filter((item) => item.rangeStart <= to && (item.rangeEnd === null || item.rangeEnd >= from));
        const expected = met.map(({ id }) => id).toSorted();
        const listed: string[] = [];
        for (let page: readonly string[] | undefined; page === undefined || page.length > 0; listed.push(...page)) {
          const after = listed.at(-1) ?? '';
          page = await mirror.listGroups(world.key, { asOf: 1, after, limit: 20, range: { from, to } });
        }
        assert.deepEqual(listed, expected);
      }
    }
  });

  inWorld(options, 'mirror: busy items of several calendars come with one call', async (world) => {
    const { mirror } = world.storage;
    const other = { ...world.key, calendarId: 'other' };
    await mirror.ensure(other, { at: 1, tag: 'tag-other', timeZone: 'Europe/Rome' });
    const series = '{"series":{}}';
    await put(world, [
      itemWrite('closed', 1, { rangeStart: 100, rangeEnd: 200, busy: 'busy' }),
      itemWrite('free', 1, { rangeStart: 100, rangeEnd: 200 }),
      itemWrite('changed', 1, { rangeStart: 100, rangeEnd: 200, busy: 'oof' }),
      itemWrite('deleted', 1, { rangeStart: 100, rangeEnd: 200, busy: 'busy' }),
      itemWrite('series', 1, { rangeStart: 50, rangeEnd: null, busy: series }),
      itemWrite('series_1', 1, { groupId: 'series', rangeStart: 150, rangeEnd: 160, busy: '{"slot":1}' }),
      itemWrite('series_2', 1, { groupId: 'series', rangeStart: 900, rangeEnd: 910, busy: '{"slot":2}' }),
      itemWrite('series_3', 1, { groupId: 'series', rangeStart: 900, rangeEnd: 910 }),
      itemWrite('series_4', 1, { groupId: 'series', rangeStart: 900, rangeEnd: 910, busy: 'oof' }),
      itemWrite('day', 1, { rangeStart: 90, rangeEnd: 210, busy: '{"type":"busy","times":{}}' }),
      itemWrite('long', 1, { rangeStart: -500 * DAY_MS, rangeEnd: 100, busy: 'busy' }),
      itemWrite('endless', 1, { rangeStart: 40, rangeEnd: null, busy: 'oof' }),
      itemWrite('later', 1, { rangeStart: 201, rangeEnd: 300, busy: 'busy' }),
    ]);
    await put(world, [
      itemWrite('changed', 2, { rangeStart: 110, rangeEnd: 120, busy: 'tentative' }),
      itemWrite('deleted', null),
    ]);
    await mirror.commit(other, { writes: [itemWrite('closed', 1, { busy: 'busy' })], basedOn: 0, at: 1, tag: 'tag-1' });
    const calendars = [world.key, other, { ...other, calendarId: 'none' }].map(({ accountId, calendarId }) => ({
      accountId,
      calendarId: calendarId ?? '',
    }));
    const read = (from: number, to: number, limit = 20) =>
      mirror.readBusy({ applicationId: world.key.applicationId, calendars, from, to, limit });
    const found = await read(100, 200);
    assert.deepEqual(found.timeZones, ['UTC', 'Europe/Rome', undefined]);
    assert.equal(found.isCut, false);
    const rangesOf = ({ ranges }: typeof found) =>
      ranges
        .flatMap(({ calendar, busy, bounds }) =>
          bounds.flatMap((start, at) => (at % 2 === 0 ? [`${calendar} ${busy} ${start} ${bounds[at + 1]}`] : [])),
        )
        .toSorted();
    assert.deepEqual(
      rangesOf(found),
      [
        '0 tentative 110 120',
        '0 busy 100 200',
        `0 busy ${-500 * DAY_MS} 100`,
        '0 oof 40 40',
        '1 busy 0 100',
      ].toSorted(),
    );
    const itemsOf = ({ items }: typeof found) =>
      items.map(({ calendar, itemId, busy }) => [calendar, itemId, busy].join(' ')).toSorted();
    assert.deepEqual(
      itemsOf(found),
      [
        '0 day {"type":"busy","times":{}}',
        `0 series ${series}`,
        '0 series_1 {"slot":1}',
        '0 series_2 {"slot":2}',
      ].toSorted(),
    );
    const { etag, groupId, rangeStart, rangeEnd } = found.items.find(({ itemId }) => itemId === 'series_2') ?? {};
    assert.deepEqual([etag, groupId, rangeStart, rangeEnd], ['1', 'series', 900, 910]);
    const later = await read(211, 899);
    assert.deepEqual(rangesOf(later), ['0 busy 201 300', '0 oof 40 40']);
    assert.deepEqual(later.items.map(({ itemId }) => itemId).toSorted(), ['series', 'series_1', 'series_2']);
    const all = found.items.length + rangesOf(found).length;
    assert.equal((await read(100, 200, all)).isCut, false);
    assert.deepEqual(await read(100, 200, all - 1), { ...found, ranges: [], items: [], isCut: true });
    const alone = { applicationId: world.key.applicationId, calendars: calendars.slice(0, 1), from: 100, to: 200 };
    const counted = found.items.filter(
      ({ rangeStart, rangeEnd }) => rangeEnd !== null && rangeEnd >= 100 && rangeStart <= 200,
    );
    const most = counted.length + rangesOf(found).length - 1;
    assert.ok(counted.length < found.items.length);
    assert.equal((await mirror.readBusy({ ...alone, limit: most })).items.length, found.items.length);
    assert.equal((await mirror.readBusy({ ...alone, limit: most - 1 })).isCut, true);
    const { applicationId } = world.foreignKey;
    const foreign = await mirror.readBusy({ applicationId, calendars, from: 100, to: 200, limit: 9 });
    assert.deepEqual(foreign, { timeZones: [undefined, undefined, undefined], ranges: [], items: [], isCut: false });
  });

  inWorld(options, 'mirror: a new busy text of unchanged content replaces the old one in place', async (world) => {
    const { mirror } = world.storage;
    const { applicationId, accountId } = world.key;
    const read = async () => {
      const calendars = [{ accountId, calendarId: world.key.calendarId ?? '' }];
      return (await mirror.readBusy({ applicationId, calendars, from: 0, to: 100, limit: 9 })).ranges;
    };
    await put(world, [itemWrite('a', 1, { busy: 'busy' })]);
    assert.deepEqual(
      (await read()).map(({ busy }) => busy),
      ['busy'],
    );
    const { revision } = await put(world, [itemWrite('a', 1, { busy: 'oof' })]);
    assert.equal(revision, 1);
    assert.deepEqual(
      (await read()).map(({ busy }) => busy),
      ['oof'],
    );
    await put(world, [itemWrite('a', 1)]);
    assert.deepEqual(await read(), []);
  });

  inWorld(options, 'mirror: touched groups come once, at their latest revision, by revision then id', async (world) => {
    await seed(world);
    const list = (since: number, until: number) =>
      world.storage.mirror.listTouched(world.key, { since, until, limit: 9 });
    assert.deepEqual(await list(0, 4), [
      { groupId: 'a', revision: 2 },
      { groupId: 'b', revision: 3 },
      { groupId: 's', revision: 4 },
    ]);
    assert.deepEqual(await list(0, 2), [
      { groupId: 'b', revision: 1 },
      { groupId: 'a', revision: 2 },
      { groupId: 's', revision: 2 },
    ]);
    assert.deepEqual(await list(2, 3), [{ groupId: 'b', revision: 3 }]);
    assert.deepEqual(await list(4, 4), []);
    assert.deepEqual(await world.storage.mirror.listTouched(world.foreignKey, { since: 0, until: 4, limit: 9 }), []);
  });

  inWorld(options, 'mirror: touched groups are paged without gap or repetition', async (world) => {
    for (let revision = 1; revision <= 5; revision += 1) {
      await put(
        world,
        Array.from({ length: 4 }, (_, index) => itemWrite(`g${(index * revision) % 7}`, revision)),
      );
    }
    const page = (limit: number, after?: { readonly groupId: string; readonly revision: number }) =>
      world.storage.mirror.listTouched(world.key, {
        since: 1,
        until: 5,
        limit,
        ...(after === undefined ? {} : { after }),
      });
    const whole = await page(99);
    for (const limit of [1, 2, 3]) {
      const paged: { readonly groupId: string; readonly revision: number }[] = [];
      for (let rows = await page(limit); rows.length > 0; rows = await page(limit, rows.at(-1))) paged.push(...rows);
      assert.deepEqual(paged, whole);
    }
  });

  inWorld(options, 'mirror: ids compare by their UTF-8 bytes', async (world) => {
    const ids = ['B', 'a', 'a ', 'é', 'e\u0301', '\uffee', '\u{1f5d3}', 'Z', '_', '0', 'ß', 'ﬀ'];
    const sorted = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    await put(
      world,
      ids.map((id) => itemWrite(id, id)),
    );
    await put(
      world,
      ids.map((id) => itemWrite(`x-${id}`, id, { groupId: 'x' })),
    );
    const { mirror } = world.storage;
    const listed = await mirror.listGroups(world.key, { asOf: 1, limit: 99 });
    assert.deepEqual(listed, sorted);
    for (const [index, id] of sorted.entries()) {
      const beyond = await mirror.listGroups(world.key, { asOf: 1, limit: 99, after: id });
      assert.deepEqual(beyond, sorted.slice(index + 1));
    }
    const read = await mirror.readGroups(world.key, ids, 1);
    assert.deepEqual(
      read.map(({ itemId }) => itemId),
      sorted,
    );
    const members = await mirror.readGroups(world.key, ['x'], 2);
    assert.deepEqual(
      members.map(({ itemId }) => itemId),
      sorted.map((id) => `x-${id}`),
    );
    const touched = await mirror.listTouched(world.key, { since: 0, until: 1, limit: 99 });
    assert.deepEqual(
      touched.map(({ groupId }) => groupId),
      sorted,
    );
    const { generation } = await mirror.startSweep(world.key);
    const unseen = await mirror.listUnseen(world.key, { generation, limit: 99 });
    assert.deepEqual(
      unseen.map(({ itemId }) => itemId),
      [...ids, ...ids.map((id) => `x-${id}`)].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  inWorld(options, 'mirror: pages of one revision are unmoved by commits between them', async (world) => {
    await put(
      world,
      ['a', 'b', 'c', 'd'].map((id) => itemWrite(id, 1)),
    );
    const { mirror } = world.storage;
    const first = await mirror.listGroups(world.key, { asOf: 1, limit: 2 });
    await put(world, [itemWrite('aa', 2), itemWrite('c', null), itemWrite('d', 2), itemWrite('e', 2)]);
    const second = await mirror.listGroups(world.key, { asOf: 1, limit: 9, after: 'b' });
    assert.deepEqual([...first, ...second], ['a', 'b', 'c', 'd']);
    const contents = await mirror.readGroups(world.key, ['a', 'b', 'c', 'd'], 1);
    assert.deepEqual(
      contents.map(({ content }) => content),
      [1, 1, 1, 1],
    );
  });

  inWorld(options, 'mirror: a reader sees commits whole and in order while they go on', async (world) => {
    await put(world, []);
    let isWriting = true;
    const writer = (async () => {
      for (let step = 1; step <= 15; step += 1) {
        await put(world, [itemWrite('a', step), itemWrite('b', step), itemWrite(`n${step}`, step)]);
      }
      isWriting = false;
    })();
    let last = 0;
    while (isWriting) {
      const state = await world.peer.mirror.find(world.key);
      assert.ok(state);
      assert.ok(state.revision >= last);
      last = state.revision;
      const items = await world.peer.mirror.readGroups(world.key, ['a', 'b', `n${last}`], last);
      assert.deepEqual(
        items.map(({ content }) => content),
        last === 0 ? [] : [last, last, last],
      );
      const [a, b] = await world.peer.mirror.findItems(world.key, ['a', 'b']);
      assert.equal(a?.content, b?.content);
    }
    await writer;
  });
}
