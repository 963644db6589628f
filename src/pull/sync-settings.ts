import type { EngineOptions } from '../options.ts';
import type { Provider } from '../ports/index.ts';

type SyncOptions = NonNullable<EngineOptions['sync']>;

/** The resolved options of background sync and reads. Durations in milliseconds. */
export type SyncSettings = Required<Omit<SyncOptions, 'maxPushStalenessMs'>> & Pick<SyncOptions, 'maxPushStalenessMs'>;

const DAY_MS = 86_400_000;

/** Longest interval of polls behind a channel, for each call that a poll takes. */
const LONGEST_POLL_MS = DAY_MS / 4;

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

/** Returns the longest interval of polls behind a live channel. It never undercuts the shortest. */
export function longestPollMs(
  { pollWithPushMs, maxPushStalenessMs }: SyncSettings,
  { events }: Pick<Provider, 'events'>,
): number {
  return Math.max(pollWithPushMs, maxPushStalenessMs ?? LONGEST_POLL_MS * (events.callsPerPull ?? 1));
}
