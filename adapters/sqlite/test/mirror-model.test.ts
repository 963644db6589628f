import { sqlite } from '@kalends/sqlite';
import { test } from 'vitest';
import { sizeOf } from '../../../test/size-of.ts';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';
import { checkMirrorAgainstModel } from '../../sql/test/mirror/mirror-property.ts';

test('any history of the mirror reads as a copy of every revision would', async () => {
  await checkMirrorAgainstModel(
    () => openWithAccount(sqlite({ path: ':memory:' })),
    sizeOf('runs', { short: 60, long: 600 }),
  );
});
