export { type ManualClock, manualClock } from './manual-clock.ts';
export { seededRandom } from './seeded-random.ts';
export { storageConformance } from './storage-conformance.ts';
export type { ConformanceTest, StorageConformanceOptions } from './storage-world.ts';
