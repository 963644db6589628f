import { type Clock, ProviderError, type ProviderSession } from 'kalends/ports';
import type { DavClient } from '../protocol/dav-client.ts';
import { placeOf } from './account-place.ts';
import { readAddresses } from './discovery.ts';

/** The person of an account, as events name them. */
export interface AccountPerson {
  /** The account's own address; empty when it is unknown. */
  readonly email: string;
  /** Further addresses of the principal: e-mail addresses without `mailto:`, and other URIs. */
  readonly self: readonly string[];
  /** Whether the server has told them. */
  readonly isKnown: boolean;
}

/**
 * Returns the person of an account, with the addresses that the server named within the last hour. A server that does not tell them costs
 * no read and no write: the last known ones stand, and it is asked again after some minutes.
 * @throws ProviderError invalid-grant
 */
export type PersonOf = (session: ProviderSession) => Promise<AccountPerson>;

/** Milliseconds for which addresses are taken for the present ones. */
const LASTING_MS = 3_600_000;
/** Milliseconds until a server that did not tell them is asked again. */
const RETRY_MS = 300_000;
/** Forget the addresses of accounts beyond this number, the oldest first. */
const REMEMBERED = 10_000;

interface Known extends Pick<AccountPerson, 'self' | 'isKnown'> {
  /** Epoch milliseconds from which on they are asked for anew. */
  readonly until: number;
}

/** Creates the look-up of persons. Its only state are the addresses of each account. */
export function createPersonOf(client: DavClient, clock: Clock): PersonOf {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<Known>>();

  async function read(session: ProviderSession, home: string, last: Known | undefined): Promise<Known> {
    try {
      const self = await readAddresses(client, session, home);
      return { self, isKnown: true, until: clock.now() + LASTING_MS };
    } catch (error) {
      if (!ProviderError.isInstance(error) || isRefusal(error) || session.signal?.aborted) throw error;
      return { self: [], isKnown: false, ...last, until: clock.now() + RETRY_MS };
    }
  }

  async function ask(key: string, session: ProviderSession, home: string): Promise<Known> {
    try {
      const found = await read(session, home, known.get(key));
      known.delete(key);
      known.set(key, found);
      const [oldest] = known.keys();
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
      return found;
    } finally {
      asking.delete(key);
    }
  }

  async function addressesOf(session: ProviderSession): Promise<Known> {
    const { home } = await placeOf(session);
    const key = `${session.accountId} ${home.href}`;
    const last = known.get(key);
    if (last !== undefined && clock.now() < last.until) return last;
    const others = asking.get(key);
    if (others === undefined) {
      const asked = ask(key, session, home.href);
      asking.set(key, asked);
      return await asked;
    }
    try {
      return await others;
    } catch (error) {
      if (isRefusal(error)) throw error;
      // The caller who asked has given up; this one has not.
      return addressesOf(session);
    }
  }

  return async (session) => {
    const { self, isKnown } = await addressesOf(session);
    return { email: session.email, self, isKnown };
  };
}

const isRefusal = (error: unknown): boolean => ProviderError.isInstance(error) && error.reason === 'invalid-grant';
