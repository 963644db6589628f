import { expect, test } from 'vitest';
import { resolveSyncSettings } from '../../src/pull/sync-settings.ts';

const HOUR_MS = 3_600_000;

test('a push channel lives for nearly the week that providers allow, and a sync token for thirty days', () => {
  const { channelLifetimeMs, syncTokenLifetimeMs, reconcileEveryMs } = resolveSyncSettings();
  expect([channelLifetimeMs, syncTokenLifetimeMs, reconcileEveryMs].map((ms) => ms / HOUR_MS)).toEqual([164, 720, 24]);
});

test('a given option replaces its default, and undefined leaves it', () => {
  const settings = resolveSyncSettings({ readWaitMs: 5, pushForReads: false });
  expect(settings).toEqual({ ...resolveSyncSettings(), readWaitMs: 5, pushForReads: false });
  const given: Record<string, unknown> = { readWaitMs: undefined };
  expect(resolveSyncSettings(given)).toEqual(resolveSyncSettings());
});
