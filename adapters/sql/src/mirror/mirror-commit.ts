import type { SubscriptionDetail } from 'kalends/model';
import {
  type CollectionKey,
  type Commit,
  type CommitResult,
  KalendsError,
  type LeftByCommit,
  MAX_COMMIT_WRITES,
} from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { findHolds, type Holds, lockIntent, NO_HOLDS, requireIntent } from '../intents/intent-hold.ts';
import type { IntentTableRow } from '../intents/intent-rows.ts';
import { endingIntent } from '../intents/intents.ts';
import { type CollectionRef, inCollection, inCollectionOf } from '../schema/collection-key.ts';
import { OPEN, type Tables } from '../schema/schema.ts';
import { compareText } from '../statements/compare-text.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { type ColumnType, rowSources } from '../statements/row-source.ts';
import {
  batches,
  type Fragment,
  finish,
  fragment,
  lists,
  oneOf,
  type Piece,
  piece,
  statement,
  valueRows,
} from '../statements/statement.ts';
import { holdsLease } from '../sync/leases.ts';
import { type NewRecord, planMessage, planRecords } from '../webhooks/messages.ts';
import { covering } from '../webhooks/subscriptions.ts';
import { lockCollection } from './mirror-collections.ts';
import { findLatest, planWrites, type WritePlan } from './mirror-plan.ts';
import { itemsOfGroups, toPresentItems } from './present-items.ts';
import { addingRereads, removingRereads } from './reread-list.ts';
import {
  changingUnreadable,
  type ListedUnreadable,
  listUnreadable,
  NONE_LISTED,
  newlyUnreadable,
} from './unreadable-list.ts';

/** Types of a new version's group, member, body, etag, provider tag, mapping version, range and busy text. */
const VERSION_TYPES: readonly ColumnType[] = [
  'text',
  'text',
  'bigint',
  'text',
  'text',
  'bigint',
  'bigint',
  'bigint',
  'text',
];

type Collection = Selectable<Tables['kalends_collection']>;

/** Applies a commit to the mirror, and ends the transaction; `MirrorStore.commit` is its contract. */
export async function commitToMirror(
  context: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  commit: Commit,
): Promise<CommitResult> {
  if (commit.writes.length > MAX_COMMIT_WRITES) {
    const message = `must be at most ${MAX_COMMIT_WRITES}`;
    throw new KalendsError('InvalidRequest', `writes: ${message}`, { details: [{ path: 'writes', message }] });
  }
  const { dialect } = context;
  const before = await readBefore(context, transaction, key, commit);
  const { collection } = before;
  const plan = planWrites(commit, before.latest, collection, before.holds);
  const isChanged =
    plan.changed.length > 0 || (commit.timeZone !== undefined && commit.timeZone !== collection.time_zone);
  const revision = isChanged ? collection.revision + 1 : collection.revision;
  const made = isChanged ? { collection, plan, revision } : undefined;
  const messages = await planMessages(context, transaction, key, commit, made, before.targets);
  const answers = await finish(dialect, transaction, [
    ...applyingPlan(dialect, collection, plan, revision),
    ...updatingCollection(collection, commit, plan, revision),
    ...keepingProviderToken(collection, commit.providerToken),
    ...removingRereads(collection, commit.rereadDone ?? []),
    ...addingRereads(collection, [...(commit.reread ?? []), ...plan.deferred]),
    ...changingUnreadable(collection, commit, before.unreadable),
    ...markingSeen(collection, commit.seen),
    ...messages,
    ...endingOf(dialect, commit, before.intent, revision),
    ...(commit.readsLeft === true ? readingLeft(dialect, key, commit) : []),
  ]);
  return {
    revision,
    changed: plan.changed,
    deferred: plan.deferred,
    setAside: newlyUnreadable(commit.unreadable, before.unreadable),
    ...(commit.readsLeft === true && answers !== undefined ? { left: toLeft(commit, before, answers) } : {}),
  };
}

function readingLeft(dialect: SqlDialect, key: CollectionKey, commit: Commit): readonly Piece[] {
  return [
    itemsOfGroups(dialect, key, groupsOf(commit)),
    piece`select 1 as listed from kalends_reread where ${inCollectionOf(key)} limit 1`,
  ];
}

/** Reads the last two answers. */
function toLeft(commit: Commit, { collection }: Before, answers: readonly (readonly unknown[])[]): LeftByCommit {
  const [items = [], rereads = []] = answers.slice(-2);
  return {
    groupIds: groupsOf(commit),
    items: toPresentItems(items),
    hasRereads: rereads.length > 0,
    timeZone: commit.timeZone ?? collection.time_zone,
  };
}

function groupsOf({ writes }: Commit): readonly string[] {
  return [...new Set(writes.map(({ groupId }) => groupId))];
}

interface Before {
  /** Locked. */
  readonly collection: Collection;
  /** The open intent that the commit is part of, locked. */
  readonly intent: IntentTableRow | undefined;
  readonly holds: Holds;
  readonly latest: Awaited<ReturnType<typeof findLatest>>;
  readonly unreadable: ListedUnreadable;
  readonly targets: readonly NotifiedTarget[];
}

/**
 * Locks the collection, then the lease, then the intent, and reads all that a commit depends on.
 * @throws KalendsError NotFound without the collection, Conflict when the lease or the intent was lost
 */
async function readBefore(
  context: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  commit: Commit,
): Promise<Before> {
  const { dialect } = context;
  const { lease, intent, writes, unreadable } = commit;
  const read: { -readonly [Part in keyof Before]?: Before[Part] } = {};
  let isHeld = true;
  await dialect.together([
    async () => {
      read.collection = await lockCollection(transaction, dialect, key);
    },
    async () => {
      if (lease !== undefined) isHeld = await holdsLease(transaction, dialect, lease);
    },
    async () => {
      if (intent !== undefined) read.intent = await lockIntent(transaction, dialect, { ...key, id: intent.id });
    },
    async () => {
      if (writes.length > 0) read.holds = await findHolds(context, transaction, key, intent?.id);
    },
    async () => {
      read.latest = await findLatest(context, transaction, key, writes);
    },
    async () => {
      if (unreadable !== undefined) read.unreadable = await listUnreadable(dialect, transaction, key, unreadable);
    },
    async () => {
      if (commit.notify !== undefined) read.targets = await findTargets(context, transaction, key);
    },
  ]);
  const { collection, holds = NO_HOLDS, latest = [], targets = [] } = read;
  if (collection === undefined || !isHeld) throw new KalendsError('Conflict', 'The lease was lost');
  return {
    collection,
    intent: intent === undefined ? undefined : requireIntent(read.intent, collection, intent),
    holds,
    latest,
    unreadable: read.unreadable ?? NONE_LISTED,
    targets,
  };
}

function applyingPlan(
  dialect: SqlDialect,
  collection: CollectionRef,
  plan: WritePlan,
  revision: number,
): readonly Piece[] {
  const { account_id, id } = collection;
  const close = (ids: readonly string[], which: Fragment) =>
    piece`update kalends_item_version set to_revision = ${revision}
      where ${inCollection(collection)} and ${which} ${oneOf(ids)} and to_revision = ${OPEN}`;
  const insertBodies = (bodies: Piece) =>
    piece`insert into kalends_item_body (account_id, collection_id, body, content, private_content)
      select ${account_id}, ${id}, column1, column2, column3 from ${bodies}`;
  const insertVersions = (versions: Piece) =>
    piece`insert into kalends_item_version (account_id, collection_id, from_revision, to_revision, write_count, group_id,
      member, body, etag, provider_tag, mapping_version, range_start, range_end, busy)
      select ${account_id}, ${id}, ${revision}, ${OPEN}, ${plan.writeCount}, column1, column2, column3, column4, column5,
        column6, column7, column8, column9 from ${versions}`;
  const refresh = (rows: WritePlan['refreshed']) =>
    piece`insert into kalends_item_version (account_id, collection_id, group_id, member, from_revision, to_revision,
      body, etag, provider_tag, mapping_version, range_start, range_end, busy, write_count) values ${valueRows(rows)}
      on conflict (account_id, collection_id, group_id, member, from_revision) do update set
        provider_tag = excluded.provider_tag, mapping_version = excluded.mapping_version,
        range_start = excluded.range_start, range_end = excluded.range_end, busy = excluded.busy,
        write_count = excluded.write_count`;
  const replacePrivate = (rows: WritePlan['privates']) =>
    piece`insert into kalends_item_body (account_id, collection_id, body, content, private_content)
      values ${valueRows(rows)}
      on conflict (account_id, collection_id, body) do update set private_content = excluded.private_content
        where kalends_item_body.private_content is distinct from excluded.private_content`;
  return [
    ...lists(plan.closing.groupItems).map((ids) => close(ids, fragment("member = '' and group_id"))),
    ...lists(plan.closing.memberItems).map((ids) => close(ids, fragment("member <> '' and member"))),
    ...rowSources(dialect, plan.bodies, ['bigint', 'text', 'text']).map(insertBodies),
    ...rowSources(dialect, plan.versions, VERSION_TYPES).map(insertVersions),
    ...batches(plan.refreshed).map(refresh),
    ...batches(plan.privates).map(replacePrivate),
  ];
}

function updatingCollection(
  collection: Collection,
  commit: Commit,
  plan: WritePlan,
  revision: number,
): readonly Piece[] {
  const isComplete = commit.complete === true && collection.completed_at === null;
  const isRaised = revision > collection.revision;
  if (!isRaised && !isComplete && !plan.hasNewTags) return [];
  const timeZone = commit.timeZone ?? collection.time_zone;
  // Processes' clocks differ a little; a log whose times went back could not be purged by time.
  const at = Math.max(commit.at, collection.at);
  const { account_id, id } = collection;
  const writeCount = collection.write_count + (isRaised || plan.hasNewTags ? 1 : 0);
  const next = isRaised
    ? { revision, tag: commit.tag, timeZone, at, nextBody: plan.nextBody }
    : { ...collection, timeZone: collection.time_zone, nextBody: collection.next_body };
  const logging = piece`insert into kalends_revision_log (account_id, collection_id, revision, at, tag, time_zone)
    values (${account_id}, ${id}, ${revision}, ${at}, ${commit.tag}, ${timeZone})`;
  return [
    piece`update kalends_collection set revision = ${next.revision}, tag = ${next.tag}, time_zone = ${next.timeZone},
      at = ${next.at}, next_body = ${next.nextBody}, write_count = ${writeCount},
      completed_at = ${isComplete ? commit.at : collection.completed_at} where account_id = ${account_id} and id = ${id}`,
    ...(isRaised ? [logging] : []),
  ];
}

function keepingProviderToken(collection: CollectionRef, token: string | null | undefined): readonly Piece[] {
  if (token === undefined) return [];
  if (token === null) return [piece`delete from kalends_provider_token where ${inCollection(collection)}`];
  return [
    piece`insert into kalends_provider_token (account_id, collection_id, token)
      values (${collection.account_id}, ${collection.id}, ${token})
      on conflict (account_id, collection_id) do update set token = excluded.token`,
  ];
}

/** Marks items as seen by the running sweep; marks of one that has been replaced or has ended are dropped. */
function markingSeen(collection: Collection, seen: Commit['seen']): readonly Piece[] {
  if (seen === undefined || collection.sweep_revision === null || collection.sweep_generation !== seen.generation) {
    return [];
  }
  return batches([...new Set(seen.itemIds)]).map(
    (ids) => piece`insert into kalends_seen_item (account_id, collection_id, generation, item_id)
      values ${valueRows(ids.map((id) => [collection.account_id, collection.id, seen.generation, id]))}
      on conflict (account_id, collection_id, generation, item_id) do nothing`,
  );
}

function endingOf(
  dialect: SqlDialect,
  { intent }: Commit,
  row: IntentTableRow | undefined,
  revision: number,
): readonly Piece[] {
  if (row === undefined || intent?.end === undefined) return [];
  const { keepMs, result } = intent.end;
  return endingIntent(dialect, row, { keepMs, done: { value: result, revision } });
}

/** A revision that a commit has made. */
interface MadeRevision {
  /** As it was before. */
  readonly collection: Collection;
  readonly plan: WritePlan;
  readonly revision: number;
}

interface NotifiedTarget {
  readonly id: string;
  readonly detail: SubscriptionDetail | null;
}

function findTargets(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { applicationId, accountId, calendarId }: CollectionKey,
): Promise<readonly NotifiedTarget[]> {
  const run = statement(dialect, transaction);
  return run<NotifiedTarget>`
    select g.id, g.detail from kalends_target g
    where g.application_id = ${applicationId} and g.account_id = ${accountId} and ${covering(calendarId)} order by g.id`;
}

/** Locks the lines of the targets, and returns the statements that enqueue their messages. */
async function planMessages(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  commit: Commit,
  made: MadeRevision | undefined,
  targets: readonly NotifiedTarget[],
): Promise<readonly Piece[]> {
  const { notify: order, at: timestamp } = commit;
  if (order === undefined || (made === undefined && order.always !== true)) return [];
  const { eventType, messageId, late = false } = order;
  const plan = ({ id, detail }: NotifiedTarget) => {
    const message = { applicationId: key.applicationId, targetId: id, timestamp, messageId };
    const calendarId = detail === 'record' ? key.calendarId : null;
    if (calendarId === null || (eventType === 'calendar.event.unknown' && !late)) {
      return planMessage(transaction, dialect, { ...message, eventType, late });
    }
    if (made === undefined) return Promise.resolve([]);
    return planRecords(transaction, dialect, message, newRecords(calendarId, commit, made));
  };
  const planned: (readonly Piece[])[] = [];
  await dialect.together(
    targets.map((target, index) => async () => {
      planned[index] = await plan(target);
    }),
  );
  return planned.flat();
}

/** Returns the changes of a commit; undefined when they are not told one by one: a change of the zone moves events all over. */
function newRecords(
  calendarId: string,
  { tag, timeZone }: Commit,
  { collection, plan, revision }: MadeRevision,
): readonly NewRecord[] | undefined {
  if (timeZone !== undefined && timeZone !== collection.time_zone) return undefined;
  const groupIds = [...plan.groups.keys()].sort(compareText);
  return groupIds.map((groupId, index) => ({
    eventType: `event.${plan.groups.get(groupId) ?? 'updated'}`,
    change: {
      calendarId,
      groupId,
      revision,
      tag,
      previousTag: collection.tag,
      part: index + 1,
      parts: groupIds.length,
    },
  }));
}
