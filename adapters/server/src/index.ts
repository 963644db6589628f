export { type Dev, type DevOptions, startDev } from './dev/dev-server.ts';
export type { DevConnection } from './dev/dev-state.ts';
export { API_PATH, createSite } from './site.ts';
