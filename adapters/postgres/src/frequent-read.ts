import { CompiledQuery } from 'kysely';

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
