export type { Dev, DevOptions } from './dev/dev-server.ts';
export type { DevConnection } from './dev/dev-state.ts';
export { startDev } from './dev/start-dev.ts';
export { API_PATH, createSite } from './site.ts';
