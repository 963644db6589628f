export { GENERATED_FIELDS, type GeneratedField, generatedEvent } from './generated-events.ts';
export { type ManualClock, manualClock } from './manual-clock.ts';
export { providerConformance } from './provider-conformance.ts';
export type { ProviderConformanceOptions, ProviderWorld } from './provider-world.ts';
export { seededRandom } from './seeded-random.ts';
export { storageConformance } from './storage-conformance.ts';
export type { ConformanceTest, StorageConformanceOptions } from './storage-world.ts';
export { waitlessClock } from './waitless-clock.ts';
