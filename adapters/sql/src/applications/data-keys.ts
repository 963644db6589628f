import { type DataKeyKind, type DataKeyRow, type DataKeyStore, WRAPPING_NAME_LENGTH } from 'kalends/ports';
import { sql } from 'kysely';
import type { SqlContext } from '../context.ts';
import { readFact, writeFact } from '../facts.ts';

const TABLES = {
  client: 'kalends_provider_config',
  credential: 'kalends_credential',
  target: 'kalends_target',
} as const;

export function dataKeyStore(context: SqlContext): DataKeyStore {
  const { database } = context;
  return {
    async list(kind, { after = '', limit }) {
      const rows = await rowsOf(context, kind).where('id', '>', after).orderBy('id').limit(limit).execute();
      return rows.map((row) => ({ kind, ...row }) as DataKeyRow);
    },
    samples: (kind, limit) => listSamples(context, kind, limit),
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
    findSecretId: () => readFact(context, 'secret-id'),
    setSecretId: (id, options) => writeFact(context, 'secret-id', id, options),
  };
}

/** Columns of each kind beside those of all. */
const OWNERS = {
  client: ['provider_type as providerType'],
  credential: ['account_id as accountId'],
  target: [],
} as const;

const COLUMNS = ['id', 'application_id as applicationId', 'wrapped_key as wrappedKey'] as const;

/** The beginning of a wrapped key, WRAPPING_NAME_LENGTH characters long, exactly as the indexes have it. */
const NAME = sql<string>`substr(wrapped_key, 1, 11)`;

/** Selects the rows of a kind, along the index of ids or of names. */
function rowsOf({ reader }: SqlContext, kind: DataKeyKind) {
  return reader.selectFrom(TABLES[kind]).select([...COLUMNS, ...OWNERS[kind]]);
}

async function listSamples(context: SqlContext, kind: DataKeyKind, limit: number): Promise<readonly DataKeyRow[]> {
  const found: DataKeyRow[] = [];
  for (let after = ''; found.length < limit; ) {
    const [row] = await rowsOf(context, kind).where(NAME, '>', after).orderBy(NAME).limit(1).execute();
    if (row === undefined) break;
    found.push({ kind, ...row } as DataKeyRow);
    after = row.wrappedKey.slice(0, WRAPPING_NAME_LENGTH);
  }
  return found;
}
