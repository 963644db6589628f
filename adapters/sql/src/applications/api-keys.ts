import type { ApiKeyRow, ApiKeyStore } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { inSameTurn } from '../statements/in-same-turn.ts';
import { LIST_LIMIT, oneOf, statement } from '../statements/statement.ts';

/** Stores API keys. */
export function apiKeyStore({ database, reader, dialect }: SqlContext): ApiKeyStore {
  // Every request reads a key, most of them one of the same few.
  const keysOf = inSameTurn(async (hashes: readonly string[]) => {
    const run = statement(dialect, reader, { isFrequent: true });
    const rows = await run<Selectable<Tables['kalends_api_key']>>`
      select id, application_id, name, hash, can_read_credentials, expires_at, revoked_at, created_at
      from kalends_api_key where hash ${oneOf([...new Set(hashes)])}`;
    return new Map(rows.map((row) => [row.hash, toApiKey(row)]));
  }, LIST_LIMIT);
  return {
    async create(row) {
      await database
        .insertInto('kalends_api_key')
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
    findByHash: async (hash) => (await keysOf(hash)).get(hash),
    async list(applicationId) {
      const rows = await reader
        .selectFrom('kalends_api_key')
        .selectAll()
        .where('application_id', '=', applicationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toApiKey);
    },
    async revoke(applicationId, keyId, at) {
      const result = await database
        .updateTable('kalends_api_key')
        .set(({ fn, val }) => ({ revoked_at: fn.coalesce('revoked_at', val(at)) }))
        .where('application_id', '=', applicationId)
        .where('id', '=', keyId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
}

function toApiKey(row: Selectable<Tables['kalends_api_key']>): ApiKeyRow {
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
