export { createPulls, type Pulls } from './create-pulls.ts';
export { retryAfterOf } from './poll-plan.ts';
export { resolveSyncSettings, type SyncSettings } from './sync-settings.ts';
