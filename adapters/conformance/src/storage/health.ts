import assert from 'node:assert/strict';
import { SECRET_NOTICE_MS } from 'kalends/ports';
import { CLIENT } from './data-keys.ts';
import { channelRow, inWorld, race, type StorageConformanceOptions } from './world.ts';

/** HealthStore. */
export function healthConformance(options: StorageConformanceOptions): void {
  inWorld(options, 'health: a storage that was opened is migrated', async ({ storage }) => {
    const state = { isMigrated: true, hasLaterMigrations: false, zoneData: null, fault: null };
    assert.deepEqual(await storage.health.inspect(), state);
  });

  inWorld(
    options,
    'health: a storage that was opened has every migration, and opening again applies none',
    async (world) => {
      const { storage } = world;
      const { applied, missing } = await storage.health.schema();
      assert.ok(applied.length > 0);
      assert.equal(new Set(applied).size, applied.length);
      assert.deepEqual(missing, []);
      await storage.open();
      assert.deepEqual(await storage.health.schema(), { applied, missing });
      assert.deepEqual(await storage.health.migrationSql(), []);
    },
  );

  inWorld(options, 'health: of processes that start together one says which tz data to have', async (world) => {
    const { storage, peer } = world;
    let versions = 0;
    await race(world, 8, (each) => each.health.setZoneData(`2026${'abcdefgh'[versions++]}`, { ifNone: true }));
    const first = (await storage.health.inspect()).zoneData;
    assert.match(first ?? '', /^2026[a-h]$/);
    assert.equal((await peer.health.inspect()).zoneData, first);
    await storage.health.setZoneData('2027a');
    await peer.health.setZoneData('2027b', { ifNone: true });
    assert.equal((await peer.health.inspect()).zoneData, '2027a');
  });

  inWorld(options, 'health: counts what is due by now, and tells since when', async ({ storage, clock, key }) => {
    const now = (await storage.health.stats()).now;
    assert.deepEqual(await storage.health.stats(), {
      now,
      dueCollections: 0,
      oldestDueAt: null,
      dueDeliveries: 0,
      oldestDeliveryDueAt: null,
      overdueRenewals: 0,
      oldestRenewalDueAt: null,
      unreadableObjects: 0,
      expiringClientSecrets: 0,
    });
    await storage.schedule.dueBy(key, now + 10);
    await storage.schedule.dueBy({ ...key, calendarId: 'cal_2' }, now + 20);
    await storage.schedule.dueBy({ ...key, calendarId: 'cal_3' }, now + 21);
    await storage.channels.insert(channelRow({ id: 'chn_1', renewAt: now + 5 }));
    await clock.advance(20);
    const stats = await storage.health.stats();
    assert.equal(stats.now, now + 20);
    assert.deepEqual([stats.dueCollections, stats.oldestDueAt], [2, now + 10]);
    assert.deepEqual([stats.overdueRenewals, stats.oldestRenewalDueAt], [1, now + 5]);
    assert.deepEqual([stats.dueDeliveries, stats.oldestDeliveryDueAt], [0, null]);
  });

  inWorld(options, 'health: counts the client secrets that end within 30 days', async ({ storage, clock }) => {
    const { now } = await storage.health.stats();
    const count = async () => (await storage.health.stats()).expiringClientSecrets;
    const ends = { past: now - 1, soon: now + SECRET_NOTICE_MS, later: now + SECRET_NOTICE_MS + 1, unknown: null };
    for (const [id, secretExpiresAt] of Object.entries(ends)) {
      await storage.providerConfigs.put({ ...CLIENT, id, providerType: id.toUpperCase(), secretExpiresAt });
    }
    assert.equal(await count(), 2);
    await clock.advance(1);
    assert.equal(await count(), 3);
  });

  inWorld(
    options,
    'health: a storage that answers is reached, and its diagnosis changes nothing',
    async ({ storage, peer }) => {
      const before = [await storage.health.schema(), await storage.health.inspect()];
      await storage.health.reach();
      const findings = await storage.health.diagnose(new AbortController().signal);
      for (const { check, status, message, remedy } of findings) {
        assert.match(check, /^[a-z][A-Za-z]+$/);
        assert.notEqual(message, '');
        assert.equal(remedy === null, status === 'ok' || status === 'skipped', `${check}: ${status}, ${remedy}`);
        assert.notEqual(status, 'failed', message);
      }
      assert.equal(new Set(findings.map(({ check }) => check)).size, findings.length);
      assert.deepEqual([await peer.health.schema(), await peer.health.inspect()], before);
    },
  );
}
