export { type PostgresOptions, type PostgresPool, postgres } from './postgres.ts';
export {
  type AccountPlace,
  type ShardedDatabase,
  type ShardedStorage,
  type ShardedStorageOptions,
  shardedStorage,
} from './sharded/sharded-storage.ts';
