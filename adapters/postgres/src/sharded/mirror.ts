import type { BusyItem, BusyItems, BusyRanges, MirrorStore, ReadStore } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { underLease } from './leases.ts';
import { ofKey, ofSecond, routedStore } from './routed-store.ts';
import { purgeInTurns } from './sums.ts';

/** Stores mirrors with their accounts. */
export function shardedMirror(context: ShardedContext): MirrorStore {
  const { shards, router } = context;
  const ofCollections = routedStore(
    context,
    'mirror',
    {
      find: 'read',
      ensure: 'write',
      findRevision: 'read',
      findItem: 'read',
      findItems: 'read',
      findDeletion: 'read',
      readGroups: 'read',
      listGroups: 'read',
      readListed: 'read',
      findFirstStart: 'read',
      listTouched: 'read',
      readTouched: 'read',
      findProviderToken: 'read',
      listRereads: 'read',
      addRereads: 'write',
      listUnseen: 'read',
      findUnreadable: 'read',
      endSweep: 'write',
      remove: 'write',
    },
    ofKey,
  );
  const ofAccounts = routedStore(context, 'mirror', { listUnreadable: 'read', countUnreadable: 'read' }, ofSecond);
  return {
    ...ofCollections,
    ...ofAccounts,
    commit: (key, commit) =>
      router.write(key.accountId, ({ mirror }, shard) =>
        underLease(shards.home, shard, commit.lease, () => mirror.commit(key, commit)),
      ),
    startSweep: (key, fence) =>
      router.write(key.accountId, ({ mirror }, shard) =>
        underLease(shards.home, shard, fence, () => mirror.startSweep(key, fence)),
      ),
    readBusy: (query) => readBusy(context, query),
    purge: ({ before, limit }) =>
      purgeInTurns(shards, limit, ({ mirror }, left) => mirror.purge({ before, limit: left })),
  };
}

type BusyQuery = Parameters<MirrorStore['readBusy']>[0];

/** Reads the calendars of each account where it is. Those of one shard are of one moment. */
async function readBusy({ router }: ShardedContext, query: BusyQuery): ReturnType<MirrorStore['readBusy']> {
  const accountIds = [...new Set(query.calendars.map(({ accountId }) => accountId))];
  for (;;) {
    const places = await Promise.all(
      accountIds.map(async (accountId) => ({ accountId, ...(await router.shardOf(accountId)) })),
    );
    const shards = [...new Set(places.map(({ shard }) => shard))];
    const parts = await Promise.all(
      shards.map(async (shard) => {
        const here = new Set(places.filter((place) => place.shard === shard).map(({ accountId }) => accountId));
        const indexes = query.calendars.flatMap(({ accountId }, index) => (here.has(accountId) ? [index] : []));
        const calendars = query.calendars.filter(({ accountId }) => here.has(accountId));
        return { indexes, found: await shard.use(({ mirror }) => mirror.readBusy({ ...query, calendars })) };
      }),
    );
    const stayed = await Promise.all(places.map(({ accountId, found }) => router.isStill(accountId, found)));
    if (!stayed.includes(false)) return joinBusy(query, parts);
  }
}

interface BusyPart {
  /** Indexes of its calendars in the query. */
  readonly indexes: readonly number[];
  readonly found: BusyItems;
}

function joinBusy(query: BusyQuery, parts: readonly BusyPart[]): BusyItems {
  const timeZones: (string | undefined)[] = query.calendars.map(() => undefined);
  const ranges: BusyRanges[] = [];
  const items: BusyItem[] = [];
  for (const { indexes, found } of parts) {
    const indexOf = (calendar: number) => indexes[calendar] ?? 0;
    found.timeZones.forEach((zone, index) => {
      timeZones[indexOf(index)] = zone;
    });
    ranges.push(...found.ranges.map((range) => ({ ...range, calendar: indexOf(range.calendar) })));
    items.push(...found.items.map((item) => ({ ...item, calendar: indexOf(item.calendar) })));
  }
  const count = items.length + ranges.reduce((sum, { bounds }) => sum + bounds.length / 2, 0);
  const isCut = parts.some(({ found }) => found.isCut) || (parts.length > 1 && count > query.limit);
  return isCut ? { timeZones, ranges: [], items: [], isCut } : { timeZones, ranges, items, isCut };
}

/** Reads what a read begins with. The account's row is that of the home database. */
export function shardedReads(context: ShardedContext): ReadStore {
  const { shards, router } = context;
  return {
    async start(applicationId, accountId, calendarIds) {
      const [account, read] = await Promise.all([
        shards.home.storage.accounts.find(applicationId, accountId),
        router.read(accountId, ({ reads }) => reads.start(applicationId, accountId, calendarIds)),
      ]);
      if (account === undefined || read === undefined) return undefined;
      return { ...read, account };
    },
    async startWrite(key, ids) {
      const [account, read] = await Promise.all([
        shards.home.storage.accounts.find(key.applicationId, key.accountId),
        router.read(key.accountId, ({ reads }) => reads.startWrite(key, ids)),
      ]);
      return account && read && { ...read, account };
    },
  };
}
