import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/** Calendars that a provider no longer shows are remembered until that is certain; then their subscriptions end. */
export function endedCalendars(_dialect: SqlDialect): readonly RawBuilder<unknown>[] {
  return [
    sql`alter table schedule add column missing_since bigint`,
    sql`alter table target add column ended_at bigint`,
  ];
}
