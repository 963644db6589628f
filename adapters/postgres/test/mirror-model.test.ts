import { postgres } from '@kalends/postgres';
import { test } from 'vitest';
import { sizeOf } from '../../../test/size-of.ts';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';
import { checkMirrorAgainstModel } from '../../sql/test/mirror/mirror-property.ts';
import { databasePool } from './server/database-pool.ts';

test('any history of the mirror reads as a copy of every revision would', { timeout: 900_000 }, async () => {
  await checkMirrorAgainstModel(
    async () => {
      const database = await databasePool.take();
      const storage = await openWithAccount(postgres({ connectionString: database.url, listen: false }));
      return {
        ...storage,
        close: async () => {
          await storage.close();
          await databasePool.giveBack(database);
        },
      };
    },
    sizeOf('runs', { short: 15, long: 150 }),
  );
});
