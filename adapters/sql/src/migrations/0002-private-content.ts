import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** Data beside an item's content that changes in place, without a version. */
export function privateContent({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  return [sql`alter table item_body add column private_content ${ddl.text}`];
}
