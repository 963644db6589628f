import type { SubscriptionRow, SubscriptionStore } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { type Piece, piece, statement } from '../statements/statement.ts';
import { insertTarget, shownOf, toTarget } from './targets.ts';

export function subscriptionStore({ database, reader, dialect }: SqlContext): SubscriptionStore {
  return {
    insert: (row) =>
      dialect.transaction(database, (transaction) =>
        insertTarget(transaction, row, {
          account_id: row.accountId,
          calendar_id: row.calendarId,
          subscription_type: row.subscriptionType,
          provider_type: row.providerType,
          detail: row.detail,
          format: row.format,
        }),
      ),
    async find(applicationId, accountId, id) {
      const row = await reader
        .selectFrom('kalends_target')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toSubscription(row);
    },
    async list(applicationId, accountId, { after, limit }) {
      let query = reader
        .selectFrom('kalends_target')
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
      const run = statement(dialect, reader);
      const [row] = await run<{ readonly covering: number }>`
        select count(*) as covering from kalends_target g
        where g.application_id = ${applicationId} and g.account_id = ${accountId} and ${covering(calendarId)}`;
      return Number(row?.covering);
    },
    async delete(applicationId, accountId, id) {
      const result = await database
        .deleteFrom('kalends_target')
        .where('application_id', '=', applicationId)
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}

/** Condition of enabled subscriptions `g` of living calendars that a change of the calendar concerns, or of the account's list. */
export function covering(calendarId: string | null): Piece {
  return piece`g.disabled_at is null and g.ended_at is null
    and (g.subscription_type = 'calendar' or (g.subscription_type = 'event' and g.calendar_id = cast(${calendarId} as text)))`;
}

type SubscriptionTarget = Selectable<Tables['kalends_target']> & {
  readonly account_id: string;
  readonly subscription_type: SubscriptionRow['subscriptionType'];
  readonly provider_type: string;
};

function toSubscription(row: Selectable<Tables['kalends_target']>): SubscriptionRow {
  // Rows of an account are subscriptions, and those have all of these.
  const { account_id, calendar_id, subscription_type, provider_type } = row as SubscriptionTarget;
  return {
    ...toTarget(row),
    accountId: account_id,
    calendarId: calendar_id,
    subscriptionType: subscription_type,
    providerType: provider_type,
    ...shownOf(row),
  };
}
