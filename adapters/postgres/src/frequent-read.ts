import { createHash } from 'node:crypto';
import type { Logger } from 'kalends/ports';
import { CompiledQuery } from 'kysely';
import type { QueryResult } from 'pg';
import type { Connections } from './connections.ts';
import { isNameRefused } from './failures.ts';
import { type Reading, read } from './read.ts';

/** A single reading statement that runs so often that its plan is worth keeping. */
export interface FrequentQuery extends CompiledQuery {
  readonly isFrequent: true;
}

export function frequentQuery(text: string, parameters: unknown[]): FrequentQuery {
  return { ...CompiledQuery.raw(text, parameters), isFrequent: true };
}

export function isFrequent(query: CompiledQuery): boolean {
  return 'isFrequent' in query;
}

/**
 * Runs reading statements under names, so that a session keeps their plans: planning one takes several times as long as
 * running it. After a few runs a kept plan ignores the parameters and the growth of its tables: it is good only for
 * statements that find their rows by keys, or whose joins are forced into look-ups. Behind a proxy that shares sessions without their statements, all statements are sent
 * unnamed from the first refusal on.
 */
export function createFrequentReads(
  connections: Connections,
  logger: Logger,
): (reading: Reading) => Promise<QueryResult> {
  const names = new Map<string, string>();
  let areKept = true;

  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `kalends_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
    return name;
  };

  return async (reading) => {
    if (!areKept) return await read(connections, reading);
    try {
      return await read(connections, { ...reading, name: nameOf(reading.text) });
    } catch (error) {
      if (!isNameRefused(error)) throw error;
      if (areKept) logger.warn('sessions do not keep prepared statements: from now on they are planned each time');
      areKept = false;
      return await read(connections, reading);
    }
  };
}
