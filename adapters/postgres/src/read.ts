import type { PoolClient, QueryResult } from 'pg';
import type { Connections } from './connections.ts';
import { isConnectionLost } from './failures.ts';
import { send } from './send.ts';

export interface Reading {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** Under which the session keeps its plan. */
  readonly name?: string | undefined;
}

/** Runs a reading statement by itself: one whose connection is lost is sent again. */
export async function read(connections: Connections, reading: Reading): Promise<QueryResult> {
  const patience = connections.patience();
  for (;;) {
    const client: PoolClient = await connections.acquire();
    let failure: unknown;
    try {
      return await send(client, { ...reading, timeoutMs: connections.statementTimeoutMs });
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      failure = error;
    } finally {
      connections.release(client, failure);
    }
    await patience.wait(failure);
  }
}
