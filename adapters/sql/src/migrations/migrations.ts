import type { SqlDialect } from '../statements/dialect.ts';
import { schema } from './0001-schema.ts';

/** One step of the schema. The list only grows: a step that has been released never changes. */
export interface Migration {
  readonly name: string;
  readonly statements: (ddl: SqlDialect['ddl']) => readonly string[];
}

export const MIGRATIONS: readonly Migration[] = [{ name: '0001-schema', statements: schema }];
