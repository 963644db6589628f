import { waitlessClock } from '@kalends/conformance';
import { createSandbox, type Listening, type Sandbox } from '@kalends/sandbox';
import type { CalendarRef, EventChange, EventPage, OAuthProvider, ProviderEvent, ProviderSession } from 'kalends/ports';
import { type MicrosoftOptions, microsoft, microsoftEndpoints } from '../src/index.ts';

export const START = Date.UTC(2026, 0, 5, 12);
export const CLIENT = { clientId: 'app-1', clientSecret: 'secret-1', settings: {} };
export const REDIRECT = 'http://app.test/callback';
export const ADA = 'ada@contoso.test';
export const BEN = 'ben@contoso.test';

export interface Harness {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly provider: OAuthProvider;
  /** Waits that were asked for, in milliseconds; none of them takes real time. */
  readonly waits: number[];
  session(email: string): Promise<ProviderSession>;
  primary(email: string): Promise<CalendarRef>;
  /** A call of the sandbox's Graph as that person, past the adapter. */
  // biome-ignore lint/suspicious/noExplicitAny: wire JSON under test
  graph(email: string, method: string, path: string, body?: unknown): Promise<any>;
  control(name: string, input?: Readonly<Record<string, unknown>>): unknown;
  /** Another provider over the same sandbox. */
  providerWith(options: MicrosoftOptions): OAuthProvider;
  close(): Promise<void>;
}

/** The body of an event of an hour from nine, in UTC, as a person's program sends it to Graph. */
export const graphEvent = (subject: string, start: string, more: object = {}) => ({
  subject,
  start: { dateTime: start, timeZone: 'UTC' },
  end: { dateTime: start.replace('T09', 'T10'), timeZone: 'UTC' },
  ...more,
});

/** A sandbox over HTTP with two mailboxes, and the provider under test before it. Chance oddities are off. */
export async function createHarness(options: MicrosoftOptions & { readonly odd?: boolean } = {}): Promise<Harness> {
  const { odd = false, ...providerOptions } = options;
  const sandbox = createSandbox({ seed: 11 });
  sandbox.clock.freeze(START);
  const { microsoft: server } = sandbox;
  server.addClient({ clientId: CLIENT.clientId, clientSecret: CLIENT.clientSecret, redirectUris: [REDIRECT] });
  server.addMailbox({ email: ADA, name: 'Ada', timeZone: 'America/New_York' });
  server.addMailbox({ email: BEN, name: 'Ben', timeZone: 'Europe/Berlin' });
  if (!odd) {
    await control('setExtraChangeKeys', { share: 0 });
    await control('setDeltaUnreliability', {
      missedOccurrenceDeletions: 0,
      repeatedDeltaEntities: 0,
      omittedDeltaMasters: 0,
    });
  }
  const listening: Listening = await sandbox.listen();
  const waits: number[] = [];
  const endpoints = microsoftEndpoints(`${listening.url}/microsoft`);
  const clock = waitlessClock(
    () => sandbox.clock.now(),
    (ms) => {
      waits.push(ms);
      sandbox.clock.advance(ms);
    },
  );
  const providerWith = (more: MicrosoftOptions): OAuthProvider => microsoft({ ...endpoints, clock, ...more });
  const provider = providerWith(providerOptions);
  const sessions = new Map<string, ProviderSession>();

  function control(name: string, input: Readonly<Record<string, unknown>> = {}): unknown {
    const run = server.controls[name];
    if (run === undefined) throw new RangeError(`no control ${name}`);
    return run(input);
  }

  async function session(email: string): Promise<ProviderSession> {
    const known = sessions.get(email);
    if (known !== undefined) return known;
    let refreshToken = server.issueRefreshToken({ email, clientId: CLIENT.clientId });
    let current: string | undefined;
    const made: ProviderSession = {
      accountId: `acc_${email}`,
      email,
      async accessToken(refused) {
        if (current === undefined || current === refused) {
          const grant = await provider.authorization.refresh({ client: CLIENT, refreshToken });
          refreshToken = grant.refreshToken ?? refreshToken;
          current = grant.accessToken;
        }
        return current;
      },
    };
    sessions.set(email, made);
    return made;
  }

  return {
    sandbox,
    url: listening.url,
    provider,
    waits,
    session,
    control,
    providerWith,
    async primary(email) {
      for await (const page of provider.calendars.pull(await session(email), null)) {
        for (const change of page.changes) {
          if (change.kind === 'calendar' && change.calendar.isPrimary) return change.calendar;
        }
      }
      throw new Error(`${email} has no primary calendar`);
    },
    async graph(email, method, path, body) {
      const token = await sandbox.accessToken({ provider: 'microsoft', email });
      const response = await fetch(`${listening.url}/microsoft/v1.0/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          prefer: 'IdType="ImmutableId"',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    close: () => sandbox.close(),
  };
}

/** All pages of a pull. */
export async function collect(pages: AsyncIterable<EventPage>): Promise<{
  readonly changes: readonly EventChange[];
  readonly full: boolean;
  readonly token: string;
}> {
  const changes: EventChange[] = [];
  let full = false;
  let token = '';
  for await (const page of pages) {
    changes.push(...page.changes);
    full = page.full;
    token = page.nextToken ?? token;
  }
  return { changes, full, token };
}

/** The one event of an answer. */
export function onlyEvent(changes: readonly EventChange[]): ProviderEvent {
  const [change] = changes;
  if (changes.length === 1 && change?.kind === 'event') return change.event;
  if (changes.length === 1 && change?.kind === 'series') return change.master;
  throw new Error(`expected one event, got ${JSON.stringify(changes)}`);
}

/** The one series of an answer. */
export function onlySeries(changes: readonly EventChange[]): Extract<EventChange, { readonly kind: 'series' }> {
  const [change] = changes;
  if (changes.length !== 1 || change?.kind !== 'series') {
    throw new Error(`expected one series, got ${JSON.stringify(changes)}`);
  }
  return change;
}

let requests = 0;

/** Another request id. */
export function nextRequestId(): string {
  requests += 1;
  return requests.toString(16).padStart(32, '0');
}
