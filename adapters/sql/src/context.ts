import type { Kysely } from 'kysely';
import type { Tables } from './schema/schema.ts';
import type { TableNames } from './schema/table-names.ts';
import type { CommitFeed } from './statements/commit-feed.ts';
import type { SqlDialect } from './statements/dialect.ts';

/** Database, dialect and names, as the stores take them. */
export interface SqlContext {
  /** Takes the writing transactions. */
  readonly database: Kysely<Tables>;
  /** Takes single reading statements, which see committed data only. May be the same. */
  readonly reader: Kysely<Tables>;
  readonly dialect: SqlDialect;
  readonly commits: CommitFeed;
  /** Names under which the drivers of both send their statements. */
  readonly names: TableNames;
}
