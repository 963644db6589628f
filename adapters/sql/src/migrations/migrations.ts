import type { SqlDialect } from '../statements/dialect.ts';
import { schema } from './0001-schema.ts';
import { holdEvents } from './0002-hold-events.ts';
import { assignments } from './0003-assignments.ts';
import { messagesWithRecords } from './0004-messages-with-records.ts';
import { accountPlaces } from './0005-account-places.ts';

/** One step of the schema. The list only grows: a step that has been released never changes. */
export interface Migration {
  readonly name: string;
  readonly statements: (ddl: SqlDialect['ddl']) => readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-schema', statements: schema },
  { name: '0002-hold-events', statements: holdEvents },
  { name: '0003-assignments', statements: assignments },
  { name: '0004-messages-with-records', statements: messagesWithRecords },
  { name: '0005-account-places', statements: accountPlaces },
];
