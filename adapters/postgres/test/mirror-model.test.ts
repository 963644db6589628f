import { postgres } from '@kalends/postgres';
import { afterAll, test } from 'vitest';
import { openWithAccount } from '../../sql/test/mirror-account.ts';
import { checkMirrorAgainstModel } from '../../sql/test/mirror-property.ts';
import { createDatabasePool } from './server/database-pool.ts';

const pool = createDatabasePool();
afterAll(() => pool.drop());

test('any history of the mirror reads as a copy of every revision would', { timeout: 120_000 }, async () => {
  await checkMirrorAgainstModel(async () => {
    const database = await pool.take();
    const storage = await openWithAccount(postgres({ connectionString: database.url, listen: false }));
    return {
      ...storage,
      close: async () => {
        await storage.close();
        await pool.giveBack(database);
      },
    };
  }, 25);
});
