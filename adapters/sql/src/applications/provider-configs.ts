import type { ProviderConfigRow, ProviderConfigStore } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';

/** Stores the OAuth clients of applications. */
export function providerConfigStore({ database, reader }: SqlContext): ProviderConfigStore {
  return {
    async put(row) {
      const secrets = {
        client_id: row.clientId,
        wrapped_key: row.wrappedKey,
        sealed_client_secret: row.sealedClientSecret,
        settings: JSON.stringify(row.settings),
        updated_at: row.updatedAt,
      };
      const stored = await database
        .insertInto('kalends_provider_config')
        .values({
          id: row.id,
          application_id: row.applicationId,
          provider_type: row.providerType,
          created_at: row.createdAt,
          ...secrets,
        })
        .onConflict((conflict) => conflict.columns(['application_id', 'provider_type']).doUpdateSet(secrets))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toProviderConfig(stored);
    },
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
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
