export { type ManualClock, manualClock } from './manual-clock.ts';
export { seededRandom } from './seeded-random.ts';
