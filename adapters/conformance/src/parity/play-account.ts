import type { Fetch, OAuthProvider } from 'kalends/ports';
import { openAccount, type SuiteAccount } from './open-account.ts';
import { type CaseResult, failureOf, playCases } from './play-cases.ts';
import { createRecorder } from './recording-fetch.ts';
import { createScrubber } from './scrubber.ts';
import type { Exchange, PlayedCase, Transcript } from './transcript.ts';

export interface ParityAccount extends Omit<SuiteAccount, 'provider'> {
  /** Creates the provider over a `fetch`; its addresses lead to the account's service. */
  readonly createProvider: (fetch: Fetch) => OAuthProvider;
  readonly fetch: Fetch;
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
  const { now, settle, wants = () => true, onResult } = account;
  const recordedAt = now();
  const recorder = createRecorder(account.fetch, () => now() - recordedAt);
  const provider = account.createProvider(recorder.fetch);
  const scrubber = createScrubber();
  const cases: PlayedCase[] = [];
  const keep = (name: string, failure: string | null) => {
    const exchanges: Exchange[] = recorder.take().map((raw) => scrubber.exchange(raw));
    cases.push({ name, failure, exchanges });
  };

  const { session, calendar, createWorld, close } = await openAccount({ ...account, provider });
  keep('sign in and create the calendar', null);
  try {
    await settle?.();
    await playCases(createWorld, wants, (result) => {
      keep(result.name, failureOf(result.error));
      onResult?.(result);
    });
  } finally {
    await close();
    keep('delete the calendar', null);
  }
  const email = scrubber.json(session.email, 'email');
  const shown = scrubber.json(
    { ...calendar, allowedOnlineMeetingProviders: [...calendar.allowedOnlineMeetingProviders] },
    'calendar',
  );
  return { provider: provider.name, recordedAt, account: { email, calendar: shown }, cases };
}
