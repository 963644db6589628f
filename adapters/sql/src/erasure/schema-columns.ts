import { MIGRATIONS } from '../migrations/migrations.ts';

/** A column and its table. */
export interface TableColumn {
  readonly table: string;
  readonly column: string;
}

export interface TextColumn extends TableColumn {
  /** Whether it holds ciphertext, or the key of one. */
  readonly isSealed: boolean;
}

const TABLE = /^create table (\w+) \(([\s\S]*)\)/;
const COLUMN = /^\s*(\w+) (\w+)/;
const ADDED = /^alter table (\w+) add (?:column )?(\w+) (\w+)/;
const KEY_OF_COLUMNS = /^ *primary key \(([\w, ]+)\)/m;
const KEY_OF_COLUMN = /^ *(\w+) \w+ primary key/m;
/** Stands for the type of texts while the schema is read. */
const TEXT = 'text_type';
const SEALED = /^(previous_)?sealed_|^wrapped_key$/;

/** Returns all columns of text, as the migrations make them; there are no columns of bytes. */
export function textColumns(): readonly TextColumn[] {
  return allColumns()
    .filter(({ type }) => type === TEXT)
    .map(({ table, column }) => ({ table, column, isSealed: SEALED.test(column) }));
}

/** Returns the columns that name the account which a row belongs to. */
export function accountColumns(): readonly TableColumn[] {
  return allColumns()
    .filter(({ column }) => column === 'account_id')
    .map(({ table, column }) => ({ table, column }));
}

/** Returns columns without nulls that are unique together in each row of a table, in the order of an index. */
export function keyOf(table: string): readonly string[] {
  for (const text of allStatements()) {
    const [, name, body = ''] = TABLE.exec(text) ?? [];
    if (name !== table) continue;
    const [, key] = KEY_OF_COLUMNS.exec(body) ?? KEY_OF_COLUMN.exec(body) ?? [];
    if (key !== undefined) return key.split(', ');
  }
  throw new Error(`The table ${table} has no key`);
}

function allColumns(): readonly (TableColumn & { readonly type: string })[] {
  return allStatements().flatMap((text) => {
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

function allStatements(): readonly string[] {
  const ddl = {
    text: TEXT,
    identity: 'number primary key',
    // Unique in every database, which may number its rows by another key.
    numbered: { column: 'number', key: 'primary key' },
    clustered: '',
  };
  return MIGRATIONS.flatMap((migration) => migration.statements(ddl));
}
