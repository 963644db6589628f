import { KalendsError } from 'kalends';
import { StorageUnavailableError } from 'kalends/ports';

/** Longest chain of causes that is described. */
const MOST_CAUSES = 5;

/** Returns whether an error is a fault of ours, in contrast to a provider's failure or a mirror that is not complete yet. */
export function isFault(error: unknown): boolean {
  return !KalendsError.isInstance(error) || error.code === 'InternalError';
}

/**
 * Describes the error behind an answer for the log: each error of the chain by its code and message, an unexpected one with its
 * stack.
 */
export function describeCauses(error: unknown): string {
  const parts: string[] = [];
  for (let cause = error; cause !== undefined && parts.length < MOST_CAUSES; cause = nextOf(cause)) {
    parts.push(describe(cause));
  }
  return parts.length === 0 ? 'no error was recorded' : parts.join('; caused by ');
}

function nextOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? undefined) : undefined;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (KalendsError.isInstance(error)) return `${error.code}: ${error.message}`;
  const { reason } = error as { readonly reason?: unknown };
  const isExpected = typeof reason === 'string' || StorageUnavailableError.isInstance(error);
  if (isExpected) return `${error.name}${typeof reason === 'string' ? ` ${reason}` : ''}: ${error.message}`;
  return error.stack ?? `${error.name}: ${error.message}`;
}
