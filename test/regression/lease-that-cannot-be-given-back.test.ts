import { StorageUnavailableError } from 'kalends/ports';
import { expect, test, vi } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../mirror/sync-world.ts';

test('a pull that is done is no failure because its lease could not be given back: that runs out', async () => {
  const world = await syncWorld();
  try {
    world.fake.put(CALENDAR, fakeEvent('a'));
    const release = vi.spyOn(world.storage.leases, 'release');
    release.mockRejectedValue(new StorageUnavailableError('away', undefined));
    const page = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    expect(page.data.map(({ id }) => id)).toEqual(['a']);
    expect(release).toHaveBeenCalled();
  } finally {
    await world.close();
  }
});
