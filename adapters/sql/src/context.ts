import type { Kysely } from 'kysely';
import type { SqlDialect } from './dialect.ts';
import type { Tables } from './schema.ts';

/** What the stores work on. */
export interface SqlContext {
  /** Takes the writing transactions. */
  readonly database: Kysely<Tables>;
  /** Takes single reading statements, which see committed data only. May be the same. */
  readonly reader: Kysely<Tables>;
  readonly dialect: SqlDialect;
}
