export type { SqlDialect, TableLocation } from './dialect.ts';
export type { Tables } from './schema.ts';
export { createSqlStorage, type SqlStorageOptions } from './sql-storage.ts';
export { createTableNames, type TableNames, type TableNamesOptions } from './table-names.ts';
