import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../dialect.ts';

/**
 * Authorizations under way are sealed into their state; only the used states are remembered. Push channels whose token is
 * random are due, so that upkeep opens others in their place.
 */
export function usedStates({ ddl }: SqlDialect): readonly RawBuilder<unknown>[] {
  const { text, clustered } = ddl;
  return [
    sql`drop table pending_authorization`,
    sql`create table used_state (
      state_hash ${text} primary key,
      expires_at bigint not null
    ) ${clustered}`,
    sql`create index used_state_expiry on used_state (expires_at)`,
    sql`drop index channel_provider`,
    sql`update channel set renew_at = 0 where kind = 'push'`,
  ];
}
