export type { Tables } from './schema/schema.ts';
export { createTableNames, type TableNames, type TableNamesOptions } from './schema/table-names.ts';
export { createSqlStorage, type SqlStorageOptions } from './sql-storage.ts';
export type { SqlDialect, TableLocation } from './statements/dialect.ts';
export type { Fragment, WrittenStatement } from './statements/written-statement.ts';
