import type { EngineOptions } from '../options.ts';

/** The resolved options of background sync and reads. Durations in milliseconds. */
export type SyncSettings = Required<NonNullable<EngineOptions['sync']>>;

const DAY_MS = 86_400_000;

const DEFAULTS: SyncSettings = {
  freshWithPushMs: 900_000,
  freshWithoutPushMs: 30_000,
  readWaitMs: 2_000,
  pollWithPushMs: 900_000,
  pollWithoutPushMs: 120_000,
  reconcileEveryMs: DAY_MS,
  pushForReads: true,
  syncTokenLifetimeMs: 30 * DAY_MS,
  channelLifetimeMs: 6 * DAY_MS + 20 * 3_600_000,
};

/** Returns the options with their defaults. */
export function resolveSyncSettings(options: EngineOptions['sync'] = {}): SyncSettings {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}
