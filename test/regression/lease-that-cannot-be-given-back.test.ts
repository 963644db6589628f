import { StorageUnavailableError } from 'kalends/ports';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { pullLeaseName } from '../../src/mirror/index.ts';
import { syncWorld } from '../mirror/sync-world.ts';

test('work that is done is no failure because its lease could not be given back: that runs out', async () => {
  const { storage, clock, close } = await syncWorld();
  onTestFinished(close);
  const log = vi.fn();
  const leases = createHeldLeases(storage.leases, {
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
  });
  const release = vi.spyOn(storage.leases, 'release');
  release.mockRejectedValue(new StorageUnavailableError('away', undefined));
  const key = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'ada@example.com' };
  const lease = await leases.claim(pullLeaseName(key));
  expect(await leases.during(lease!, async () => 'done')).toBe('done');
  expect(release).toHaveBeenCalledOnce();
  // The log has no calendar ids: at Google they are e-mail addresses.
  expect(log.mock.calls).toEqual([
    ['lease not released', { leaseKind: 'pull', accountId: 'acc_1', error: expect.stringContaining('away') }],
  ]);
});
