import type { Writable } from 'node:stream';
import { afterMicrotasks } from 'kalends/runtime';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import { bind } from './bind.ts';
import { columnTypes } from './column-types.ts';

export interface Statement {
  readonly text: string;
  readonly parameters?: readonly unknown[];
  /** Name under which the session keeps its plan. @default planned anew */
  readonly name?: string | undefined;
  /** Timeout of its answer; 0: none. */
  readonly timeoutMs: number;
}

/**
 * Sends one statement. A server that vanishes without closing its connections, as a machine that is switched off, never
 * answers: after the timeout the connection counts as lost.
 */
export function send(client: PoolClient, { text, parameters = [], name, timeoutMs }: Statement): Promise<QueryResult> {
  // The driver takes a timeout for each statement; its types lack it.
  const limit = { query_timeout: timeoutMs };
  const kept = name === undefined ? {} : { name };
  gatherWrites(client);
  // Without parameters the driver takes the simple protocol, where a text may hold several statements: only a `begin` does.
  const query: QueryConfig = { text, values: bind(parameters) as unknown[], types: columnTypes, ...kept, ...limit };
  return client.query(query);
}

/** Sends what is written in this turn of the event loop at once: the driver would make a system call for each statement. */
function gatherWrites(client: PoolClient): void {
  const { connection } = client as PoolClient & { readonly connection?: { readonly stream?: Writable } };
  const stream = connection?.stream;
  if (stream === undefined) return;
  stream.cork();
  afterMicrotasks(() => stream.uncork());
}
