import { type CaldavOptions, caldav } from '@kalends/caldav';
import { seededRandom, waitlessClock } from '@kalends/conformance';
import { createSandbox, type Sandbox, type SandboxOptions } from '@kalends/sandbox';
import type { AccountCredentials, Provider, ProviderCalendar, ProviderSession } from 'kalends/ports';

export const ADA = 'ada@dav.example';
export const GRACE = 'grace@dav.example';

/** The provider at a sandbox with two people. */
export interface Harness {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly provider: Provider;
  /** Signs a person in by an app password. */
  sessionOf(email: string): Promise<ProviderSession>;
  primaryOf(email: string): Promise<ProviderCalendar>;
  control(verb: string, input: Readonly<Record<string, unknown>>): unknown;
  close(): Promise<void>;
}

/** Signs in as the account service does, with the credentials that it would store. */
export async function signIn(
  provider: Provider,
  typed: AccountCredentials,
  accountId: string,
): Promise<ProviderSession> {
  const { authorization } = provider;
  if (authorization.kind !== 'credentials') throw new Error('CalDAV signs in by credentials');
  const { credentials, identity } = await authorization.verify(typed, AbortSignal.timeout(10_000));
  return {
    accountId,
    email: identity.email,
    accessToken: () => Promise.reject(new Error('a CalDAV account has no access token')),
    credentials: async () => credentials,
  };
}

export async function startHarness(
  options: CaldavOptions = {},
  sandboxOptions: Pick<SandboxOptions, 'clock'> = {},
): Promise<Harness> {
  const sandbox = createSandbox({ seed: 3, ...sandboxOptions });
  sandbox.caldav.addMailbox({ email: ADA, name: 'Ada', timeZone: 'Europe/London' });
  sandbox.caldav.addMailbox({ email: GRACE, name: 'Grace', timeZone: 'America/New_York' });
  const listening = await sandbox.listen();
  const url = `${listening.url}/caldav/`;
  const provider = caldav({
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    clock: waitlessClock(() => sandbox.clock.now()),
    random: seededRandom(5),
    limits: { callsPerInterval: Number.POSITIVE_INFINITY, concurrency: 8 },
    ...options,
  });
  const sessionOf = async (email: string): Promise<ProviderSession> => {
    const { password } = sandbox.caldav.controls['addAppPassword']?.({ email }) as { password: string };
    return signIn(provider, { kind: 'password', serverUrl: url, username: email, password }, `acc_${email}`);
  };
  return {
    sandbox,
    url,
    provider,
    sessionOf,
    async primaryOf(email) {
      for await (const { changes } of provider.calendars.pull(await sessionOf(email), null)) {
        for (const change of changes)
          if (change.kind === 'calendar' && change.calendar.isPrimary) return change.calendar;
      }
      throw new Error(`${email} has no primary calendar`);
    },
    control: (verb, input) => sandbox.caldav.controls[verb]?.(input),
    close: () => listening.close(),
  };
}
