import type { ApiKeyRow, ApplicationRow, ApplicationStore, ProviderConfigRow } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from './context.ts';
import { inSameTurn } from './in-same-turn.ts';
import type { Tables } from './schema.ts';
import { LIST_LIMIT, oneOf, statement } from './statement.ts';

/** Applications with their provider settings, API keys, used states and audit log. */
export function applicationStore(context: SqlContext): ApplicationStore {
  return {
    ...applications(context),
    ...providerConfigs(context),
    ...apiKeys(context),
    ...usedStates(context),
    ...auditLog(context),
  };
}

function applications({ database, reader }: SqlContext): Pick<ApplicationStore, 'create' | 'find' | 'list' | 'update'> {
  return {
    async create(row) {
      await database
        .insertInto('application')
        .values({
          id: row.id,
          name: row.name,
          redirect_urls: JSON.stringify(row.redirectUrls),
          created_at: row.createdAt,
          updated_at: row.updatedAt,
        })
        .execute();
    },
    async find(applicationId) {
      const row = await reader.selectFrom('application').selectAll().where('id', '=', applicationId).executeTakeFirst();
      return row && toApplication(row);
    },
    async list({ limit, after }) {
      let query = reader.selectFrom('application').selectAll().orderBy('created_at').orderBy('id').limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.createdAt, after.id)),
        );
      }
      return (await query.execute()).map(toApplication);
    },
    async update(applicationId, { name, redirectUrls, updatedAt }) {
      const result = await database
        .updateTable('application')
        .set({
          ...(name === undefined ? {} : { name }),
          ...(redirectUrls === undefined ? {} : { redirect_urls: JSON.stringify(redirectUrls) }),
          updated_at: updatedAt,
        })
        .where('id', '=', applicationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

function providerConfigs({
  database,
  reader,
}: SqlContext): Pick<ApplicationStore, 'putProviderConfig' | 'findProviderConfig' | 'findProviderConfigById'> {
  return {
    async putProviderConfig(row) {
      const secrets = {
        client_id: row.clientId,
        wrapped_key: row.wrappedKey,
        sealed_client_secret: row.sealedClientSecret,
        settings: JSON.stringify(row.settings),
        updated_at: row.updatedAt,
      };
      const stored = await database
        .insertInto('provider_config')
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
    async findProviderConfig(applicationId, providerType) {
      const row = await reader
        .selectFrom('provider_config')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('provider_type', '=', providerType)
        .executeTakeFirst();
      return row && toProviderConfig(row);
    },
    async findProviderConfigById(applicationId, id) {
      const row = await reader
        .selectFrom('provider_config')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toProviderConfig(row);
    },
  };
}

function apiKeys({
  database,
  reader,
  dialect,
}: SqlContext): Pick<ApplicationStore, 'createKey' | 'findKeyByHash' | 'listKeys' | 'revokeKey'> {
  // Asked with every request, most of them with the same few keys.
  const keysOf = inSameTurn(async (hashes: readonly string[]) => {
    const run = statement(dialect, reader, { isFrequent: true });
    const rows = await run<Selectable<Tables['api_key']>>`
      select id, application_id, name, hash, can_read_credentials, expires_at, revoked_at, created_at
      from api_key where hash ${oneOf([...new Set(hashes)])}`;
    return new Map(rows.map((row) => [row.hash, toApiKey(row)]));
  }, LIST_LIMIT);
  return {
    async createKey(row) {
      await database
        .insertInto('api_key')
        .values({
          id: row.id,
          application_id: row.applicationId,
          name: row.name,
          hash: row.hash,
          can_read_credentials: row.canReadCredentials ? 1 : 0,
          expires_at: row.expiresAt,
          revoked_at: row.revokedAt,
          created_at: row.createdAt,
        })
        .execute();
    },
    findKeyByHash: async (hash) => (await keysOf(hash)).get(hash),
    async listKeys(applicationId) {
      const rows = await reader
        .selectFrom('api_key')
        .selectAll()
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toApiKey);
    },
    async revokeKey(applicationId, keyId, at) {
      const result = await database
        .updateTable('api_key')
        .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(at)) }))
        .where('application_id', '=', applicationId)
        .where('id', '=', keyId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

function usedStates({ database }: SqlContext): Pick<ApplicationStore, 'markStateUsed' | 'purgeUsedStates'> {
  return {
    async markStateUsed(stateHash, expiresAt) {
      const result = await database
        .insertInto('used_state')
        .values({ state_hash: stateHash, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async purgeUsedStates(before) {
      const result = await database.deleteFrom('used_state').where('expires_at', '<', before).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

function auditLog({ database, reader }: SqlContext): Pick<ApplicationStore, 'audit' | 'listAudit'> {
  return {
    async audit({ at, applicationId, actor, action, target }) {
      await database
        .insertInto('audit_entry')
        .values({ application_id: applicationId, at, actor, action, target })
        .execute();
    },
    async listAudit(applicationId, limit) {
      const rows = await reader
        .selectFrom('audit_entry')
        .select(['at', 'actor', 'action', 'target'])
        .where('application_id', '=', applicationId)
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ at, actor, action, target }) => ({ at, actor, action, target }));
    },
  };
}

function toApplication(row: Selectable<Tables['application']>): ApplicationRow {
  return {
    id: row.id,
    name: row.name,
    redirectUrls: JSON.parse(row.redirect_urls),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toProviderConfig(row: Selectable<Tables['provider_config']>): ProviderConfigRow {
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

function toApiKey(row: Selectable<Tables['api_key']>): ApiKeyRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    name: row.name,
    hash: row.hash,
    canReadCredentials: row.can_read_credentials === 1,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  };
}
