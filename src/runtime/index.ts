export { createId, type IdPrefix, randomHex, randomText } from './ids.ts';
export { systemClock } from './system-clock.ts';
export { systemRandom } from './system-random.ts';
