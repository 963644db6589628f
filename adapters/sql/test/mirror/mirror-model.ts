import type { Commit, ItemWrite } from 'kalends/ports';

export interface ModelItem {
  readonly groupId: string;
  readonly content: unknown;
  readonly range: readonly [number | null, number | null];
  readonly fromRevision: number;
  readonly providerTag: string | null;
}

type Snapshot = ReadonlyMap<string, ModelItem>;

/**
 * The contract of MirrorStore, done the slow way: a whole copy of the collection for every revision, and the groups that
 * each revision touched.
 */
export class MirrorModel {
  readonly snapshots: Snapshot[] = [new Map()];
  readonly times: number[] = [0];
  readonly touched: ReadonlySet<string>[] = [new Set()];
  readonly zones: string[] = ['UTC'];
  /** Every version and every deletion; a move to another group is a deletion in the old one. */
  #versions: { readonly itemId: string; readonly from: number; readonly isDeletion: boolean; to: number }[] = [];
  readonly #writtenAt = new Map<string, number>();
  readonly deletions = new Map<string, { readonly groupId: string; readonly revision: number }>();
  readonly rereads = new Set<string>();
  purgedBelow = 0;
  writeCount = 0;
  #seen: Set<string> | undefined;

  get revision(): number {
    return this.snapshots.length - 1;
  }

  commit(commit: Commit) {
    const next = new Map(this.snapshots[this.revision]);
    const revision = this.revision + 1;
    const touched = new Set<string>();
    const changed: string[] = [];
    const deferred: string[] = [];
    const confirmed: string[] = [];
    for (const write of lastOfEach(commit.writes)) {
      const live = next.get(write.itemId);
      if ((this.#writtenAt.get(write.itemId) ?? 0) > commit.basedOn && write.force !== true) {
        deferred.push(write.itemId);
      } else if (write.content === null ? live !== undefined : !isSame(live, write)) {
        changed.push(write.itemId);
        this.#write(next, write, revision, touched);
      } else if (live !== undefined && write.content !== null) {
        const { providerTag } = write;
        if (live.providerTag !== providerTag) confirmed.push(write.itemId);
        next.set(write.itemId, { ...live, range: [write.rangeStart, write.rangeEnd], providerTag });
        this.#refresh(write);
      }
    }
    for (const id of [...(commit.reread ?? []), ...deferred].sort()) this.rereads.add(id);
    for (const id of commit.seen?.itemIds ?? []) this.#seen?.add(id);
    const zone = commit.timeZone ?? this.zones[this.revision] ?? '';
    const news = [...changed, ...confirmed];
    if (news.length > 0 || zone !== this.zones[this.revision]) this.writeCount += 1;
    for (const id of news) this.#writtenAt.set(id, this.writeCount);
    if (changed.length > 0 || zone !== this.zones[this.revision]) {
      this.snapshots.push(next);
      this.times.push(commit.at);
      this.touched.push(touched);
      this.zones.push(zone);
    }
    return { revision: this.revision, changed, deferred, setAside: [] };
  }

  #write(next: Map<string, ModelItem>, write: ItemWrite, revision: number, touched: Set<string>): void {
    const before = next.get(write.itemId);
    for (const version of this.#versions) {
      if (version.itemId === write.itemId && version.to > revision) version.to = revision;
    }
    const version = { itemId: write.itemId, from: revision, to: Number.POSITIVE_INFINITY };
    if (before !== undefined && (write.content === null || before.groupId !== write.groupId)) {
      this.#versions.push({ ...version, isDeletion: true });
    }
    if (write.content !== null) this.#versions.push({ ...version, isDeletion: false });
    if (before !== undefined) touched.add(before.groupId);
    if (write.content === null) {
      next.delete(write.itemId);
      this.deletions.set(write.itemId, { groupId: before?.groupId ?? '', revision });
      return;
    }
    touched.add(write.groupId);
    this.deletions.delete(write.itemId);
    next.set(write.itemId, {
      groupId: write.groupId,
      content: write.content,
      range: [write.rangeStart, write.rangeEnd],
      fromRevision: revision,
      providerTag: write.providerTag,
    });
  }

  /** A range without a version of its own holds for the whole life of the version that it belongs to. */
  #refresh(write: ItemWrite): void {
    const from = this.snapshots[this.revision]?.get(write.itemId)?.fromRevision ?? 0;
    for (let revision = from; revision <= this.revision; revision += 1) {
      const snapshot = new Map(this.snapshots[revision]);
      const item = snapshot.get(write.itemId);
      if (item !== undefined)
        snapshot.set(write.itemId, {
          ...item,
          range: [write.rangeStart, write.rangeEnd],
          providerTag: write.providerTag,
        });
      this.snapshots[revision] = snapshot;
    }
  }

  /** The number of versions and deletions that have to go. */
  purge(before: number): number {
    const line = this.times.findLastIndex((at) => at < before);
    this.purgedBelow = Math.max(this.purgedBelow, line);
    for (const [itemId, { revision }] of this.deletions) {
      if (revision > this.purgedBelow) continue;
      this.deletions.delete(itemId);
      this.#writtenAt.delete(itemId);
    }
    const kept = this.#versions.filter(({ from, to, isDeletion }) => (isDeletion ? from : to) > this.purgedBelow);
    const removed = this.#versions.length - kept.length;
    this.#versions = kept;
    return removed;
  }

  startSweep(): void {
    this.#seen = new Set();
  }

  unseen(): readonly string[] {
    const seen = this.#seen;
    if (seen === undefined) return [];
    return sorted(
      [...(this.snapshots[this.revision] ?? [])].filter(([itemId]) => !seen.has(itemId)).map(([itemId]) => itemId),
    );
  }

  items(asOf: number): Snapshot {
    return this.snapshots[asOf] ?? new Map();
  }

  groups(asOf: number, range?: { readonly from: number; readonly to: number }): readonly string[] {
    const items = [...this.items(asOf).values()].filter(
      ({ range: [start, end] }) =>
        range === undefined || (start !== null && start <= range.to && (end === null || end >= range.from)),
    );
    return sorted([...new Set(items.map(({ groupId }) => groupId))]);
  }

  touchedBetween(since: number, until: number) {
    const latest = new Map<string, number>();
    for (let revision = since + 1; revision <= until; revision += 1) {
      for (const groupId of this.touched[revision] ?? []) latest.set(groupId, revision);
    }
    return sorted([...latest.keys()])
      .map((groupId) => ({ groupId, revision: latest.get(groupId) ?? 0 }))
      .sort((a, b) => a.revision - b.revision);
  }
}

const isSame = (live: ModelItem | undefined, write: ItemWrite) =>
  live !== undefined && live.groupId === write.groupId && live.content === write.content;

const lastOfEach = (writes: readonly ItemWrite[]) => new Map(writes.map((write) => [write.itemId, write])).values();

export const sorted = (ids: readonly string[]) =>
  ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
