import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { QueryResult } from 'pg';
import type { Connections } from './connections.ts';
import { isNameRefused } from './failures.ts';
import { type Reading, read } from './read.ts';

/** A reading statement by itself that comes so often that its plan is worth keeping. */
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
 * Runs reading statements under names, so that a session plans each but once: planning one takes several times as long as
 * running it. Behind a proxy that hands sessions out without their statements, all go out unnamed from the first refusal on.
 */
export function createFrequentReads(connections: Connections): (reading: Reading) => Promise<QueryResult> {
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
      areKept = false;
      return await read(connections, reading);
    }
  };
}
