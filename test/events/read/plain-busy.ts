import type { Storage } from 'kalends/ports';
import { createAnswerReader } from '../../../src/events/read/answer-reader.ts';
import { expandedRecords, timelessContent } from '../../../src/events/read/group-records.ts';
import { type IntervalSet, normalize, type Slot } from '../../../src/free-busy/index.ts';
import { busyTypeOf } from '../../../src/mirror/index.ts';
import { ACCOUNT, CALLER } from '../../mirror/sync-world.ts';

/** The slow way to busy time: every event of the window is read whole, and expanded. */
export async function plainBusyTime(storage: Storage, calendarId: string, window: Slot): Promise<IntervalSet> {
  const key = { ...CALLER, accountId: ACCOUNT, calendarId };
  const { revision = 0, timeZone = 'UTC' } = (await storage.mirror.find(key)) ?? {};
  const filters = { expand: true, from: window.startMs, to: window.endMs, isOverlap: true } as const;
  const found: Slot[] = [];
  for await (const groups of createAnswerReader(storage.mirror, key, revision, timeZone).chunks(filters)) {
    for (const record of groups.flatMap((group) => [...expandedRecords(group, filters)])) {
      if (busyTypeOf(timelessContent(record)) === undefined) continue;
      found.push({
        startMs: Math.max(record.startMs, window.startMs),
        endMs: Math.min(record.endMs, window.endMs),
      });
    }
  }
  return normalize(found);
}
