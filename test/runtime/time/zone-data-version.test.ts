import { zoneDataVersion } from 'kalends/runtime';
import { expect, test } from 'vitest';

test('the tz data says its version', () => {
  expect(zoneDataVersion()).toBe(process.versions['tz']);
  expect(zoneDataVersion()).toMatch(/^20\d\d[a-z]$/);
});
