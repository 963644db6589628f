import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import { openWithAccount } from '../../sql/test/mirror/mirror-account.ts';

const CALENDARS = 100;
const BATCH = 500;
const READS = 200;

/** Writes events into a SQLite file, reads pages of them, and prints the process's memory. @param events default 1,000,000 */
export async function main(events = '1000000'): Promise<void> {
  const path = join(tmpdir(), `kalends-million-${process.pid}.db`);
  const storage = await openWithAccount(sqlite({ path }));
  print('at the start');
  try {
    const perCalendar = Math.ceil(Number(events) / CALENDARS);
    for (let calendar = 0; calendar < CALENDARS; calendar += 1) {
      const key = { applicationId: 'app_1', accountId: 'acc_1', calendarId: `cal_${calendar}` };
      await storage.mirror.ensure(key, { at: 1, tag: 't', timeZone: 'UTC' });
      for (let first = 0; first < perCalendar; first += BATCH) {
        const writes = Array.from({ length: Math.min(BATCH, perCalendar - first) }, (_, index) =>
          writeOf(first + index),
        );
        await storage.mirror.commit(key, { writes, basedOn: first, at: 1, tag: 't' });
      }
      if ((calendar + 1) % 20 === 0) print(`${(calendar + 1) * perCalendar} events written`);
    }
    for (let read = 0; read < READS; read += 1) {
      const key = { applicationId: 'app_1', accountId: 'acc_1', calendarId: `cal_${read % CALENDARS}` };
      const asOf = (await storage.mirror.find(key))?.revision ?? 0;
      const page = await storage.mirror.listGroups(key, { asOf, limit: 250 });
      await storage.mirror.readGroups(key, page, asOf);
    }
    print(`${READS} pages of 250 read`);
    process.stdout.write(`file: ${Math.round(statSync(path).size / 2 ** 20)} MiB\n`);
  } finally {
    await storage.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
}

function writeOf(index: number) {
  const itemId = `event-${index}`;
  const content = {
    id: itemId,
    title: `Event ${index}`,
    description: 'What most events say of themselves. '.repeat(5),
  };
  const rangeStart = 1_600_000_000_000 + index * 3_600_000;
  return {
    ...{ itemId, groupId: itemId, content, etag: itemId, providerTag: null, mappingVersion: 1 },
    ...{ rangeStart, rangeEnd: rangeStart + 1_800_000 },
  };
}

function print(when: string): void {
  process.stdout.write(`${when.padEnd(28)} ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB\n`);
}
