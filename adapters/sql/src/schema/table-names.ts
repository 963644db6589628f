import { KalendsError } from 'kalends/ports';

/** The prefix of every name in the statements of this package. */
export const DEFAULT_PREFIX = 'kalends_';

/** Prefixes leave space for the longest name behind them: PostgreSQL cuts names off after 63 bytes. */
const PREFIX = /^[a-z][a-z0-9_]{0,29}$/;
const SCHEMA = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

export interface TableNamesOptions {
  /** Schema of the tables. @default the one in which the connection creates tables */
  readonly schema?: string | undefined;
  /** Beginning of the names of tables and indexes. @default kalends_ */
  readonly prefix?: string | undefined;
}

/** Names of the tables and indexes of one kalends: two with different names share a database. */
export interface TableNames {
  readonly schema: string | undefined;
  /** Returns the name that stands for one of this package, without the schema. */
  ownName(name: string): string;
  /** Replaces the names of this package in a statement's text. */
  inText(text: string): string;
}

/** @throws KalendsError InvalidRequest for names that a database would cut off or fold */
export function createTableNames({ schema, prefix = DEFAULT_PREFIX }: TableNamesOptions = {}): TableNames {
  if (!PREFIX.test(prefix)) {
    throw invalid('prefix', 'must be 1 to 30 lower-case letters, digits and _, beginning with a letter');
  }
  if (schema !== undefined && !SCHEMA.test(schema)) {
    throw invalid('schema', 'must be 1 to 63 letters, digits and _, not beginning with a digit');
  }
  const ownName = (text: string) => text.replaceAll(NAME_START, prefix);
  if (schema !== undefined) return { schema, ownName, inText: (text) => qualified(text, schema, prefix) };
  return { schema, ownName, inText: prefix === DEFAULT_PREFIX ? (text) => text : ownName };
}

const NAME_START = /kalends_(?=\w)/g;
/** A name as statements write it; kysely quotes it. An index takes the schema of its table; a schema's own name stays. */
const NAME = /(create (?:unique )?index |schema "?)?"?\bkalends_(\w+)"?/g;

function qualified(text: string, schema: string, prefix: string): string {
  return text.replaceAll(NAME, (whole: string, before: string | undefined, name: string) => {
    if (before === undefined) return `"${schema}"."${prefix}${name}"`;
    return before.startsWith('schema') ? whole : `${before}"${prefix}${name}"`;
  });
}

function invalid(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
