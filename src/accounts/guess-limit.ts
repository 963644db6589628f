import { createHmac } from 'node:crypto';
import { KalendsError, type LeaseStore } from '../ports/index.ts';
import { deriveKey, type Secrets } from '../runtime/index.ts';

const PURPOSE = 'guess-limit';
/** Hex characters of an HMAC that name a budget: 128 bits. */
const NAME_LENGTH = 32;

/** Failures in a row that are free, the time in which one is forgiven, and those that addresses without a failure may use alone. */
interface Allowance {
  readonly burst: number;
  readonly everyMs: number;
  readonly kept: number;
}

/** People behind one address mistype, and so do those of one large server. One user name is one person's. */
const ALLOWANCES = {
  address: { burst: 10, everyMs: 60_000, kept: 0 },
  host: { burst: 100, everyMs: 2_000, kept: 30 },
  user: { burst: 5, everyMs: 120_000, kept: 1 },
} as const satisfies Readonly<Record<string, Allowance>>;

/** An attempt to sign in, by all that may be guessed from and at. */
export interface Attempt {
  /** The person's network address; undefined when the host does not pass one. */
  readonly address?: string | undefined;
  /** Application whose API key sends it. Its guesses and those of the browser page do not use up each other's. */
  readonly applicationId?: string | undefined;
  /** Host of the server. */
  readonly host: string;
  /** User name at the server; undefined where there is none. */
  readonly user?: string | undefined;
}

/** Limits guesses at credentials over all processes on one storage: only failures count. */
export interface GuessLimit {
  /**
   * Counts the attempt as a failure before it is made, so that parallel guesses are counted too, and returns the function that takes
   * it back when it succeeds. @throws KalendsError RateLimited
   */
  take(attempt: Attempt): Promise<() => Promise<void>>;
}

export function createGuessLimit(
  leases: Pick<LeaseStore, 'takeCalls' | 'giveBackCalls'>,
  secrets: Secrets,
): GuessLimit {
  const key = deriveKey(secrets.current, PURPOSE);
  /** No address and no user name is stored. */
  const nameOf = (parts: readonly string[]) =>
    `guesses:${createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex').slice(0, NAME_LENGTH)}`;

  return {
    async take({ address, applicationId = '', host, user }) {
      const taken: { readonly name: string; readonly capacity: number }[] = [];
      const takeBack = async () => {
        for (const { name, capacity } of taken) await leases.giveBackCalls(name, { calls: 1, capacity });
      };
      /** Returns the number of failures that are free after this one. */
      const takeOne = async ({ burst, everyMs, kept }: Allowance, isAgain: boolean, ...parts: readonly string[]) => {
        const name = nameOf(parts);
        const budget = { perMinute: 60_000 / everyMs, capacity: burst, atMost: 1, keep: isAgain ? kept : 0 };
        const answer = await leases.takeCalls(name, budget);
        if (answer.taken > 0) {
          taken.push({ name, capacity: burst });
          return answer.left;
        }
        await takeBack();
        const message = 'Too many attempts to sign in have failed. Try again later.';
        throw new KalendsError('RateLimited', message, { retryAfterMs: answer.waitMs });
      };

      const left = address === undefined ? undefined : await takeOne(ALLOWANCES.address, false, 'address', address);
      // Guesses from one address cannot keep a person at another one out.
      const isAgain = left !== undefined && left < ALLOWANCES.address.burst - 1;
      await takeOne(ALLOWANCES.host, isAgain, 'host', applicationId, host);
      if (user !== undefined) {
        await takeOne(
          ALLOWANCES.user,
          isAgain,
          'user',
          applicationId,
          host,
          user.normalize('NFKC').trim().toLowerCase(),
        );
      }
      return takeBack;
    },
  };
}
