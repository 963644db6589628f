import type { ChannelRow, ChannelStore } from 'kalends/ports';
import { type Selectable, sql, type Updateable } from 'kysely';
import type { SqlContext } from '../context.ts';
import { fromCalendarKey, toCalendarKey } from '../schema/collection-key.ts';
import type { Tables } from '../schema/schema.ts';

export function channelStore({ database, reader, dialect }: SqlContext): ChannelStore {
  return {
    // In a transaction, as all that adds rows to an account: a storage over several databases guards those.
    insert: (row) =>
      dialect.transaction(database, async (transaction) => {
        await transaction
          .insertInto('kalends_channel')
          .values({
            id: row.id,
            application_id: row.applicationId,
            account_id: row.accountId,
            calendar_id: toCalendarKey(row.calendarId),
            provider_type: row.providerType,
            kind: row.kind,
            provider_channel_id: row.providerChannelId,
            resource_id: row.resourceId,
            token_hash: row.tokenHash,
            address: row.address,
            expires_at: row.expiresAt,
            renew_at: row.renewAt,
            created_at: row.createdAt,
          })
          .execute();
      }),
    async list(key) {
      const rows = await reader
        .selectFrom('kalends_channel')
        .selectAll()
        .where('application_id', '=', key.applicationId)
        .where('account_id', '=', key.accountId)
        .where('calendar_id', '=', toCalendarKey(key.calendarId))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toChannel);
    },
    async findMany(channelIds) {
      if (channelIds.length === 0) return [];
      const rows = await reader
        .selectFrom('kalends_channel')
        .selectAll()
        .where('id', 'in', [...channelIds])
        .execute();
      return rows.map(toChannel);
    },
    async update(applicationId, id, patch) {
      const set: Updateable<Tables['kalends_channel']> = {};
      if (patch.kind !== undefined) set.kind = patch.kind;
      if (patch.providerChannelId !== undefined) set.provider_channel_id = patch.providerChannelId;
      if (patch.resourceId !== undefined) set.resource_id = patch.resourceId;
      if (patch.address !== undefined) set.address = patch.address;
      if (patch.expiresAt !== undefined) set.expires_at = patch.expiresAt;
      if (patch.renewAt !== undefined) set.renew_at = patch.renewAt;
      const result = await database
        .updateTable('kalends_channel')
        // An update without columns would not tell whether the channel exists.
        .set({ ...set, id })
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    async delete(applicationId, id) {
      await database
        .deleteFrom('kalends_channel')
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .execute();
    },
    claimRenewals: ({ holdMs, limit }) =>
      dialect.transaction(database, async (transaction) => {
        const now = await dialect.now(transaction);
        const due = await transaction
          .selectFrom('kalends_channel')
          .selectAll()
          .where('renew_at', '<=', now)
          .orderBy('renew_at')
          .orderBy('id')
          .limit(limit)
          .modifyEnd(sql.raw(dialect.forUpdateSkipLocked))
          .execute();
        if (due.length === 0) return [];
        await transaction
          .updateTable('kalends_channel')
          .set({ renew_at: now + holdMs })
          .where(
            'id',
            'in',
            due.map(({ id }) => id),
          )
          .execute();
        return due.map((row) => toChannel({ ...row, renew_at: now + holdMs }));
      }),
    extendHold: (held, holdMs) =>
      dialect.transaction(database, async (transaction) => {
        const until = (await dialect.now(transaction)) + holdMs;
        for (const { id, renewAt } of held) {
          await transaction
            .updateTable('kalends_channel')
            .set({ renew_at: until })
            .where('id', '=', id)
            .where('renew_at', '=', renewAt)
            .execute();
        }
        return until;
      }),
    async dueUnlessAddress(providerType, address) {
      const now = await dialect.now(database);
      const result = await database
        .updateTable('kalends_channel')
        .set({ renew_at: now })
        .where('provider_type', '=', providerType)
        .where('address', '<>', address)
        .executeTakeFirst();
      return Number(result.numUpdatedRows);
    },
    async nextRenewalAt() {
      const row = await reader
        .selectFrom('kalends_channel')
        .select('renew_at')
        .orderBy('renew_at')
        .limit(1)
        .executeTakeFirst();
      return row?.renew_at ?? null;
    },
  };
}

function toChannel(row: Selectable<Tables['kalends_channel']>): ChannelRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    accountId: row.account_id,
    calendarId: fromCalendarKey(row.calendar_id),
    providerType: row.provider_type,
    kind: row.kind,
    providerChannelId: row.provider_channel_id,
    resourceId: row.resource_id,
    tokenHash: row.token_hash,
    address: row.address,
    expiresAt: row.expires_at,
    renewAt: row.renew_at,
    createdAt: row.created_at,
  };
}
