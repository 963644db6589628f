export { caldav, icloud } from './caldav.ts';
export type { CaldavLimits, CaldavOptions } from './options.ts';
