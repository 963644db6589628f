import { type CollectionKey, type Commit, type CommitResult, KalendsError } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from './context.ts';
import { findHolds, requireIntent } from './intent-hold.ts';
import { endIntent } from './intents.ts';
import { holdsLease } from './leases.ts';
import { enqueueMessage } from './messages.ts';
import { lockCollection } from './mirror-collections.ts';
import { findLatest, planWrites, type WritePlan } from './mirror-plan.ts';
import { addRereads, removeRereads } from './reread-list.ts';
import { type ColumnType, rowSources } from './row-source.ts';
import { OPEN, type Tables } from './schema.ts';
import { batches, type Fragment, fragment, lists, oneOf, type Piece, statement, valueRows } from './statement.ts';
import { covering } from './subscriptions.ts';

/** Greatest number of writes in one commit. */
const MAX_WRITES = 500;

/** Of a new version's group, member, body, etag, provider tag, mapping version and range. */
const VERSION_TYPES: readonly ColumnType[] = ['text', 'text', 'bigint', 'text', 'text', 'bigint', 'bigint', 'bigint'];

type Collection = Selectable<Tables['collection']>;

/** The mirror's one writing transaction; its contract is MirrorStore.commit. */
export async function commitToMirror(
  context: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  commit: Commit,
): Promise<CommitResult> {
  if (commit.writes.length > MAX_WRITES) {
    const message = `must be at most ${MAX_WRITES}`;
    throw new KalendsError('InvalidRequest', `writes: ${message}`, { details: [{ path: 'writes', message }] });
  }
  const { dialect } = context;
  const collection = await lockCollection(transaction, dialect, key);
  if (commit.lease !== undefined && !(await holdsLease(transaction, dialect, commit.lease))) {
    throw new KalendsError('Conflict', 'The lease was lost');
  }
  const intent = commit.intent && (await requireIntent(context, transaction, collection, commit.intent));
  const holds = await findHolds(context, transaction, collection.id, intent?.id);
  // An empty mirror has nothing to compare with: the first pull skips the look.
  const latest = collection.next_body === 0 ? [] : await findLatest(context, transaction, collection.id, commit.writes);
  const plan = planWrites(commit, latest, collection, holds);
  const isChanged =
    plan.changed.length > 0 || (commit.timeZone !== undefined && commit.timeZone !== collection.time_zone);
  const revision = isChanged ? collection.revision + 1 : collection.revision;
  await applyPlan(context, transaction, collection.id, plan, revision);
  await updateCollection(transaction, collection, commit, plan, revision);
  await keepProviderToken(transaction, collection.id, commit.providerToken);
  await keepRereads(context, transaction, collection.id, commit, plan.deferred);
  await markSeen(context, transaction, collection, commit.seen);
  await notify(context, transaction, key, commit, isChanged);
  const end = commit.intent?.end;
  if (intent !== undefined && end !== undefined) {
    await endIntent(context, transaction, intent, { keepMs: end.keepMs, done: { value: end.result, revision } });
  }
  return { revision, changed: plan.changed, deferred: plan.deferred };
}

async function applyPlan(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collectionId: number,
  plan: WritePlan,
  revision: number,
): Promise<void> {
  const run = statement(dialect, transaction);
  const close = (ids: readonly string[], which: Fragment) => () =>
    run`update item_version set to_revision = ${revision}
      where collection_id = ${collectionId} and ${which} ${oneOf(ids)} and to_revision = ${OPEN}`;
  const insertBodies = (bodies: Piece) => () =>
    run`insert into item_body (collection_id, body, content, private_content)
      select ${collectionId}, column1, column2, column3 from ${bodies}`;
  const insertVersions = (versions: Piece) => () =>
    run`insert into item_version (collection_id, from_revision, to_revision, written, group_id, member, body, etag,
      provider_tag, mapping_version, range_start, range_end)
      select ${collectionId}, ${revision}, ${OPEN}, ${plan.written}, column1, column2, column3, column4, column5, column6,
        column7, column8 from ${versions}`;
  const refresh = (rows: WritePlan['refreshed']) => () =>
    run`insert into item_version (collection_id, group_id, member, from_revision, to_revision, body, etag,
      provider_tag, mapping_version, range_start, range_end, written) values ${valueRows(rows)}
      on conflict (collection_id, group_id, member, from_revision) do update set
        provider_tag = excluded.provider_tag, mapping_version = excluded.mapping_version,
        range_start = excluded.range_start, range_end = excluded.range_end, written = excluded.written`;
  const replacePrivate = (rows: WritePlan['privates']) => () =>
    run`insert into item_body (collection_id, body, content, private_content) values ${valueRows(rows)}
      on conflict (collection_id, body) do update set private_content = excluded.private_content
        where item_body.private_content is distinct from excluded.private_content`;
  await dialect.together([
    ...lists(plan.closing.own).map((ids) => close(ids, fragment("member = '' and group_id"))),
    ...lists(plan.closing.members).map((ids) => close(ids, fragment("member <> '' and member"))),
    ...rowSources(dialect, plan.bodies, ['bigint', 'text', 'text']).map(insertBodies),
    ...rowSources(dialect, plan.versions, VERSION_TYPES).map(insertVersions),
    ...batches(plan.refreshed).map(refresh),
    ...batches(plan.privates).map(replacePrivate),
  ]);
}

async function updateCollection(
  transaction: Transaction<Tables>,
  collection: Collection,
  commit: Commit,
  plan: WritePlan,
  revision: number,
): Promise<void> {
  const isComplete = commit.complete === true && collection.completed_at === null;
  const isRaised = revision > collection.revision;
  if (!isRaised && !isComplete && !plan.isConfirmed) return;
  const timeZone = commit.timeZone ?? collection.time_zone;
  // Processes' clocks differ a little; a log whose times went back could not be purged by time.
  const at = Math.max(commit.at, collection.at);
  await transaction
    .updateTable('collection')
    .set({
      ...(isRaised ? { revision, tag: commit.tag, time_zone: timeZone, at, next_body: plan.nextBody } : {}),
      ...(isRaised || plan.isConfirmed ? { writes: collection.writes + 1 } : {}),
      ...(isComplete ? { completed_at: commit.at } : {}),
    })
    .where('id', '=', collection.id)
    .execute();
  if (!isRaised) return;
  await transaction
    .insertInto('revision_log')
    .values({ collection_id: collection.id, revision, at, tag: commit.tag, time_zone: timeZone })
    .execute();
}

async function keepProviderToken(
  transaction: Transaction<Tables>,
  collectionId: number,
  token: string | null | undefined,
): Promise<void> {
  if (token === undefined) return;
  if (token === null) {
    await transaction.deleteFrom('provider_token').where('collection_id', '=', collectionId).execute();
    return;
  }
  await transaction
    .insertInto('provider_token')
    .values({ collection_id: collectionId, token })
    .onConflict((conflict) => conflict.column('collection_id').doUpdateSet({ token }))
    .execute();
}

/** Done first: an item that was read again for this commit and deferred once more stays on the list. */
async function keepRereads(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  collectionId: number,
  commit: Commit,
  deferred: readonly string[],
): Promise<void> {
  await removeRereads(dialect, transaction, collectionId, commit.rereadDone ?? []);
  await addRereads(dialect, transaction, collectionId, [...(commit.reread ?? []), ...deferred]);
}

/** Marks of a sweep that has been replaced or ended are dropped. */
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
    await run`insert into seen_item (collection_id, generation, item_id)
      values ${valueRows(ids.map((id) => [collection.id, seen.generation, id]))}
      on conflict (collection_id, generation, item_id) do nothing`;
  }
}

async function notify(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  key: CollectionKey,
  { notify: order, at }: Commit,
  isChanged: boolean,
): Promise<void> {
  if (order === undefined || !(isChanged || order.always === true)) return;
  const targets = await transaction
    .selectFrom('target')
    .select('id')
    .where(covering(key.applicationId, key.accountId, key.calendarId))
    .orderBy('id')
    .execute();
  for (const { id } of targets) {
    await enqueueMessage(transaction, dialect, {
      applicationId: key.applicationId,
      targetId: id,
      eventType: order.eventType,
      timestamp: at,
      messageId: order.messageId,
    });
  }
}
