import { expect, test } from 'vitest';
import type { SqlContext } from '../../src/context.ts';
import { checkKept } from '../../src/mirror/mirror-read.ts';

const KEY = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'cal_1' };
const rows = (...lines: readonly number[]) => lines.map((purged_below) => ({ purged_below }));

test('a read of several statements is refused when a purge passes its revision between two of them', async () => {
  // Rows carry the line, so the database is not asked.
  const unused = {} as SqlContext;
  await expect(checkKept(unused, KEY, 4, rows(0, 5))).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  await expect(checkKept(unused, KEY, 4, rows(0, 4))).resolves.toBeUndefined();
});
