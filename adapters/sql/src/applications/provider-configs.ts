import type { ProviderConfigRow, ProviderConfigStore } from 'kalends/ports';
import { type Selectable, sql } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { holdApplication } from './applications.ts';
import { writeAudit } from './audit-log.ts';

/** Stores the OAuth clients of applications. */
export function providerConfigStore({ database, reader, dialect }: SqlContext): ProviderConfigStore {
  return {
    put: (row, audit) =>
      dialect.transaction(database, async (transaction) => {
        await holdApplication(transaction, dialect, row.applicationId);
        const content = {
          client_id: row.clientId,
          wrapped_key: row.wrappedKey,
          sealed_client_secret: row.sealedClientSecret,
          settings: JSON.stringify(row.settings),
          scopes: row.scopes === null ? null : JSON.stringify(row.scopes),
          secret_expires_at: row.secretExpiresAt,
          updated_at: row.updatedAt,
        };
        const stored = await transaction
          .insertInto('kalends_provider_config')
          .values({
            id: row.id,
            application_id: row.applicationId,
            provider_type: row.providerType,
            created_at: row.createdAt,
            ...content,
          })
          .onConflict((conflict) => conflict.columns(['application_id', 'provider_type']).doUpdateSet(content))
          .returningAll()
          .executeTakeFirstOrThrow();
        await writeAudit(transaction, audit && { ...audit, target: stored.id });
        return toProviderConfig(stored);
      }),
    async find(applicationId, providerType) {
      const row = await reader
        .selectFrom('kalends_provider_config')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('provider_type', '=', providerType)
        .executeTakeFirst();
      return row && toProviderConfig(row);
    },
    async findById(applicationId, id) {
      const row = await reader
        .selectFrom('kalends_provider_config')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toProviderConfig(row);
    },
    async list(applicationId) {
      const rows = await reader
        .selectFrom('kalends_provider_config')
        .selectAll()
        .where('application_id', '=', applicationId)
        .orderBy('provider_type')
        .execute();
      return rows.map(toProviderConfig);
    },
    remove: (applicationId, providerType, audit) =>
      dialect.transaction(database, async (transaction) => {
        const config = await transaction
          .selectFrom('kalends_provider_config')
          .select('id')
          .where('application_id', '=', applicationId)
          .where('provider_type', '=', providerType)
          .modifyEnd(sql.raw(dialect.forUpdate))
          .executeTakeFirst();
        if (config === undefined) return 'unknown';
        const account = await transaction
          .selectFrom('kalends_account')
          .select('id')
          .where('application_id', '=', applicationId)
          .where('provider_config_id', '=', config.id)
          .limit(1)
          .executeTakeFirst();
        if (account !== undefined) return 'used';
        await transaction.deleteFrom('kalends_provider_config').where('id', '=', config.id).execute();
        await writeAudit(transaction, audit && { ...audit, target: config.id });
        return 'removed';
      }),
  };
}

function toProviderConfig(row: Selectable<Tables['kalends_provider_config']>): ProviderConfigRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    providerType: row.provider_type,
    clientId: row.client_id,
    wrappedKey: row.wrapped_key,
    sealedClientSecret: row.sealed_client_secret,
    settings: JSON.parse(row.settings),
    scopes: row.scopes === null ? null : JSON.parse(row.scopes),
    secretExpiresAt: row.secret_expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
