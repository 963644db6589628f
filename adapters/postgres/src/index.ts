export type { PostgresOptions, PostgresPool } from './options.ts';
export { postgres } from './postgres.ts';
export {
  type AccountPlace,
  type ShardedDatabase,
  type ShardedStorage,
  type ShardedStorageOptions,
  shardedStorage,
} from './sharded/sharded-storage.ts';
