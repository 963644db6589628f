import {
  type CaseResult,
  compareTranscripts,
  type Difference,
  type ParityAccount,
  playAccount,
  type Transcript,
} from '@kalends/conformance';
import type { ProviderName } from './provider-at.ts';
import { sandboxAccount } from './sandbox-account.ts';

export interface ParityRun {
  readonly transcript: Transcript;
  readonly differences: readonly Difference[];
}

/** Plays the suite against an account and then against the sandbox, and compares them. */
export async function runParity(
  name: ProviderName,
  account: ParityAccount,
  wants: (name: string) => boolean,
  onResult: (result: CaseResult) => void,
): Promise<ParityRun> {
  const transcript = await playAccount({ ...account, wants, onResult });
  const sandbox = await playAccount({ ...sandboxAccount(name, transcript.recordedAt), wants });
  return { transcript, differences: compareTranscripts(transcript, sandbox) };
}
