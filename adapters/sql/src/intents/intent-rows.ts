import type { CollectionKey, StoredIntent } from 'kalends/ports';
import type { Selectable } from 'kysely';
import { fromCalendarKey } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';
import { fragment } from '../statements/statement.ts';

export type IntentTableRow = Selectable<Tables['kalends_intent']>;

/** All columns of an intent `i`, by name: a kept plan fails when a migration has added one to those of a star. */
export const INTENT_COLUMNS = fragment(
  `i.id, i.application_id, i.account_id, i.calendar_id, i.collection_id, i.kind, i.state, i.group_ids, i.holds_new_items, i.data,
    i.idempotency_key, i.body_hash, i.created_at, i.epoch, i.leased_until, i.due_at, i.result, i.result_revision, i.kept_until`,
);

export function isOpen(row: IntentTableRow, epoch: number): boolean {
  return row.state === 'open' && row.epoch === epoch;
}

export function isAbandoned(row: IntentTableRow, runOutBy: number): boolean {
  return row.state === 'open' && row.leased_until <= runOutBy;
}

export function groupsOf(row: IntentTableRow): readonly string[] {
  return JSON.parse(row.group_ids) as readonly string[];
}

export function keyOf(row: IntentTableRow): CollectionKey {
  return {
    applicationId: row.application_id,
    accountId: row.account_id,
    calendarId: fromCalendarKey(row.calendar_id),
  };
}

export function toIntent(row: IntentTableRow, runOutBy: number): StoredIntent {
  return {
    id: row.id,
    key: keyOf(row),
    kind: row.kind,
    groupIds: groupsOf(row),
    holdsNewItems: row.holds_new_items === 1,
    data: JSON.parse(row.data) as unknown,
    idempotency: row.idempotency_key === null ? null : { key: row.idempotency_key, bodyHash: row.body_hash ?? '' },
    createdAt: row.created_at,
    epoch: row.epoch,
    state: row.state === 'open' ? (isAbandoned(row, runOutBy) ? 'abandoned' : 'held') : row.state,
    result:
      row.result === null ? null : { value: JSON.parse(row.result) as unknown, revision: row.result_revision ?? 0 },
  };
}
