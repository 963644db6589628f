import { StorageUnavailableError } from 'kalends/ports';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
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
  const lease = await leases.claim('work');
  expect(await leases.during(lease!, async () => 'done')).toBe('done');
  expect(release).toHaveBeenCalledOnce();
});
