import type { SqlDialect } from '../statements/dialect.ts';
import { schema } from './0001-schema.ts';
import { assignments } from './0002-assignments.ts';
import { messagesWithRecords } from './0003-messages-with-records.ts';

/** One step of the schema. The list only grows: a step that has been released never changes. */
export interface Migration {
  readonly name: string;
  readonly statements: (ddl: SqlDialect['ddl']) => readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-schema', statements: schema },
  { name: '0002-assignments', statements: assignments },
  { name: '0003-messages-with-records', statements: messagesWithRecords },
];
