import type { SubscriptionDetail } from 'kalends/model';
import { type CollectionKey, type Commit, type CommitResult, KalendsError, MAX_COMMIT_WRITES } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import { findHolds, type Holds, type IntentTableRow, NO_HOLDS, requireIntent } from '../intents/intent-hold.ts';
import { endIntent } from '../intents/intents.ts';
import { type CollectionRef, inCollection } from '../schema/collection-key.ts';
import { OPEN, type Tables } from '../schema/schema.ts';
import { compareText } from '../statements/compare-text.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { type ColumnType, rowSources } from '../statements/row-source.ts';
import {
  batches,
  type Fragment,
  fragment,
  lists,
  oneOf,
  type Piece,
  statement,
  valueRows,
} from '../statements/statement.ts';
import { holdsLease } from '../sync/leases.ts';
import { enqueueMessage, enqueueRecords, type NewRecord } from '../webhooks/messages.ts';
import { covering } from '../webhooks/subscriptions.ts';
import { lockCollection } from './mirror-collections.ts';
import { findLatest, planWrites, type WritePlan } from './mirror-plan.ts';
import { addRereads, removeRereads } from './reread-list.ts';
import { changeUnreadable } from './unreadable-list.ts';

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

/** Applies a commit to the mirror in the given transaction; `MirrorStore.commit` is its contract. */
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
  const collection = await lockFenced(context, transaction, key, commit.lease);
  const before = await readBefore(context, transaction, collection, key, commit);
  const plan = planWrites(commit, before.latest, collection, before.holds);
  const isChanged =
    plan.changed.length > 0 || (commit.timeZone !== undefined && commit.timeZone !== collection.time_zone);
  const revision = isChanged ? collection.revision + 1 : collection.revision;
  const made = isChanged ? { collection, plan, revision } : undefined;
  let setAside: readonly string[] = [];
  const { dialect } = context;
  await dialect.together([
    () => applyPlan(context, transaction, collection, plan, revision),
    () => updateCollection(dialect, transaction, collection, commit, plan, revision),
    () => keepProviderToken(dialect, transaction, collection, commit.providerToken),
    () => keepRereads(context, transaction, collection, commit, plan.deferred),
    async () => {
      setAside = await changeUnreadable(context, transaction, collection, commit);
    },
    () => markSeen(context, transaction, collection, commit.seen),
    () => notify(context, transaction, key, commit, made, before.targets),
    async () => {
      const end = commit.intent?.end;
      if (before.intent === undefined || end === undefined) return;
      const done = { value: end.result, revision };
      await endIntent(context, transaction, before.intent, { keepMs: end.keepMs, done });
    },
  ]);
  return { revision, changed: plan.changed, deferred: plan.deferred, setAside };
}

interface Before {
  /** The open intent that the commit is part of, locked. */
  readonly intent: IntentTableRow | undefined;
  readonly holds: Holds;
  readonly latest: Awaited<ReturnType<typeof findLatest>>;
  readonly targets: readonly NotifiedTarget[];
}

/** Reads all that a commit depends on. @throws KalendsError Conflict when its intent was lost */
async function readBefore(
  context: SqlContext,
  transaction: Transaction<Tables>,
  collection: Collection,
  key: CollectionKey,
  commit: Commit,
): Promise<Before> {
  let before: Before = { intent: undefined, holds: NO_HOLDS, latest: [], targets: [] };
  const note = (part: Partial<Before>) => {
    before = { ...before, ...part };
  };
  const { intent, writes } = commit;
  await context.dialect.together([
    async () => {
      if (intent !== undefined) note({ intent: await requireIntent(context, transaction, collection, intent) });
    },
    async () => {
      if (writes.length > 0) note({ holds: await findHolds(context, transaction, collection, intent?.id) });
    },
    async () => {
      // The first pull has nothing to compare with.
      if (collection.next_body > 0) note({ latest: await findLatest(context, transaction, collection, writes) });
    },
    async () => {
      if (commit.notify !== undefined) note({ targets: await findTargets(context, transaction, key) });
    },
  ]);
  return before;
}

/** Locks the collection, then the lease. @throws KalendsError NotFound without the one, Conflict without the other */
async function lockFenced(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  lease: Commit['lease'],
): Promise<Collection> {
  const locked: Collection[] = [];
  let isHeld = true;
  await dialect.together([
    async () => void locked.push(await lockCollection(transaction, dialect, key)),
    async () => {
      if (lease !== undefined) isHeld = await holdsLease(transaction, dialect, lease);
    },
  ]);
  const [collection] = locked;
  if (collection === undefined || !isHeld) throw new KalendsError('Conflict', 'The lease was lost');
  return collection;
}

async function applyPlan(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  plan: WritePlan,
  revision: number,
): Promise<void> {
  const run = statement(dialect, transaction);
  const { account_id, id } = collection;
  const close = (ids: readonly string[], which: Fragment) => () =>
    run`update kalends_item_version set to_revision = ${revision}
      where ${inCollection(collection)} and ${which} ${oneOf(ids)} and to_revision = ${OPEN}`;
  const insertBodies = (bodies: Piece) => () =>
    run`insert into kalends_item_body (account_id, collection_id, body, content, private_content)
      select ${account_id}, ${id}, column1, column2, column3 from ${bodies}`;
  const insertVersions = (versions: Piece) => () =>
    run`insert into kalends_item_version (account_id, collection_id, from_revision, to_revision, write_count, group_id,
      member, body, etag, provider_tag, mapping_version, range_start, range_end, busy)
      select ${account_id}, ${id}, ${revision}, ${OPEN}, ${plan.writeCount}, column1, column2, column3, column4, column5,
        column6, column7, column8, column9 from ${versions}`;
  const refresh = (rows: WritePlan['refreshed']) => () =>
    run`insert into kalends_item_version (account_id, collection_id, group_id, member, from_revision, to_revision,
      body, etag, provider_tag, mapping_version, range_start, range_end, busy, write_count) values ${valueRows(rows)}
      on conflict (account_id, collection_id, group_id, member, from_revision) do update set
        provider_tag = excluded.provider_tag, mapping_version = excluded.mapping_version,
        range_start = excluded.range_start, range_end = excluded.range_end, busy = excluded.busy,
        write_count = excluded.write_count`;
  const replacePrivate = (rows: WritePlan['privates']) => () =>
    run`insert into kalends_item_body (account_id, collection_id, body, content, private_content)
      values ${valueRows(rows)}
      on conflict (account_id, collection_id, body) do update set private_content = excluded.private_content
        where kalends_item_body.private_content is distinct from excluded.private_content`;
  await dialect.together([
    ...lists(plan.closing.groupItems).map((ids) => close(ids, fragment("member = '' and group_id"))),
    ...lists(plan.closing.memberItems).map((ids) => close(ids, fragment("member <> '' and member"))),
    ...rowSources(dialect, plan.bodies, ['bigint', 'text', 'text']).map(insertBodies),
    ...rowSources(dialect, plan.versions, VERSION_TYPES).map(insertVersions),
    ...batches(plan.refreshed).map(refresh),
    ...batches(plan.privates).map(replacePrivate),
  ]);
}

async function updateCollection(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: Collection,
  commit: Commit,
  plan: WritePlan,
  revision: number,
): Promise<void> {
  const isComplete = commit.complete === true && collection.completed_at === null;
  const isRaised = revision > collection.revision;
  if (!isRaised && !isComplete && !plan.hasNewTags) return;
  const timeZone = commit.timeZone ?? collection.time_zone;
  // Processes' clocks differ a little; a log whose times went back could not be purged by time.
  const at = Math.max(commit.at, collection.at);
  const run = statement(dialect, transaction);
  const { account_id, id } = collection;
  const writeCount = collection.write_count + (isRaised || plan.hasNewTags ? 1 : 0);
  const next = isRaised
    ? { revision, tag: commit.tag, timeZone, at, nextBody: plan.nextBody }
    : { ...collection, timeZone: collection.time_zone, nextBody: collection.next_body };
  await dialect.together([
    () => run`update kalends_collection set revision = ${next.revision}, tag = ${next.tag}, time_zone = ${next.timeZone},
      at = ${next.at}, next_body = ${next.nextBody}, write_count = ${writeCount},
      completed_at = ${isComplete ? commit.at : collection.completed_at} where account_id = ${account_id} and id = ${id}`,
    async () => {
      if (!isRaised) return;
      await run`insert into kalends_revision_log (account_id, collection_id, revision, at, tag, time_zone)
        values (${account_id}, ${id}, ${revision}, ${at}, ${commit.tag}, ${timeZone})`;
    },
  ]);
}

async function keepProviderToken(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  token: string | null | undefined,
): Promise<void> {
  if (token === undefined) return;
  const run = statement(dialect, transaction);
  if (token === null) {
    await run`delete from kalends_provider_token where ${inCollection(collection)}`;
    return;
  }
  await run`insert into kalends_provider_token (account_id, collection_id, token)
    values (${collection.account_id}, ${collection.id}, ${token})
    on conflict (account_id, collection_id) do update set token = excluded.token`;
}

/** Removes before it adds: an item that was read again for this commit and deferred once more stays on the list. */
async function keepRereads(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collection: CollectionRef,
  commit: Commit,
  deferred: readonly string[],
): Promise<void> {
  await removeRereads(dialect, transaction, collection, commit.rereadDone ?? []);
  await addRereads(dialect, transaction, collection, [...(commit.reread ?? []), ...deferred]);
}

/** Marks items as seen by the running sweep; marks of one that has been replaced or has ended are dropped. */
async function markSeen(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collection: Collection,
  seen: Commit['seen'],
): Promise<void> {
  if (seen === undefined || collection.sweep_revision === null || collection.sweep_generation !== seen.generation) {
    return;
  }
  const run = statement(dialect, transaction);
  for (const ids of batches([...new Set(seen.itemIds)])) {
    await run`insert into kalends_seen_item (account_id, collection_id, generation, item_id)
      values ${valueRows(ids.map((id) => [collection.account_id, collection.id, seen.generation, id]))}
      on conflict (account_id, collection_id, generation, item_id) do nothing`;
  }
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

async function notify(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  commit: Commit,
  made: MadeRevision | undefined,
  targets: readonly NotifiedTarget[],
): Promise<void> {
  const { notify: order, at: timestamp } = commit;
  if (order === undefined || (made === undefined && order.always !== true)) return;
  const { eventType, messageId } = order;
  for (const { id, detail } of targets) {
    const message = { applicationId: key.applicationId, targetId: id, timestamp, messageId };
    const calendarId = detail === 'record' ? key.calendarId : null;
    if (calendarId === null || (eventType === 'calendar.event.unknown' && order.late !== true)) {
      await enqueueMessage(transaction, dialect, { ...message, eventType });
    } else if (made !== undefined) {
      await enqueueRecords(transaction, dialect, message, newRecords(calendarId, commit, made));
    }
  }
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
