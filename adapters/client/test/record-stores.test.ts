import { type CopyChanges, memoryStore, type RecordStore } from '@kalends/client';
import { IDBFactory } from 'fake-indexeddb';
import { describe, expect, it } from 'vitest';
import { openIndexedDbStore } from '../../../docs/examples/indexeddb-store.js';

interface Item {
  readonly id: string;
  readonly title: string;
}

interface Opened {
  readonly store: RecordStore<Item>;
  readonly list: () => Promise<readonly Item[]>;
}

const changes = (change: Partial<CopyChanges<Item>>): CopyChanges<Item> => ({
  isFull: false,
  records: [],
  deletedIds: [],
  since: undefined,
  syncToken: 't',
  ...change,
});
const item = (id: string, title = id): Item => ({ id, title });

async function openMemory(): Promise<Opened> {
  const store = memoryStore<Item>();
  return { store, list: async () => [...store.records.values()].sort((one, other) => (one.id < other.id ? -1 : 1)) };
}

async function openIndexed(factory = new IDBFactory()): Promise<Opened> {
  const store = await openIndexedDbStore<Item>('events of work', factory);
  return { store, list: store.list };
}

describe.each([
  ['in memory', openMemory],
  ['in IndexedDB', () => openIndexed()],
])('a copy %s', (_, open) => {
  it('is empty, without a token, before its first sync', async () => {
    const { store, list } = await open();
    expect([await store.readToken(), await list()]).toEqual([undefined, []]);
  });

  it('takes changes and their token', async () => {
    const { store, list } = await open();
    await store.apply(changes({ isFull: true, records: [item('a'), item('b'), item('c')], syncToken: 't1' }));
    await store.apply(
      changes({
        records: [item('b', 'later'), item('d')],
        deletedIds: ['a', 'unknown'],
        since: 't1',
        syncToken: 't2',
      }),
    );
    expect([await store.readToken(), await list()]).toEqual(['t2', [item('b', 'later'), item('c'), item('d')]]);
  });

  it('holds the whole list and nothing else after a full one', async () => {
    const { store, list } = await open();
    await store.apply(changes({ records: [item('a'), item('b')], syncToken: 't1' }));
    await store.apply(changes({ isFull: true, records: [item('b')], since: 't1', syncToken: 't2' }));
    expect([await store.readToken(), await list()]).toEqual(['t2', [item('b')]]);
    await store.apply(changes({ isFull: true, since: 't2', syncToken: 't3' }));
    expect([await store.readToken(), await list()]).toEqual(['t3', []]);
  });

  it('keeps a token without changes', async () => {
    const { store, list } = await open();
    await store.apply(changes({ records: [item('a')], syncToken: 't1' }));
    await store.apply(changes({ since: 't1', syncToken: 't2' }));
    expect([await store.readToken(), await list()]).toEqual(['t2', [item('a')]]);
  });

  it('refuses changes that do not follow its token', async () => {
    const { store, list } = await open();
    expect(await store.apply(changes({ records: [item('a')], syncToken: 't1' }))).toBe(true);
    expect(await store.apply(changes({ records: [item('b')], syncToken: 't2' }))).toBe(false);
    expect(await store.apply(changes({ isFull: true, since: 't0', syncToken: 't2' }))).toBe(false);
    expect([await store.readToken(), await list()]).toEqual(['t1', [item('a')]]);
  });
});

describe('a copy in IndexedDB', () => {
  it('survives a reload', async () => {
    const factory = new IDBFactory();
    const first = await openIndexedDbStore<Item>('one', factory);
    await first.apply(changes({ records: [item('a')], syncToken: 't1' }));
    first.close();
    const second = await openIndexedDbStore<Item>('one', factory);
    expect([await second.readToken(), await second.get('a'), await second.get('b')]).toEqual([
      't1',
      item('a'),
      undefined,
    ]);
    const other = await openIndexedDbStore<Item>('two', factory);
    expect([await other.readToken(), await other.list()]).toEqual([undefined, []]);
  });

  it('is as it was when one record cannot be stored', async () => {
    const store = await openIndexedDbStore<Item>('one', new IDBFactory());
    await store.apply(changes({ records: [item('a')], syncToken: 't1' }));
    const unstorable = { ...item('c'), title: () => 'no data' } as unknown as Item;
    const failing = store.apply(
      changes({ isFull: true, records: [item('b'), unstorable], since: 't1', syncToken: 't2' }),
    );
    await expect(failing).rejects.toMatchObject({ name: 'DataCloneError' });
    expect([await store.readToken(), await store.list()]).toEqual(['t1', [item('a')]]);
  });
});
