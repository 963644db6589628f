import { caldav } from '@kalends/caldav';
import type { Provider, ProviderCalendar, ProviderSession } from 'kalends/ports';
import { makeCalendar } from './raw/raw-calendar.ts';
import type { CalendarServer, ServerUser } from './start/calendar-server.ts';

/** A person who has signed in to a server. */
export interface SignedIn {
  readonly provider: Provider;
  readonly session: ProviderSession;
}

/**
 * The provider, with the servers' network opened and without pacing. One for all: each has connections of its own, and Cyrus has a
 * process for each connection, idle ones included, and ten in all.
 */
const LOCAL: Provider = caldav({
  allowedNetworks: ['127.0.0.0/8'],
  limits: { callsPerInterval: Number.POSITIVE_INFINITY, concurrency: 3 },
});

/** Signs a person in as the account service does. */
export async function signIn({ url }: CalendarServer, user: ServerUser): Promise<SignedIn> {
  const { authorization } = LOCAL;
  if (authorization.kind !== 'credentials') throw new Error('CalDAV signs in by credentials');
  const typed = { kind: 'password', serverUrl: url, username: user.username, password: user.password } as const;
  const { credentials, identity } = await authorization.verify(typed, AbortSignal.timeout(30_000));
  return {
    provider: LOCAL,
    session: {
      accountId: `${url} ${user.username}`,
      email: identity.email,
      accessToken: () => Promise.reject(new Error('a CalDAV account has no access token')),
      credentials: async () => credentials,
    },
  };
}

/** Lists the person's calendars. */
export async function calendarsOf({ provider, session }: SignedIn): Promise<readonly ProviderCalendar[]> {
  const calendars: ProviderCalendar[] = [];
  for await (const { changes } of provider.calendars.pull(session, null)) {
    for (const change of changes) if (change.kind === 'calendar') calendars.push(change.calendar);
  }
  return calendars;
}

/** Names by which a calendar stays the primary one, whatever others other tests make. */
const LASTING = /\/(?:default|personal|calendar|home)\/$/i;

/** Returns the person's primary calendar; made where a server makes none for a new person. */
export async function primaryOf(server: CalendarServer, user: ServerUser): Promise<ProviderCalendar> {
  const person = await signIn(server, user);
  const isLasting = ({ id }: ProviderCalendar) => LASTING.test(Buffer.from(id, 'base64url').toString());
  if (!(await calendarsOf(person)).some(isLasting)) await makeCalendar(server, user, 'default');
  const primary = (await calendarsOf(person)).find(({ isPrimary }) => isPrimary);
  if (primary === undefined) throw new Error(`${server.name} has no primary calendar`);
  return primary;
}
