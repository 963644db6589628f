import { createHash } from 'node:crypto';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { Validators } from './feed-client.ts';
import type { FeedReading } from './feed-reading.ts';

/** A publisher's wish is heeded for a day at most. */
const LONGEST_FLOOR_MS = 86_400_000;
/** Of a larger feed the token does not list the units: the mirror tells what has changed. */
const MOST_UNITS = 5_000;

/** The state of a feed after a pull. */
export interface FeedToken extends Validators {
  /** Time of the last request, epoch milliseconds. */
  readonly at: number;
  /** No poll before this much time has passed. */
  readonly floorMs: number;
  /** Hashes of the units by their ids; for a large feed, one hash of them all. Null in tokens of former versions. */
  readonly units: Readonly<Record<string, string>> | string | null;
  /** Ids of the units of a large feed that could not be read whole. Without it, a change of a large feed is read in full. */
  readonly unread?: readonly string[];
}

/** Returns the token of a feed that has just been read. */
export function tokenOf({ units, refreshMs }: FeedReading, validators: Validators, at: number): FeedToken {
  const hashes = [...units].map(([id, { hash }]) => [id, hash] as const);
  const token = { ...validators, at, floorMs: Math.min(refreshMs, LONGEST_FLOOR_MS) };
  if (units.size <= MOST_UNITS) return { ...token, units: Object.fromEntries(hashes) };
  const unread = [...units].flatMap(([id, { isWhole }]) => (isWhole ? [] : [id]));
  return { ...token, units: hashOf(hashes), ...(unread.length > MOST_UNITS ? {} : { unread }) };
}

/** Some publishers write their events in another order each time. */
const hashOf = (hashes: readonly (readonly [id: string, hash: string])[]): string =>
  createHash('sha256').update(hashes.map(String).sort().join('\n')).digest('base64url');

/** Whether a poll at this time would be earlier than the publisher wants. A caller that waits for the answer is not put off. */
export function isTooSoon(
  { isRoutine = false }: ProviderSession,
  { at: askedAt, floorMs }: FeedToken,
  at: number,
): boolean {
  return isRoutine && askedAt <= at && at < askedAt + floorMs;
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
