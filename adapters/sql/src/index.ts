export type { SqlDialect } from './dialect.ts';
export type { Tables } from './schema.ts';
export { createSqlStorage, type SqlStorageOptions } from './sql-storage.ts';
