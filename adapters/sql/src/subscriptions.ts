import type { SubscriptionRow, SubscriptionStore } from 'kalends/ports';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { SqlContext } from './context.ts';
import type { Tables } from './schema.ts';

export function subscriptionStore({ database, reader, dialect }: SqlContext): SubscriptionStore {
  return {
    insert: (row) =>
      dialect.transaction(database, async (transaction) => {
        await transaction
          .insertInto('subscription')
          .values({
            id: row.id,
            application_id: row.applicationId,
            account_id: row.accountId,
            calendar_id: row.calendarId,
            subscription_type: row.subscriptionType,
            provider_type: row.providerType,
            url: row.url,
            wrapped_key: row.wrappedKey,
            sealed_secret: row.sealedSecret,
            rate_limit: row.rateLimit,
            disabled_at: row.disabledAt,
            failing_since: row.failingSince,
            created_at: row.createdAt,
            updated_at: row.updatedAt,
          })
          .execute();
        await transaction
          .insertInto('delivery')
          .values({ subscription_id: row.id, due_at: null, next_send_at: 0, epoch: 0, leased_until: 0 })
          .execute();
      }),
    async find(applicationId, accountId, id) {
      const row = await reader
        .selectFrom('subscription')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toSubscription(row);
    },
    async list(applicationId, accountId, { after, limit }) {
      let query = reader
        .selectFrom('subscription')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return (await query.execute()).map(toSubscription);
    },
    async countCovering(applicationId, accountId, calendarId) {
      const { count } = await reader
        .selectFrom('subscription')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where(covering(applicationId, accountId, calendarId))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async delete(applicationId, accountId, id) {
      const result = await database
        .deleteFrom('subscription')
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

/** Enabled subscriptions that a change of the collection concerns. */
export function covering(applicationId: string, accountId: string, calendarId: string | null) {
  return ({ eb, and, or }: ExpressionBuilder<Tables, 'subscription'>) =>
    and([
      eb('application_id', '=', applicationId),
      eb('account_id', '=', accountId),
      eb('disabled_at', 'is', null),
      or([
        eb('subscription_type', '=', 'calendar'),
        and([eb('subscription_type', '=', 'event'), eb('calendar_id', '=', calendarId)]),
      ]),
    ]);
}

export function toSubscription(row: Selectable<Tables['subscription']>): SubscriptionRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    accountId: row.account_id,
    calendarId: row.calendar_id,
    subscriptionType: row.subscription_type,
    providerType: row.provider_type,
    url: row.url,
    wrappedKey: row.wrapped_key,
    sealedSecret: row.sealed_secret,
    rateLimit: row.rate_limit,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
