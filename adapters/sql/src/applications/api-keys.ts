import type { ApiKeyRow, ApiKeyStore } from 'kalends/ports';
import type { Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { inSameTurn } from '../statements/in-same-turn.ts';
import { LIST_LIMIT, oneOf, statement } from '../statements/statement.ts';
import { holdApplication } from './applications.ts';
import { writeAudit } from './audit-log.ts';

/** Stores API keys. */
export function apiKeyStore({ database, reader, dialect }: SqlContext): ApiKeyStore {
  // Every request reads a key, most of them one of the same few.
  const lookUp = async (wanted: readonly (readonly string[])[]) => {
    const hashes = wanted.flat();
    const run = statement(dialect, reader, { isFrequent: true });
    const rows = await run<Selectable<Tables['kalends_api_key']>>`
      select id, application_id, name, hash, can_read_credentials, is_read_only, expires_at, revoked_at, last_used_at,
        created_at
      from kalends_api_key where hash ${oneOf([...new Set(hashes)])}`;
    return new Map(rows.map((row) => [row.hash, toApiKey(row)]));
  };
  const keysOf = inSameTurn(lookUp, LIST_LIMIT, ({ length }) => length);
  return {
    create: (row, audit) =>
      dialect.transaction(database, async (transaction) => {
        await holdApplication(transaction, dialect, row.applicationId);
        await transaction
          .insertInto('kalends_api_key')
          .values({
            id: row.id,
            application_id: row.applicationId,
            name: row.name,
            hash: row.hash,
            can_read_credentials: row.canReadCredentials ? 1 : 0,
            is_read_only: row.readOnly ? 1 : 0,
            expires_at: row.expiresAt,
            revoked_at: row.revokedAt,
            last_used_at: row.lastUsedAt,
            created_at: row.createdAt,
          })
          .execute();
        await writeAudit(transaction, audit);
      }),
    async findByHash(...hashes) {
      const keys = await keysOf(hashes);
      return keys.get(hashes.find((hash) => keys.has(hash)) ?? '');
    },
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
    revoke: (applicationId, keyId, at, audit) =>
      dialect.transaction(database, async (transaction) => {
        const revoked = await transaction
          .updateTable('kalends_api_key')
          .set({ revoked_at: at })
          .where('application_id', '=', applicationId)
          .where('id', '=', keyId)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (revoked.numUpdatedRows > 0n) {
          await writeAudit(transaction, audit);
          return true;
        }
        const known = await transaction
          .selectFrom('kalends_api_key')
          .select('id')
          .where('application_id', '=', applicationId)
          .where('id', '=', keyId)
          .executeTakeFirst();
        return known !== undefined;
      }),
    async noteUses(uses) {
      // In one order: two processes that note the same keys must not wait for each other.
      const inOrder = [...uses].sort((one, other) => (one.id < other.id ? -1 : 1));
      await dialect.transaction(database, async (transaction) => {
        for (const { id, at } of inOrder) {
          await transaction
            .updateTable('kalends_api_key')
            .set({ last_used_at: at })
            .where('id', '=', id)
            .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
            .execute();
        }
      });
    },
    async replaceHash(id, expected, hash) {
      await database
        .updateTable('kalends_api_key')
        .set({ hash })
        .where('id', '=', id)
        .where('hash', '=', expected)
        .execute();
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
    readOnly: row.is_read_only === 1,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
}
