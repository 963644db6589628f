import type { CalendarRef, Fetch, Provider } from 'kalends/ports';
import { oneCalendar } from './play-account.ts';
import { type CaseResult, playCases } from './play-cases.ts';
import { createReplay, type Replay } from './replay-fetch.ts';
import type { Transcript } from './transcript.ts';

/**
 * Plays the cases of a transcript again, answered from the transcript instead of a service. A request that was not recorded, or a
 * recorded one that is not sent, fails its case.
 * @param createProvider creates the provider over the replaying `fetch`, with a clock at `recordedAt` whose waits end at once
 */
export async function replayTranscript(
  transcript: Transcript,
  createProvider: (fetch: Fetch) => Provider,
): Promise<readonly CaseResult[]> {
  let replay: Replay = createReplay([]);
  const provider = createProvider((input, init) => replay.fetch(input, init));
  const session = {
    accountId: 'replay',
    email: String(transcript.account.email),
    accessToken: async () => 'replayed',
  };
  const calendar = transcript.account.calendar as unknown as CalendarRef;
  const results: CaseResult[] = [];
  for (const { name, exchanges } of transcript.cases) {
    replay = createReplay(exchanges);
    await playCases(
      oneCalendar({ provider, session, calendar }),
      (wanted) => wanted === name,
      ({ error }) => {
        results.push({ name, error: replay.problem() ?? error });
      },
    );
  }
  return results;
}
