export {
  type KeyringConformanceOptions,
  type KeyringOutage,
  type KeyringWorld,
  keyringConformance,
} from './keyring/conformance.ts';
export { compareTranscripts, type Difference } from './parity/compare-transcripts.ts';
export { describeDifferences } from './parity/describe-differences.ts';
export { type OpenAccount, openAccount, type SuiteAccount } from './parity/open-account.ts';
export { type ParityAccount, playAccount } from './parity/play-account.ts';
export { type CaseResult, caseNames } from './parity/play-cases.ts';
export { printTranscript } from './parity/print-transcript.ts';
export { type ReplayedService, replayTranscript } from './parity/replay-transcript.ts';
export type { Exchange, Json, PlayedCase, Transcript } from './parity/transcript.ts';
export { providerConformance } from './provider/conformance.ts';
export { GENERATED_FIELDS, type GeneratedField, generatedEvent } from './provider/generated-events.ts';
export type { ProviderConformanceOptions, ProviderWorld } from './provider/world.ts';
export { storageConformance } from './storage/conformance.ts';
export type { ConformanceContext, ConformanceTest, StorageConformanceOptions } from './storage/world.ts';
export { type CorruptingFetch, corruptingFetch } from './support/corrupting-fetch.ts';
export { type ManualClock, manualClock } from './support/manual-clock.ts';
export { seededRandom } from './support/seeded-random.ts';
export { waitlessClock } from './support/waitless-clock.ts';
