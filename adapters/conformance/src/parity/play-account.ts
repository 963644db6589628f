import type { CalendarRef, Fetch, Provider, ProviderClient, ProviderSession } from 'kalends/ports';
import type { ProviderWorld } from '../provider-world.ts';
import { type CaseResult, failureOf, playCases } from './play-cases.ts';
import { createRecorder } from './recording-fetch.ts';
import { createScrubber } from './scrubber.ts';
import type { Exchange, PlayedCase, Transcript } from './transcript.ts';

export interface ParityAccount {
  /** Creates the provider over a `fetch`; its addresses lead to the account's service. */
  readonly createProvider: (fetch: Fetch) => Provider;
  readonly fetch: Fetch;
  readonly client: ProviderClient;
  readonly refreshToken: string;
  /** Time of the account's service. */
  readonly now: () => number;
  /** Resolves when earlier writes can be read. @default at once */
  readonly settle?: () => Promise<void>;
  /** Selects cases by name. @default all */
  readonly wants?: (name: string) => boolean;
  /** Called after each case, with the error as it was thrown. */
  readonly onResult?: (result: CaseResult) => void;
}

/**
 * Plays the provider suite against an account, in a calendar that is created for it and deleted at the end, and returns the
 * redacted transcript. A failed case is part of the transcript.
 * @throws ProviderError when the account cannot be used at all
 */
export async function playAccount(account: ParityAccount): Promise<Transcript> {
  const { client, now, settle, wants = () => true, onResult } = account;
  const recorder = createRecorder(account.fetch);
  const provider = account.createProvider(recorder.fetch);
  const scrubber = createScrubber();
  const cases: PlayedCase[] = [];
  const recordedAt = now();
  const keep = (name: string, failure: string | null) => {
    const exchanges: Exchange[] = recorder.take().map((raw) => scrubber.exchange(raw));
    cases.push({ name, failure, exchanges });
  };

  const session = await connect(provider, client, account.refreshToken, now);
  const calendar = await provider.calendars.create(session, { name: 'kalends parity', timeZone: 'Europe/London' });
  keep(SIGN_IN, null);
  try {
    await settle?.();
    await playCases(oneCalendar({ provider, session, calendar, ...(settle && { settle }) }), wants, (result) => {
      keep(result.name, failureOf(result.error));
      onResult?.(result);
    });
  } finally {
    await provider.calendars.delete(session, calendar.id);
    keep('delete the calendar', null);
  }
  const email = scrubber.json(session.email, 'email');
  const shown = scrubber.json(
    { ...calendar, allowedOnlineMeetingProviders: [...calendar.allowedOnlineMeetingProviders] },
    'calendar',
  );
  return { provider: provider.name, recordedAt, account: { email, calendar: shown }, cases };
}

/** Name of the case that holds the requests before the first one. */
export const SIGN_IN = 'sign in and create the calendar';

type Place = Pick<ProviderWorld, 'provider' | 'session' | 'settle'> & { readonly calendar: CalendarRef };

/** Returns a `createWorld` that empties one calendar for each case: providers refuse a hundred new calendars in a row. */
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
async function connect(
  provider: Provider,
  client: ProviderClient,
  firstRefreshToken: string,
  now: () => number,
): Promise<ProviderSession> {
  let refreshToken = firstRefreshToken;
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
