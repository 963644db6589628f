import { type Clock, KalendsError } from '../ports/index.ts';

/** Failures in a row that are free, and the time in which one is forgiven. */
interface Allowance {
  readonly burst: number;
  readonly everyMs: number;
}

/** People behind one address mistype, and so do those of one large server. One user name is one person's. */
const ALLOWANCES = {
  address: { burst: 10, everyMs: 60_000 },
  user: { burst: 5, everyMs: 120_000 },
  host: { burst: 300, everyMs: 2_000 },
} as const satisfies Readonly<Record<string, Allowance>>;

type Dimension = keyof typeof ALLOWANCES;

/** Most entries in memory; the one that failed longest ago is evicted. */
const MOST_ENTRIES = 20_000;

/** An attempt to sign in, by all that may be guessed from and at. */
export interface Attempt {
  /** The person's network address; undefined when the host does not pass one. */
  readonly address?: string | undefined;
  /** Host of the server. */
  readonly host: string;
  /** User name at the server; undefined where there is none. */
  readonly user?: string | undefined;
}

/** Limits guesses at credentials, in this process and in bounded memory: only failures count. */
export interface GuessLimit {
  /**
   * Counts the attempt as a failure before it is made, so that parallel guesses are counted too, and returns the function that takes
   * it back when it succeeds. @throws KalendsError RateLimited
   */
  take(attempt: Attempt): () => void;
}

export function createGuessLimit(clock: Clock): GuessLimit {
  /** Failures that are not forgiven yet, in the order of the last one. */
  const entries = new Map<string, { readonly failures: number; readonly at: number }>();

  const failuresOf = (key: string, { everyMs }: Allowance): number => {
    const entry = entries.get(key);
    // A clock that was set back forgives nothing.
    return entry === undefined ? 0 : Math.max(0, entry.failures - Math.max(0, clock.now() - entry.at) / everyMs);
  };

  const add = (key: string, allowance: Allowance, more: 1 | -1) => {
    const failures = Math.max(0, failuresOf(key, allowance) + more);
    entries.delete(key);
    if (failures > 0) entries.set(key, { failures, at: clock.now() });
    const [oldest] = entries.keys();
    if (entries.size > MOST_ENTRIES && oldest !== undefined) entries.delete(oldest);
  };

  return {
    take(attempt) {
      const counted = keysOf(attempt);
      const waits = counted.map(({ key, allowance }) => {
        const excess = failuresOf(key, allowance) - (allowance.burst - 1);
        return excess > 0 ? excess * allowance.everyMs : 0;
      });
      const retryAfterMs = Math.max(...waits);
      if (retryAfterMs > 0) {
        const message = 'Too many attempts to sign in have failed. Try again later.';
        throw new KalendsError('RateLimited', message, { retryAfterMs });
      }
      for (const { key, allowance } of counted) add(key, allowance, 1);
      return () => {
        for (const { key, allowance } of counted) add(key, allowance, -1);
      };
    },
  };
}

function keysOf({ address, host, user }: Attempt) {
  const texts: Readonly<Record<Dimension, string | undefined>> = {
    address,
    host,
    user: user === undefined ? undefined : JSON.stringify([host, user.toLowerCase()]),
  };
  return (Object.keys(ALLOWANCES) as Dimension[]).flatMap((dimension) => {
    const text = texts[dimension];
    return text === undefined ? [] : [{ key: `${dimension} ${text}`, allowance: ALLOWANCES[dimension] }];
  });
}
