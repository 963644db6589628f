import type { FreeBusyService } from '../../engine-interface.ts';
import { invalid, KalendsError } from '../../errors.ts';
import type { IntervalSet, Slot } from '../../free-busy/index.ts';
import type { Mirror, MirrorSnapshot } from '../../mirror/index.ts';
import { type FreeBusyQuery, type FreeBusyResult, freeBusyQuery, parseInput } from '../../model/index.ts';
import type { Storage } from '../../ports/index.ts';
import { createFairSlots, createYieldToEventLoop, inParallel, takeTurn } from '../../runtime/index.ts';
import { DAY_MS, formatInstant } from '../../zones/index.ts';
import { queryInstant, requireZone } from '../times/input-time.ts';
import { createAnswerReader } from './answer-reader.ts';
import { createBusyCollector } from './busy-collector.ts';
import type { EventFilters } from './event-filters.ts';
import { type EventRecord, expandedRecords, timelessContent } from './group-records.ts';

const MAX_WINDOW_MS = 366 * DAY_MS;
/** Cost of reading a group before its first record, in steps. */
const STEPS_PER_GROUP = 20;
/** Queries worked out at a time. */
const QUERIES_AT_ONCE = 8;

type BusySlot = FreeBusyResult[number]['busySlots'][number];

export interface FreeBusyServiceDeps {
  readonly storage: Pick<Storage, 'mirror'>;
  readonly mirror: Mirror;
}

/** Busy slots of calendars, computed from the mirror. */
export function createFreeBusyService({ storage, mirror }: FreeBusyServiceDeps): FreeBusyService {
  const slots = createFairSlots(QUERIES_AT_ONCE);

  async function busySlots({ key, state }: MirrorSnapshot, window: Slot): Promise<IntervalSet> {
    const filters: EventFilters = { expand: true, from: window.startMs, to: window.endMs, isOverlap: true };
    const reader = createAnswerReader(storage.mirror, key, state.revision, state.timeZone);
    const yieldToEventLoop = createYieldToEventLoop(reader.lane);
    await takeTurn(reader.lane);
    const busy = createBusyCollector(yieldToEventLoop);
    for await (const groups of reader.chunks(filters)) {
      for (const group of groups) {
        const pause = yieldToEventLoop(STEPS_PER_GROUP);
        if (pause !== undefined) await pause;
        for (const record of expandedRecords(group, filters)) {
          const pause = isBusy(record) ? busy.add(within(window, record)) : yieldToEventLoop();
          if (pause !== undefined) await pause;
        }
      }
    }
    return await busy.finish();
  }

  return {
    async query(caller, accountId, body) {
      const input = parseInput(freeBusyQuery, body);
      const { zone, window } = readWindow(input);
      const calendarIds = [...new Set(input.calendarIds)];
      const { open } = await mirror.startReading(caller.applicationId, accountId, calendarIds);
      const opened = await Promise.all(
        calendarIds.map(async (calendarId) => ({
          calendarId,
          snapshot: await open(calendarId).catch((error: unknown) => {
            throw namingCalendar(error, input.calendarIds.indexOf(calendarId));
          }),
        })),
      );
      const point = (ms: number) => ({ dateTime: formatBound(zone, ms), timeZone: zone });
      const results = new Map<string, BusySlot[]>();
      const answerOne = async ({ calendarId, snapshot }: (typeof opened)[number]) => {
        const shown: BusySlot[] = [];
        const yieldToEventLoop = createYieldToEventLoop(caller.applicationId);
        for (const { startMs, endMs } of await busySlots(snapshot, window)) {
          shown.push({ start: point(startMs), end: point(endMs) });
          const pause = yieldToEventLoop();
          if (pause !== undefined) await pause;
        }
        results.set(calendarId, shown);
      };
      await slots.run(caller.applicationId, () => inParallel(opened, answerOne));
      return input.calendarIds.map((calendarId) => ({ calendarId, busySlots: results.get(calendarId) ?? [] }));
    },
  };
}

/** The error of one calendar among several; which of them is unknown stands in its details. */
function namingCalendar(error: unknown, index: number): unknown {
  if (!KalendsError.isInstance(error) || error.code !== 'NotFound') return error;
  const { message } = error;
  return new KalendsError('NotFound', message, { details: [{ path: `calendarIds.${index}`, message }], cause: error });
}

function readWindow({ startDateTime, endDateTime, timeZone }: FreeBusyQuery): {
  readonly zone: string;
  readonly window: Slot;
} {
  const zone = requireZone('timeZone', timeZone);
  const startMs = queryInstant('startDateTime', startDateTime, zone, 'up');
  const endMs = queryInstant('endDateTime', endDateTime, zone, 'down');
  if (endMs <= startMs) throw invalid('endDateTime', 'must be after startDateTime');
  if (endMs - startMs > MAX_WINDOW_MS) throw invalid('endDateTime', 'must be at most 366 days after startDateTime');
  return { zone, window: { startMs, endMs } };
}

/** Formats the bound of a slot, with the milliseconds that it has where the window cuts it. */
function formatBound(zone: string, ms: number): string {
  const text = formatInstant(zone, ms);
  const fraction = ((ms % 1000) + 1000) % 1000;
  if (fraction === 0) return text;
  const seconds = 'YYYY-MM-DDTHH:MM:SS'.length;
  return `${text.slice(0, seconds)}.${String(fraction).padStart(3, '0')}${text.slice(seconds)}`;
}

/** Opaque and not declined; cancelled ones and masters are not in an expanded answer. */
function isBusy(record: EventRecord): boolean {
  const { transparency, myResponseStatus } = timelessContent(record);
  return transparency === 'opaque' && myResponseStatus !== 'declined';
}

function within(window: Slot, { startMs, endMs }: Slot): Slot {
  return { startMs: Math.max(startMs, window.startMs), endMs: Math.min(endMs, window.endMs) };
}
