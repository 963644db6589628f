import type { CalendarRef, OAuthProvider, ProviderClient, ProviderSession } from 'kalends/ports';
import type { ProviderWorld } from '../provider/world.ts';

/** An account at a provider, or at a stand-in, to play the suite in. */
export interface SuiteAccount {
  readonly provider: OAuthProvider;
  readonly client: ProviderClient;
  readonly refreshToken: string;
  /** Time of the account's service, in epoch milliseconds. */
  readonly now: () => number;
  /** Resolves when earlier writes can be read. @default at once */
  readonly settle?: () => Promise<void>;
}

/** An account with a calendar for the suite alone. */
export interface OpenAccount {
  readonly session: ProviderSession;
  readonly calendar: CalendarRef;
  /** Empties the calendar for the next case: providers refuse a hundred new calendars in a row. */
  readonly createWorld: () => Promise<ProviderWorld>;
  /** Deletes the calendar. */
  close(): Promise<void>;
}

/**
 * Signs in with a refresh token and creates a calendar, for `providerConformance` against one account.
 * @throws ProviderError when the account cannot be used
 */
export async function openAccount(account: SuiteAccount): Promise<OpenAccount> {
  const { provider, settle } = account;
  const session = await signIn(account);
  const calendar = await provider.calendars.create(session, { name: 'kalends parity', timeZone: 'Europe/London' });
  return {
    session,
    calendar,
    createWorld: oneCalendar({ provider, session, calendar, ...(settle && { settle }) }),
    close: () => provider.calendars.delete(session, calendar.id),
  };
}

type Place = Pick<ProviderWorld, 'provider' | 'session' | 'settle'> & { readonly calendar: CalendarRef };

/** Returns a `createWorld` that empties one calendar for each case. */
export function oneCalendar(place: Place): () => Promise<ProviderWorld> {
  const { provider, session, calendar, settle } = place;
  return async () => {
    for await (const { changes } of provider.events.pull(session, calendar, null)) {
      for (const change of changes) {
        const current = change.kind === 'event' ? change.event : change.kind === 'series' ? change.master : undefined;
        if (current === undefined || current.seriesId !== null) continue;
        const { providerEventId } = current;
        await provider.events.delete(session, calendar, { kind: 'event', providerEventId, current }, {});
      }
    }
    await settle?.();
    return { ...place, close: async () => undefined };
  };
}

/** Signs in by refresh token; the session keeps its access token fresh. */
async function signIn({ provider, client, now, ...account }: SuiteAccount): Promise<ProviderSession> {
  let { refreshToken } = account;
  const refresh = async () => {
    const grant = await provider.authorization.refresh({ client, refreshToken });
    refreshToken = grant.refreshToken ?? refreshToken;
    return grant;
  };
  let grant = await refresh();
  const { email } = await provider.authorization.identify(grant.accessToken);
  return {
    accountId: 'parity',
    email,
    async accessToken(refused) {
      if (grant.accessToken === refused || grant.expiresAt < now() + 60_000) grant = await refresh();
      return grant.accessToken;
    },
  };
}
