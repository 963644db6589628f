import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { bind } from './bind.ts';
import { columnTypes } from './column-types.ts';

export interface Statement {
  readonly text: string;
  readonly parameters?: readonly unknown[];
  /** Under which the session keeps its plan. @default planned anew */
  readonly name?: string | undefined;
  /** How long its answer is waited for; 0 for ever. */
  readonly timeoutMs: number;
}

/**
 * Sends one statement. A server that vanished without a word, as a machine does that is switched off, never answers: after
 * the timeout the connection counts as lost, and is.
 */
export function send(client: PoolClient, { text, parameters = [], name, timeoutMs }: Statement): Promise<QueryResult> {
  // The driver takes it for each statement, which its types do not know.
  const limit = { query_timeout: timeoutMs };
  const kept = name === undefined ? {} : { name };
  // Without parameters the driver takes the simple protocol, where a text may hold several statements: ours never do.
  const query: QueryConfig = { text, values: bind(parameters) as unknown[], types: columnTypes, ...kept, ...limit };
  return client.query(query);
}
