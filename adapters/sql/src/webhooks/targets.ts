import type { EndpointStore, ReceiverRow, TargetRow, TargetStore } from 'kalends/ports';
import type { Insertable, Selectable, Transaction } from 'kysely';
import { holdApplication } from '../applications/applications.ts';
import { writeAudit } from '../applications/audit-log.ts';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { enqueueMessage } from './messages.ts';
import { makeDue } from './redelivery.ts';

type AccountColumns = 'account_id' | 'calendar_id' | 'subscription_type' | 'provider_type' | 'detail' | 'format';

export function targetStore({ database, reader, dialect }: SqlContext): TargetStore {
  return {
    async find(applicationId, id) {
      const row = await reader
        .selectFrom('kalends_target')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toReceiver(row);
    },
    async list(applicationId, { after, limit }) {
      let query = reader
        .selectFrom('kalends_target')
        .selectAll()
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return (await query.execute()).map(toReceiver);
    },
    rotateSecret: (applicationId, id, { expectedSealed, previousSealed, sealed, previousUntil, at }, audit) =>
      dialect.transaction(database, async (transaction) => {
        const result = await transaction
          .updateTable('kalends_target')
          .set({
            sealed_secret: sealed,
            previous_sealed_secret: previousSealed,
            previous_secret_until: previousUntil,
            updated_at: at,
          })
          .where('application_id', '=', applicationId)
          .where('id', '=', id)
          .where('sealed_secret', '=', expectedSealed)
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        await writeAudit(transaction, audit);
        return true;
      }),
    enable: (applicationId, id, { at, message }, audit) =>
      dialect.transaction(database, async (transaction) => {
        const enabled = await transaction
          .updateTable('kalends_target')
          .set({ disabled_at: null, failing_since: null, updated_at: at })
          .where('application_id', '=', applicationId)
          .where('id', '=', id)
          .where('disabled_at', 'is not', null)
          .executeTakeFirst();
        if (enabled.numUpdatedRows === 0n) return false;
        if (message === null) {
          await transaction
            .updateTable('kalends_message')
            .set({ retry_at: 0 })
            .where('target_id', '=', id)
            .where('place', 'is not', null)
            .execute();
        } else {
          await transaction
            .deleteFrom('kalends_message')
            .where('target_id', '=', id)
            .where('place', 'is not', null)
            .execute();
          const { id: messageId, ...content } = message;
          const input = { applicationId, targetId: id, ...content, messageId: () => messageId };
          await enqueueMessage(transaction, dialect, input);
        }
        await makeDue(transaction, dialect, id);
        await writeAudit(transaction, audit);
        return true;
      }),
  };
}

export function endpointStore({ database, reader, dialect }: SqlContext): EndpointStore {
  return {
    insert: (row) =>
      dialect.transaction(database, async (transaction) => {
        await holdApplication(transaction, dialect, row.applicationId);
        await insertTarget(transaction, row, {
          account_id: null,
          calendar_id: null,
          subscription_type: null,
          provider_type: null,
          detail: null,
          format: null,
        });
      }),
    async find(applicationId, id) {
      const row = await reader
        .selectFrom('kalends_target')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('account_id', 'is', null)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toTarget(row);
    },
    async list(applicationId, { after, limit }) {
      let query = reader
        .selectFrom('kalends_target')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('account_id', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return (await query.execute()).map(toTarget);
    },
    async delete(applicationId, id) {
      const result = await database
        .deleteFrom('kalends_target')
        .where('application_id', '=', applicationId)
        .where('account_id', 'is', null)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

/** Inserts a target and its sending state. */
export async function insertTarget(
  transaction: Transaction<Tables>,
  row: TargetRow,
  columns: Pick<Insertable<Tables['kalends_target']>, AccountColumns>,
): Promise<void> {
  await transaction
    .insertInto('kalends_target')
    .values({
      id: row.id,
      application_id: row.applicationId,
      ...columns,
      url: row.url,
      wrapped_key: row.wrappedKey,
      sealed_secret: row.sealedSecret,
      previous_sealed_secret: row.previousSecret?.sealed ?? null,
      previous_secret_until: row.previousSecret?.until ?? null,
      rate_limit: row.rateLimit,
      disabled_at: row.disabledAt,
      failing_since: row.failingSince,
      created_at: row.createdAt,
      updated_at: row.updatedAt,
    })
    .execute();
  await transaction
    .insertInto('kalends_delivery')
    .values({
      target_id: row.id,
      application_id: row.applicationId,
      host: new URL(row.url).host,
      due_at: null,
      next_send_at: 0,
      spacing_ms: row.rateLimit === null ? 0 : 1000 / row.rateLimit,
      epoch: 0,
      leased_until: 0,
    })
    .execute();
}

export function toTarget(row: Selectable<Tables['kalends_target']>): TargetRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    url: row.url,
    wrappedKey: row.wrapped_key,
    sealedSecret: row.sealed_secret,
    previousSecret:
      row.previous_sealed_secret === null || row.previous_secret_until === null
        ? null
        : { sealed: row.previous_sealed_secret, until: row.previous_secret_until },
    rateLimit: row.rate_limit,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toReceiver(row: Selectable<Tables['kalends_target']>): ReceiverRow {
  return {
    ...toTarget(row),
    accountId: row.account_id,
    calendarId: row.calendar_id,
    // Only subscriptions are inserted with a type.
    subscriptionType: row.subscription_type as ReceiverRow['subscriptionType'],
    providerType: row.provider_type,
    ...(row.account_id === null ? { detail: null, format: null } : shownOf(row)),
  };
}

/** Returns what the messages of a subscription are like; one of an earlier version has no values. */
export function shownOf({ detail, format }: Pick<Selectable<Tables['kalends_target']>, 'detail' | 'format'>) {
  return { detail: detail ?? 'change', format: format ?? 'plain' } as const;
}
