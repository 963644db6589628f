import type { CalendarRef, Clock, Fetch, Provider, ProviderSession } from 'kalends/ports';
import { waitlessClock } from '../support/waitless-clock.ts';
import { oneCalendar } from './open-account.ts';
import { type CaseResult, playCases } from './play-cases.ts';
import { createReplay, type Replay } from './replay-fetch.ts';
import type { Transcript } from './transcript.ts';

/** A service that answers from a transcript. */
export interface ReplayedService {
  readonly fetch: Fetch;
  /** Shows the times of the recorded requests. Its waits end at once. */
  readonly clock: Clock;
  /** Time limit that the provider must set to a request: the clock tells time limits from waits by their length. */
  readonly timeoutMs: number;
}

/** Longer than any wait that a provider asks for. */
const TIMEOUT_MS = 86_400_000;

/**
 * Plays the cases of a transcript again, answered from the transcript instead of a service. A request that was not recorded, or a
 * recorded one that is not sent, fails its case.
 */
export async function replayTranscript(
  transcript: Transcript,
  createProvider: (service: ReplayedService) => Provider,
): Promise<readonly CaseResult[]> {
  let replay: Replay = createReplay([]);
  const now = () => transcript.recordedAt + replay.elapsed();
  const provider = createProvider({
    fetch: (input, init) => replay.fetch(input, init),
    clock: waitlessClock(now, () => undefined, TIMEOUT_MS),
    timeoutMs: TIMEOUT_MS,
  });
  const session = replayedSession(String(transcript.account.email));
  const calendar = transcript.account.calendar as unknown as CalendarRef;
  const results: CaseResult[] = [];
  for (const { name, exchanges } of transcript.cases) {
    // The run refreshed its token when that was due; the adapter has no part in it.
    replay = createReplay(exchanges.filter(({ operation }) => operation !== 'POST /token'));
    await playCases(
      oneCalendar({ provider, session, calendar }),
      (wanted) => wanted === name,
      ({ error }) => {
        results.push({ name, error: replay.unexpected() ?? error ?? replay.unsent() });
      },
    );
  }
  return results;
}

/** Creates a session with another token after each that was refused. */
function replayedSession(email: string): ProviderSession {
  let number = 1;
  return {
    accountId: 'replay',
    email,
    async accessToken(refused) {
      if (refused === `replayed ${number}`) number += 1;
      return `replayed ${number}`;
    },
  };
}
