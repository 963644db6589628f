import { MIGRATIONS } from '../migrations/migrations.ts';

/** A column of text, and its table. */
export interface TextColumn {
  readonly table: string;
  readonly column: string;
  /** Whether it holds ciphertext, or the key of one. */
  readonly isSealed: boolean;
}

const TABLE = /^create table (\w+) \(([\s\S]*)\)/;
const COLUMN = /^\s*(\w+) (\w+)/;
const ADDED = /^alter table (\w+) add (?:column )?(\w+) (\w+)/;
/** Stands for the type of texts while the schema is read. */
const TEXT = 'text_type';
const SEALED = /^(previous_)?sealed_|^wrapped_key$/;

/** Returns all columns of text, as the migrations make them; there are no columns of bytes. */
export function textColumns(): readonly TextColumn[] {
  return allColumns()
    .filter(({ type }) => type === TEXT)
    .map(({ table, column }) => ({ table, column, isSealed: SEALED.test(column) }));
}

/** Returns the tables whose rows belong to an account. */
export function accountTables(): readonly string[] {
  return allColumns()
    .filter(({ column }) => column === 'account_id')
    .map(({ table }) => table);
}

function allColumns(): readonly { readonly table: string; readonly column: string; readonly type: string }[] {
  const ddl = { text: TEXT, identity: 'number', numbered: { column: 'number', key: 'primary key' }, clustered: '' };
  const statements = MIGRATIONS.flatMap((migration) => migration.statements(ddl));
  return statements.flatMap((text) => {
    const [, added, addedColumn, addedType] = ADDED.exec(text) ?? [];
    if (added !== undefined) return [{ table: added, column: addedColumn ?? '', type: addedType ?? '' }];
    const [, table, body] = TABLE.exec(text) ?? [];
    if (table === undefined) return [];
    // Definitions of keys have commas within brackets; their lines begin with words that are no column's type.
    return (body ?? '').split(/,(?![^(]*\))/).flatMap((line) => {
      const [, column, type] = COLUMN.exec(line) ?? [];
      return column === undefined ? [] : [{ table, column, type: type ?? '' }];
    });
  });
}
