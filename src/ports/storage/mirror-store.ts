import type { MessageType } from '../../model/index.ts';

/**
 * The mirror: versioned collections. A collection is the events of one calendar, or the calendar list of one account
 * (`calendarId: null`). It has a revision; a commit that changes anything raises it by one and writes each changed item
 * as a new version valid from that revision. Commit order equals revision order: no reader sees revision n before n-1.
 */
export interface CollectionKey {
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string | null;
}

export interface CollectionState {
  /** 0 before the first commit. */
  readonly revision: number;
  /**
   * Commits so far that brought something new from the provider: a new version, or an unchanged item under another tag.
   * Never less than the revision.
   */
  readonly writeCount: number;
  /** Random tag of that revision: it differs from the same number in another history (a restored backup). */
  readonly tag: string;
  /** The calendar's zone as of that revision; empty for calendar lists. */
  readonly timeZone: string;
  /** Time of that revision: that of its commit, or of the revision before it where that is later. The log's times never move back. */
  readonly at: number;
  /** Completion of the first full pull; null until then. */
  readonly completedAt: number | null;
  /** Revisions below this have been purged. */
  readonly purgedBelow: number;
}

/** One version of an item. */
export interface ItemVersion {
  readonly itemId: string;
  /** Single events and masters: their own id; exceptions and orphans: the id of their series. Items of calendar lists: their own id. */
  readonly groupId: string;
  readonly fromRevision: number;
  /** Hash of the public content. */
  readonly etag: string;
  readonly providerTag: string | null;
  readonly mappingVersion: number;
  /** Parsed JSON, exactly as written; it may be parsed when it is asked for. */
  readonly content: unknown;
  /** The JSON of `content`, its members in the order in which they were written, where the storage has it as text. */
  readonly contentText?: string;
  /** Parsed JSON, as last written for this version; null without any. No answer as of a revision may depend on it. */
  readonly privateContent: unknown;
}

export interface ItemWrite {
  readonly itemId: string;
  readonly groupId: string;
  /** JSON-serialisable; null deletes the item (no effect when there is none). */
  readonly content: unknown | null;
  /**
   * JSON-serialisable data beside the content that is never shown and that no answer depends on; null: none. Undefined leaves
   * that of a version that stays, and gives a new version none.
   */
  readonly privateContent?: unknown;
  /**
   * Equal to the open version's in the same group: no new version, only providerTag, mappingVersion, the range, busy and
   * privateContent are updated in place.
   */
  readonly etag: string;
  readonly providerTag: string | null;
  readonly mappingVersion: number;
  /**
   * The instants [rangeStart, rangeEnd] that the item can touch, widened for unknown zones; rangeEnd null: endless.
   * Both null for items without time, which no range meets.
   */
  readonly rangeStart: number | null;
  readonly rangeEnd: number | null;
  /**
   * The part of the item that a search for busy time depends on: a word of ASCII letters if that and the range are all, else a
   * JSON object; null or left out: the item is never busy.
   */
  readonly busy?: string | null;
  /** Applied even if the item has been written after `basedOn` (the answer to our own write). */
  readonly force?: boolean;
}

/** Greatest number of writes in one commit: a transaction may block the event loop for its whole duration. */
export const MAX_COMMIT_WRITES = 500;

export interface Commit {
  /** At most `MAX_COMMIT_WRITES`. Of two writes of one item the later stands. An item that changes its group touches both groups. */
  readonly writes: readonly ItemWrite[];
  /**
   * `writeCount` of the state before the provider request: an item that has been written since is not applied but put on the
   * re-read list.
   */
  readonly basedOn: number;
  readonly at: number;
  /** Random tag for the revision, used if one is made. */
  readonly tag: string;
  /** Sets the zone; a change alone makes a revision. */
  readonly timeZone?: string;
  /** Resume point at the provider, stored in the same transaction; null forgets it; undefined leaves it. */
  readonly providerToken?: string | null;
  /** Marks the first full pull complete. */
  readonly complete?: boolean;
  /** Ids to add to the re-read list. */
  readonly reread?: readonly string[];
  /**
   * Entries to take off the re-read list, as listRereads returned them: they were re-read for this commit. An entry whose id
   * was added again since stays.
   */
  readonly rereadDone?: readonly Reread[];
  /** Changes of the list of unreadable objects that the answer of the provider brings. */
  readonly unreadable?: UnreadableChanges;
  /** Marks of a running full resync: items seen, by generation. Those of a generation that is over are dropped. */
  readonly seen?: { readonly generation: number; readonly itemIds: readonly string[] };
  /** Fence: the commit fails unless this lease is still held with this epoch. */
  readonly lease?: { readonly name: string; readonly epoch: number };
  /**
   * The commit is part of this intent's work, and fails unless it is open in this collection with this epoch. Items of groups that it holds
   * are applied whatever `basedOn` says: no other writer has touched them. Items (by their new or their present
   * group) that another open intent of the collection holds are not applied but put on the re-read list, as those written
   * after `basedOn` are; for a commit without an intent that is true of every open one. `force` overrides both.
   */
  readonly intent?: {
    readonly id: string;
    readonly epoch: number;
    /** Ends the intent in this transaction. One with an idempotency key is kept for `keepMs` with `result`, JSON-serialisable. */
    readonly end?: { readonly result?: unknown; readonly keepMs: number };
  };
  /**
   * Messages to enqueue if anything changed: one for each enabled subscription that covers the collection
   * (type `event` on this calendar, or type `calendar` on the account), coalesced as OutboxStore says, in this transaction.
   * `always`: also when nothing changed (a gap in coverage).
   *
   * A subscription with `detail: 'record'` gets instead of `calendar.event.changed`, for a calendar's events, one message
   * with a `ToldChange` for each changed group, ascending by id: `event.created`, `event.updated` or `event.deleted` by what
   * became of the group's own item; a change of the zone is told by `calendar.event.unknown`. Nothing is enqueued while a
   * `calendar.event.unknown` waits unattempted. Where more than `MAX_WAITING_RECORDS` would wait, it replaces those that have
   * not been attempted. A gap that is `late` is not told to such a subscription: it hears of each change, only later.
   */
  readonly notify?: {
    readonly eventType: MessageType;
    readonly messageId: () => string;
    readonly always?: boolean;
    readonly late?: boolean;
  };
  /** Reads what the commit leaves, with no further round trip. @default false */
  readonly readsLeft?: boolean;
}

/** State after a commit, as of the revision that it has reached. */
export interface LeftByCommit {
  /** Groups that its writes named. */
  readonly groupIds: readonly string[];
  /** Their present items, ascending by groupId, then itemId. */
  readonly items: readonly ItemVersion[];
  /** Whether anything is on the re-read list. */
  readonly hasRereads: boolean;
  /** The calendar's zone as of its revision. */
  readonly timeZone: string;
}

/** Changes of the list of unreadable objects. Taken off first, then put on. */
export interface UnreadableChanges {
  /** Objects to list. One that is listed already keeps its `since`. */
  readonly found: readonly UnreadableWrite[];
  /** Objects that were read, or are gone. */
  readonly readIds: readonly string[];
  /** Groups that were read whole, or are gone: all their objects. */
  readonly readGroupIds: readonly string[];
}

/** An object that cannot be read, or a part of one that can. */
export interface UnreadableWrite {
  /** The provider's id; empty for objects without a usable one. */
  readonly objectId: string;
  /** Provider id of the series of an instance, else the object's own. */
  readonly groupId: string;
  /** Whether only a part was left out, and the rest of the object is mirrored. */
  readonly isPart: boolean;
  readonly reason: string;
}

/** An entry of the list of unreadable objects. */
export interface UnreadableRow extends UnreadableWrite {
  /** Null for an entry of the calendar list. */
  readonly calendarId: string | null;
  /** When it was put on the list, epoch ms. */
  readonly since: number;
  readonly place: UnreadablePlace;
}

/** Position in an account's list. */
export interface UnreadablePlace {
  /** Number of the collection within the account. */
  readonly collection: number;
  readonly objectId: string;
}

/** An entry of the re-read list. Its numbers differ from those of the same id put on again. */
export interface Reread {
  readonly itemId: string;
  /** Position in the list. */
  readonly seq: number;
  /** Number of times that its id was added again. */
  readonly times: number;
}

export interface CommitResult {
  /** New revision. */
  readonly revision: number;
  /** Items that got a new version. */
  readonly changed: readonly string[];
  /** Items put on the re-read list: written after `basedOn`, or held by an intent. */
  readonly deferred: readonly string[];
  /** Objects put on the list of unreadable ones that were not on it. */
  readonly setAside: readonly string[];
  /** With `readsLeft`, unless the connection broke during the commit. */
  readonly left?: LeftByCommit;
}

/** Selects groups: see `listGroups`. */
export interface GroupQuery {
  readonly asOf: number;
  readonly after?: string;
  readonly limit: number;
  readonly range?: { readonly from: number | null; readonly to: number | null };
}

/** Selects busy items: see `readBusy`. */
export interface BusyQuery {
  readonly applicationId: string;
  /** At most `MAX_BUSY_COLLECTIONS`. */
  readonly calendars: readonly { readonly accountId: string; readonly calendarId: string }[];
  /** As `GroupQuery.range`. */
  readonly from: number;
  readonly to: number;
  /**
   * Most items, those of `ranges` included. Of a single calendar only those count that have an end and meet the window: the next
   * query is for a shorter one, which would leave out none of the others.
   */
  readonly limit: number;
}

/** Greatest number of calendars of one `readBusy`. */
export const MAX_BUSY_COLLECTIONS = 256;

/** Ranges of the items of a calendar whose `busy` is the same word. */
export interface BusyRanges {
  /** Index of the calendar in the query. */
  readonly calendar: number;
  readonly busy: string;
  /** Start and end of each item, one behind the other; an endless one ends at its start. */
  readonly bounds: readonly number[];
}

/** A present item whose `busy` is a JSON object, without its content. */
export interface BusyItem {
  /** Index of its calendar in the query. */
  readonly calendar: number;
  readonly groupId: string;
  readonly itemId: string;
  readonly etag: string;
  readonly rangeStart: number;
  readonly rangeEnd: number | null;
  readonly busy: string;
}

/** The busy items of several calendars at one moment. */
export interface BusyItems {
  /** Zone of each calendar, in the order of the query; undefined for one that is not there. */
  readonly timeZones: readonly (string | undefined)[];
  /** In any order. */
  readonly ranges: readonly BusyRanges[];
  /** In any order. */
  readonly items: readonly BusyItem[];
  /** Whether there are more than the limit: then none are returned. */
  readonly isCut: boolean;
}

/** Selects changes: see `listTouched`. */
export interface TouchedQuery {
  readonly since: number;
  /** Tag of that revision: where it has another, it belongs to another history, and `readTouched` takes it for purged. */
  readonly tag?: string;
  readonly until: number;
  readonly after?: TouchedGroup;
  readonly limit: number;
}

/** A group and the latest of the requested revisions that touched it. */
export interface TouchedGroup {
  readonly groupId: string;
  readonly revision: number;
}

/** A touched group before and after the changes; both ascending by itemId. */
export interface TouchedItems extends TouchedGroup {
  /** As of `since`. */
  readonly before: readonly ItemVersion[];
  /** As of `until`. */
  readonly after: readonly ItemVersion[];
}

/** Stores the mirror. */
export interface MirrorStore {
  find(key: CollectionKey): Promise<CollectionState | undefined>;
  /**
   * Creates the collection at revision 0 if there is none, and returns its state.
   * @throws KalendsError NotFound when there is no such account
   */
  ensure(
    key: CollectionKey,
    init: { readonly at: number; readonly tag: string; readonly timeZone: string },
  ): Promise<CollectionState>;
  /** Returns tag and zone of one revision, undefined when it is purged or was never reached. */
  findRevision(
    key: CollectionKey,
    revision: number,
  ): Promise<{ readonly tag: string; readonly timeZone: string; readonly at: number } | undefined>;
  /**
   * Applies the writes under the collection's row lock.
   * @throws KalendsError NotFound when there is no such collection, Conflict when the lease fence does not hold,
   * InvalidRequest when there are too many writes
   */
  commit(key: CollectionKey, commit: Commit): Promise<CommitResult>;

  /*
   * Reads as of a revision (and listTouched and readTouched since one) that has been purged, before or meanwhile, throw KalendsError
   * SyncTokenExpired. Reads of a collection that does not exist find nothing.
   */

  /** Finds an item as of a revision (default: now); undefined when absent or deleted. */
  findItem(key: CollectionKey, itemId: string, asOf?: number): Promise<ItemVersion | undefined>;
  /** Finds the present items with these ids, in any order. */
  findItems(key: CollectionKey, itemIds: readonly string[]): Promise<readonly ItemVersion[]>;
  /** Finds the group of a deleted item and the revision of its deletion. Purged with the versions. */
  findDeletion(
    key: CollectionKey,
    itemId: string,
  ): Promise<{ readonly groupId: string; readonly revision: number } | undefined>;
  /** Reads all items of groups as of a revision, ascending by groupId, then itemId. */
  readGroups(key: CollectionKey, groupIds: readonly string[], asOf: number): Promise<readonly ItemVersion[]>;
  /**
   * Lists ids of groups with at least one item as of the revision whose range meets [range.from, range.to] (any item when
   * no range is given), ascending, beyond `after`.
   */
  listGroups(key: CollectionKey, input: GroupQuery): Promise<readonly string[]>;
  /** Reads all items of the groups that listGroups lists, in the order of readGroups. */
  readListed(key: CollectionKey, input: GroupQuery): Promise<readonly ItemVersion[]>;
  /**
   * Finds an instant before which no range of the collection begins, of any revision that is kept; null where none has a range.
   * Its cost does not depend on the number of items.
   */
  findFirstStart(key: CollectionKey): Promise<number | null>;
  /**
   * Reads the present items with a `busy` text whose range meets [from, to]: words as ranges, since most items have one. With a
   * series, whose text begins with `{"series":`, come all other items of its group that have a JSON object. Calendars and items
   * are of one moment. Reads of a calendar of another application find nothing.
   */
  readBusy(query: BusyQuery): Promise<BusyItems>;
  /**
   * Lists groups with a version or deletion in (since, until], each once, at its latest such revision, ascending by
   * (revision, groupId), beyond `after`. The cost depends on the number of such versions only.
   * @throws KalendsError SyncTokenExpired when `since` has been purged
   */
  listTouched(key: CollectionKey, input: TouchedQuery): Promise<readonly TouchedGroup[]>;
  /**
   * Reads the groups that listTouched lists, each with its items as of both revisions.
   * @throws KalendsError SyncTokenExpired when `since` has been purged, or has another tag than the query's
   */
  readTouched(key: CollectionKey, input: TouchedQuery): Promise<readonly TouchedItems[]>;

  /** Returns the resume point at the provider, null when there is none. */
  findProviderToken(key: CollectionKey): Promise<string | null>;
  /** Lists the re-read list, oldest first, each id once. */
  listRereads(key: CollectionKey, limit: number): Promise<readonly Reread[]>;
  /**
   * Puts ids on the re-read list without waiting for a running commit. Has no effect for a collection that does not exist.
   */
  addRereads(key: CollectionKey, itemIds: readonly string[]): Promise<void>;

  /**
   * Starts a full resync: a new generation, with the present revision. It replaces a running one, so a process that lost its
   * lease must not start one: with a fence, the call fails unless the lease is still held with this epoch.
   * @throws KalendsError NotFound when there is no such collection, Conflict when the lease fence does not hold
   */
  startSweep(
    key: CollectionKey,
    fence?: Commit['lease'],
  ): Promise<{ readonly generation: number; readonly revision: number }>;
  /** Lists items not marked in the generation, beyond `after`, ascending by itemId. None when the generation has ended. */
  listUnseen(
    key: CollectionKey,
    input: { readonly generation: number; readonly after?: string; readonly limit: number },
  ): Promise<readonly ItemVersion[]>;
  /** Lists an account's unreadable objects by collection and object id, beyond `after`. */
  listUnreadable(
    applicationId: string,
    accountId: string,
    input: { readonly after?: UnreadablePlace; readonly limit: number },
  ): Promise<readonly UnreadableRow[]>;
  /** Counts the objects set aside in each collection of an account that has any; in any order. */
  countUnreadable(
    applicationId: string,
    accountId: string,
  ): Promise<readonly { readonly calendarId: string | null; readonly count: number }[]>;
  /** Finds an object on the list of unreadable ones; undefined when it is not on it. */
  findUnreadable(key: CollectionKey, objectId: string): Promise<UnreadableRow | undefined>;

  /**
   * Ends the generation and removes its marks; false when it was over already. Objects that were last listed as unreadable
   * before the generation leave that list: the pass has shown them to be readable or gone.
   */
  endSweep(key: CollectionKey, generation: number): Promise<boolean>;

  /**
   * Removes the collection of a deleted calendar with its versions and schedule. Its channels become due for upkeep, which
   * closes them. Its subscriptions end: an enabled one gets `calendar.event.unknown` in place of unsent changes, and is
   * removed when no message waits for it any more; a disabled one is removed now. Subscriptions of type `calendar` cover the
   * account and stay; where records of this calendar wait for one, a single `calendar.event.unknown` replaces all that is unattempted.
   * @throws KalendsError Conflict, and removes nothing, when a lease is given that does not hold
   */
  remove(
    key: CollectionKey,
    last: { readonly at: number; readonly messageId: () => string; readonly lease?: Commit['lease'] },
  ): Promise<void>;
  /**
   * Removes at most `limit` versions that ended before `before` (the time of the revision that ended them), and deletions of
   * that age. Returns their number: a deletion counts for itself, beside the version that it ended. `purgedBelow` becomes the collection's last revision before that time.
   */
  purge(input: { readonly before: number; readonly limit: number }): Promise<number>;
}
