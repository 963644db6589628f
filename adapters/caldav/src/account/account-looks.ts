import type { Clock, ProviderSession } from 'kalends/ports';
import { CTAG_PROPS, readCalendars } from '../calendars/calendar-listing.ts';
import type { DavClient } from '../protocol/dav-client.ts';
import { placeOf } from './account-place.ts';

/** The ctags of an account's calendars by path, as of an instant. */
export interface AccountLook {
  /** Epoch milliseconds; the look may be older than a change since. */
  readonly at: number;
  readonly ctags: ReadonlyMap<string, string>;
}

/** Looks at all calendars of an account in one request, which its polls share. */
export interface AccountLooks {
  /** Returns a look that was begun at `since` or later: one that is there already, or a new one. */
  look(session: ProviderSession, since: number): Promise<AccountLook>;
}

interface Begun {
  readonly at: number;
  readonly look: Promise<AccountLook>;
}

/** Forget the looks of accounts beyond this number, the oldest first. */
const REMEMBERED = 10_000;

/** Creates the looks. Their only state is the last one of each account, for its other calendars. */
export function createAccountLooks(client: DavClient, clock: Clock): AccountLooks {
  const begun = new Map<string, Begun>();

  async function read(session: ProviderSession, at: number): Promise<AccountLook> {
    const place = await placeOf(session);
    const listing = await client.propfind(session, place.home.href, '1', CTAG_PROPS);
    const listed = readCalendars(listing, session.email);
    return { at, ctags: new Map(listed.flatMap(({ path, ctag }) => (ctag === undefined ? [] : [[path, ctag]]))) };
  }

  return {
    async look(session, since) {
      const known = begun.get(session.accountId);
      const at = clock.now();
      // After the clock was set back, an old look seems to be from the future.
      if (known !== undefined && known.at >= since && known.at <= at) return known.look;
      const look = read(session, at);
      begun.delete(session.accountId);
      begun.set(session.accountId, { at, look });
      const [oldest] = begun.keys();
      if (begun.size > REMEMBERED && oldest !== undefined) begun.delete(oldest);
      try {
        return await look;
      } catch (error) {
        // Other calendars of the account ask for themselves.
        if (begun.get(session.accountId)?.look === look) begun.delete(session.accountId);
        throw error;
      }
    },
  };
}
