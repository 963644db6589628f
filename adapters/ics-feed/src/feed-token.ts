import { ProviderError } from 'kalends/ports';
import type { Validators } from './feed-client.ts';
import type { FeedReading } from './feed-reading.ts';

/** A publisher's wish is heeded for a day at most. */
const LONGEST_FLOOR_MS = 86_400_000;
/** Of a larger feed the token lists no units: a change reads it in full. */
const MOST_UNITS = 5_000;

/** The state of a feed after a pull. */
export interface FeedToken extends Validators {
  /** Time of the last request, epoch milliseconds. */
  readonly at: number;
  /** No request before this much time has passed. */
  readonly floorMs: number;
  /** Hashes of the units by their ids; null for a large feed. */
  readonly units: Readonly<Record<string, string>> | null;
}

/** Returns the token of a feed that has just been read. */
export function tokenOf({ units, refreshMs }: FeedReading, validators: Validators, at: number): FeedToken {
  const hashes = units.size > MOST_UNITS ? null : Object.fromEntries([...units].map(([id, { hash }]) => [id, hash]));
  return { ...validators, at, floorMs: Math.min(refreshMs, LONGEST_FLOOR_MS), units: hashes };
}

export const sealToken = (token: FeedToken): string => JSON.stringify(token);

/**
 * Reads a token that `sealToken` wrote.
 * @throws ProviderError sync-token-expired for any other text
 */
export function openToken(text: string): FeedToken {
  try {
    return JSON.parse(text) as FeedToken;
  } catch (cause) {
    throw new ProviderError('sync-token-expired', 'the text is no resume point', { cause });
  }
}
