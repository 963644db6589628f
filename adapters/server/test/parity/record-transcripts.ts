import { writeFileSync } from 'node:fs';
import { playAccount, printTranscript, type Transcript } from '@kalends/conformance';
import { LIVE_VALIDATION } from '@kalends/sandbox';
import { PROVIDER_NAMES, type ProviderName } from '../../src/parity/provider-at.ts';
import { sandboxAccount } from '../../src/parity/sandbox-account.ts';

/** Beginnings of the names of the recorded cases: deletions, series, recent changes, composed texts. */
const RECORDED = [
  'delete: what is gone',
  'pull: several changes at once',
  'occurrences: a changed one can be cancelled',
  'meetings: a provider that the calendar allows',
];

/** Time of the recordings. */
export const START_AT = Date.UTC(2026, 1, 2, 9);

export const transcriptFile = (name: ProviderName) => new URL(`transcripts/${name}.json`, import.meta.url);

/** Plays cases against a sandbox of its own. The same cases give the same transcript. */
export function recordSandbox(name: ProviderName, wants: (name: string) => boolean = isRecorded): Promise<Transcript> {
  return playAccount({ ...sandboxAccount(name, START_AT), wants });
}

/** Returns the operations of a transcript, sorted. */
export function operationsOf({ cases }: Transcript): readonly string[] {
  return [...new Set(cases.flatMap(({ exchanges }) => exchanges.map(({ operation }) => operation)))].sort();
}

/** Returns the operations of the table of live validations, sorted. */
export function validatedOperations(name: ProviderName): readonly string[] {
  return LIVE_VALIDATION.filter(({ provider }) => provider === name)
    .map(({ operation }) => operation)
    .sort();
}

const isRecorded = (name: string) => RECORDED.some((beginning) => name.startsWith(beginning));

/** Records the transcripts of `transcripts/` anew: `npm run prove -- transcripts`. */
export async function main(): Promise<void> {
  for (const name of PROVIDER_NAMES) writeFileSync(transcriptFile(name), printTranscript(await recordSandbox(name)));
}
