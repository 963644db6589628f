import type { QueryResult } from 'pg';
import type { Connections } from './connections.ts';
import { isConnectionLost, isOutOfSpace } from './failures.ts';
import { outOfSpace } from './refusals.ts';
import { type Statement, send } from './send.ts';

export type Reading = Omit<Statement, 'timeoutMs'>;

/**
 * Runs a single reading statement, and sends it again when its connection is lost.
 * @throws StorageUnavailableError when the caller's timeout ends, or the server is out of space, else the server's error
 */
export async function read(connections: Connections, reading: Reading): Promise<QueryResult> {
  const backoff = connections.outageBackoff();
  for (;;) {
    const client = await connections.acquire();
    let failure: unknown;
    try {
      return await send(client, { ...reading, timeoutMs: connections.statementTimeoutMs });
    } catch (error) {
      if (!isConnectionLost(error)) throw isOutOfSpace(error) ? outOfSpace(error) : error;
      failure = error;
    } finally {
      connections.release(client, failure);
    }
    await backoff.wait(failure);
  }
}
