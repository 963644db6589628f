import { type IntentBegun, type IntentRow, type ItemVersion, KalendsError } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import { itemsOfGroups, toPresentItems } from '../mirror/present-items.ts';
import { inCollectionOf, isCollection, toCalendarKey } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { rowSources } from '../statements/row-source.ts';
import { batch, clockOf, fragment, isOneOf, type Piece, piece } from '../statements/statement.ts';
import { intentLost } from './intent-hold.ts';
import { INTENT_COLUMNS, type IntentTableRow, isOpen, toIntent } from './intent-rows.ts';

type Collection = Pick<Selectable<Tables['kalends_collection']>, 'revision' | 'time_zone' | 'write_count'>;
type FoundIntent = IntentTableRow & { readonly now: number };

/** Answers to the reads of `beginning`, behind its writes. */
interface Found {
  /** Undefined when there is no such collection. */
  readonly collection: Collection | undefined;
  readonly items: readonly ItemVersion[];
  readonly own: FoundIntent | undefined;
  readonly ofKey: FoundIntent | undefined;
  readonly holder: FoundIntent | undefined;
}

/**
 * Begins an intent in one round trip; `IntentStore.begin` is its contract. When the answers are lost it runs again: it then finds the
 * intent of its first run, and renews its lease.
 */
export async function beginIntent(
  { dialect, database }: SqlContext,
  row: IntentRow,
  ttlMs: number,
): Promise<IntentBegun> {
  for (;;) {
    const answers = await batch(dialect, database, () => beginning(dialect, row, ttlMs));
    const begun = toBegun(dialect, foundIn(answers));
    if (begun !== undefined) return begun;
    // The obstacle has ended since: try again.
  }
}

/** The collection is locked first, as by every commit: holds begin under its lock. */
function beginning(dialect: SqlDialect, row: IntentRow, ttlMs: number): readonly Piece[] {
  const { key, idempotency } = row;
  const now = clockOf(dialect);
  const ofKey = piece`application_id = ${key.applicationId} and idempotency_key = ${idempotency?.key ?? null}`;
  const held = piece`from kalends_held_group h where ${inCollectionOf(key, 'h')} and (${isOneOf('h.group_id', row.groupIds)})`;
  const find = (condition: Piece) =>
    piece`select ${INTENT_COLUMNS}, ${now} as now from kalends_intent i where ${condition} limit 1`;
  return [
    piece`select revision, time_zone, write_count from kalends_collection where ${isCollection(key)} ${fragment(dialect.forUpdate)}`,
    piece`update kalends_intent set leased_until = ${now} + ${ttlMs}, due_at = ${now} + ${ttlMs}
      where ${isOwn(row)} and state = 'open' and epoch = 1`,
    piece`delete from kalends_intent where ${ofKey} and kept_until <= ${now}`,
    // A conflict: the same key came for two collections at once, or the first run has inserted it.
    piece`insert into kalends_intent (id, application_id, account_id, calendar_id, collection_id, kind, state, group_ids,
        holds_new_items, data, idempotency_key, body_hash, created_at, epoch, leased_until, due_at)
      select ${row.id}, c.application_id, c.account_id, ${toCalendarKey(key.calendarId)}, c.id, ${row.kind}, 'open',
        ${JSON.stringify([...new Set(row.groupIds)])}, ${row.holdsNewItems ? 1 : 0}, ${JSON.stringify(row.data)},
        ${idempotency?.key ?? null}, ${idempotency?.bodyHash ?? null}, ${row.createdAt}, 1, ${now} + ${ttlMs}, ${now} + ${ttlMs}
      from kalends_collection c
      where ${isCollection(key, 'c')} and not exists (select 1 from kalends_intent where ${ofKey})
        and not exists (select 1 ${held} and h.intent_id <> ${row.id})
      on conflict do nothing`,
    ...rowSources(
      dialect,
      row.groupIds.map((id) => [id]),
      ['text'],
    ).map(
      (groups) => piece`insert into kalends_held_group (account_id, collection_id, group_id, intent_id)
        select i.account_id, i.collection_id, g.column1, i.id from kalends_intent i cross join (select column1 from ${groups}) as g
        where ${isOwn(row)} and i.state = 'open' and i.epoch = 1
        on conflict do nothing`,
    ),
    itemsOfGroups(dialect, key, row.groupIds),
    find(isOwn(row)),
    find(ofKey),
    find(piece`i.account_id = ${key.accountId} and i.id in (select h.intent_id ${held})`),
  ];
}

function foundIn(answers: readonly (readonly unknown[])[]): Found {
  const [items = [], [own] = [], [ofKey] = [], [holder] = []] = answers.slice(-4);
  return {
    collection: answers[0]?.[0] as Collection | undefined,
    items: toPresentItems(items),
    own: own as FoundIntent | undefined,
    ofKey: ofKey as FoundIntent | undefined,
    holder: holder as FoundIntent | undefined,
  };
}

/** Returns undefined when the intent was not inserted, and what kept it from that is gone. */
function toBegun(dialect: SqlDialect, found: Found): IntentBegun | undefined {
  const { collection, items, own, ofKey, holder } = found;
  if (collection === undefined) throw new KalendsError('NotFound', 'There is no such collection in the mirror');
  if (own !== undefined && isOpen(own, 1)) {
    const { revision, time_zone: timeZone, write_count: basedOn } = collection;
    return { kind: 'begun', intent: toIntent(own, own.now), basedOn, held: { revision, timeZone, items } };
  }
  if (ofKey !== undefined) return { kind: 'key-used', by: toIntent(ofKey, dialect.runOutBy(ofKey.now)) };
  if (holder !== undefined) return { kind: 'group-held', by: toIntent(holder, dialect.runOutBy(holder.now)) };
  // The first run has begun it, and another process has taken it over since.
  if (own !== undefined) throw intentLost();
  return undefined;
}

function isOwn({ id, key }: IntentRow): Piece {
  return piece`account_id = ${key.accountId} and id = ${id}`;
}
