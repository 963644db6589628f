import type { DataKeyKind, DataKeyRow, DataKeyStore } from 'kalends/ports';
import type { SqlContext } from '../context.ts';

const TABLES = {
  client: 'kalends_provider_config',
  credential: 'kalends_credential',
  target: 'kalends_target',
} as const;

export function dataKeyStore(context: SqlContext): DataKeyStore {
  const { database } = context;
  return {
    list: (kind, { after = '', limit }) => PAGES[kind](context, after, limit),
    async replace({ kind, id, applicationId, wrappedKey: expected }, wrappedKey) {
      const replaced = await database
        .updateTable(TABLES[kind])
        .set({ wrapped_key: wrappedKey })
        .where('id', '=', id)
        .where('application_id', '=', applicationId)
        .where('wrapped_key', '=', expected)
        .executeTakeFirst();
      if (replaced.numUpdatedRows > 0n) return wrappedKey;
      const row = await database
        .selectFrom(TABLES[kind])
        .select('wrapped_key')
        .where('id', '=', id)
        .where('application_id', '=', applicationId)
        .executeTakeFirst();
      return row?.wrapped_key;
    },
  };
}

type Page = (context: SqlContext, after: string, limit: number) => Promise<readonly DataKeyRow[]>;

const COLUMNS = ['id', 'application_id as applicationId', 'wrapped_key as wrappedKey'] as const;

/** Pages of each kind, along the index of ids. */
const PAGES: Readonly<Record<DataKeyKind, Page>> = {
  async client({ reader }, after, limit) {
    const rows = await reader
      .selectFrom('kalends_provider_config')
      .select([...COLUMNS, 'provider_type as providerType'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ kind: 'client', ...row }));
  },
  async credential({ reader }, after, limit) {
    const rows = await reader
      .selectFrom('kalends_credential')
      .select([...COLUMNS, 'account_id as accountId'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ kind: 'credential', ...row }));
  },
  async target({ reader }, after, limit) {
    const rows = await reader
      .selectFrom('kalends_target')
      .select(COLUMNS)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ kind: 'target', ...row }));
  },
};
