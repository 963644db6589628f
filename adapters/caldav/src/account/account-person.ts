import type { Clock, ProviderSession } from 'kalends/ports';
import type { DavClient } from '../protocol/dav-client.ts';
import { placeOf } from './account-place.ts';
import { readAddresses } from './discovery.ts';

/** The person of an account, as events name them. */
export interface AccountPerson {
  /** The account's own address; empty when it is unknown. */
  readonly email: string;
  /** Further addresses of the principal: e-mail addresses without `mailto:`, and other URIs. */
  readonly self: readonly string[];
}

/** Returns the person of an account, with the addresses that the server named within the last hour. */
export type PersonOf = (session: ProviderSession) => Promise<AccountPerson>;

/** Age in milliseconds up to which addresses are taken for the present ones. */
const LASTING_MS = 3_600_000;
/** Forget the addresses of accounts beyond this number, the oldest first. */
const REMEMBERED = 10_000;

/** Creates the look-up of persons. Its only state are the addresses of each account. */
export function createPersonOf(client: DavClient, clock: Clock): PersonOf {
  const known = new Map<string, { readonly at: number; readonly self: readonly string[] }>();

  return async (session) => {
    const { email } = session;
    const { home } = await placeOf(session);
    const key = `${session.accountId} ${home.href}`;
    const at = clock.now();
    const before = known.get(key);
    if (before !== undefined && at - before.at < LASTING_MS) return { email, self: before.self };
    const self = await readAddresses(client, session, home.href);
    known.delete(key);
    known.set(key, { at, self });
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return { email, self };
  };
}
