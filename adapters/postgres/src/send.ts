import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { bind } from './bind.ts';
import { columnTypes } from './column-types.ts';

export interface Statement {
  readonly text: string;
  readonly parameters?: readonly unknown[];
  /** How long its answer is waited for; 0 for ever. */
  readonly timeoutMs: number;
}

/**
 * Sends one statement. A server that vanished without a word, as a machine does that is switched off, never answers: after
 * the timeout the connection counts as lost, and is.
 */
export function send(client: PoolClient, { text, parameters = [], timeoutMs }: Statement): Promise<QueryResult> {
  // The driver takes it for each statement, which its types do not know.
  const limit = { query_timeout: timeoutMs };
  // Without parameters the driver takes the simple protocol, where a text may hold several statements: ours never do.
  const query: QueryConfig = { text, values: bind(parameters) as unknown[], types: columnTypes, ...limit };
  return client.query(query);
}
