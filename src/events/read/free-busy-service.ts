import type { FreeBusyService } from '../../engine-interface.ts';
import { invalid, KalendsError } from '../../errors.ts';
import { type IntervalSet, overlay, type RankedSlot, type Slot } from '../../free-busy/index.ts';
import { busyTypeOf, type Mirror, type MirrorSnapshot } from '../../mirror/index.ts';
import { BUSY_TYPES, type FreeBusyQuery, type FreeBusyResult, freeBusyQuery, parseInput } from '../../model/index.ts';
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

  /** Returns the busy time of each type, or of all types as one. */
  async function busyTime(
    { key, state }: MirrorSnapshot,
    window: Slot,
    hasTypes: boolean,
  ): Promise<readonly IntervalSet[]> {
    const filters: EventFilters = { expand: true, from: window.startMs, to: window.endMs, isOverlap: true };
    const reader = createAnswerReader(storage.mirror, key, state.revision, state.timeZone);
    const yieldToEventLoop = createYieldToEventLoop(reader.lane);
    await takeTurn(reader.lane);
    const collectors = (hasTypes ? BUSY_TYPES : ['all']).map(() => createBusyCollector(yieldToEventLoop));
    const collectorOf = (record: EventRecord) => {
      // Cancelled events and masters are not in an expanded answer.
      const type = busyTypeOf(timelessContent(record));
      return type === undefined ? undefined : collectors[hasTypes ? BUSY_TYPES.indexOf(type) : 0];
    };
    for await (const groups of reader.chunks(filters)) {
      for (const group of groups) {
        const pause = yieldToEventLoop(STEPS_PER_GROUP);
        if (pause !== undefined) await pause;
        for (const record of expandedRecords(group, filters)) {
          const busy = collectorOf(record);
          const pause = busy === undefined ? yieldToEventLoop() : busy.add(within(window, record));
          if (pause !== undefined) await pause;
        }
      }
    }
    return await Promise.all(collectors.map((busy) => busy.finish()));
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
      const hasTypes = input.includeTypes === true;
      const shownSlot = ({ startMs, endMs, rank }: RankedSlot): BusySlot => ({
        start: point(startMs),
        end: point(endMs),
        ...(hasTypes ? { type: BUSY_TYPES[rank] } : {}),
      });
      const results = new Map<string, BusySlot[]>();
      const answerOne = async ({ calendarId, snapshot }: (typeof opened)[number]) => {
        const shown: BusySlot[] = [];
        const yieldToEventLoop = createYieldToEventLoop(caller.applicationId);
        let last: RankedSlot | undefined;
        for (const slot of overlay(await busyTime(snapshot, window, hasTypes))) {
          if (last !== undefined && last.endMs === slot.startMs && last.rank === slot.rank) {
            last = { ...last, endMs: slot.endMs };
          } else {
            if (last !== undefined) shown.push(shownSlot(last));
            last = slot;
          }
          const pause = yieldToEventLoop();
          if (pause !== undefined) await pause;
        }
        if (last !== undefined) shown.push(shownSlot(last));
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

function within(window: Slot, { startMs, endMs }: Slot): Slot {
  return { startMs: Math.max(startMs, window.startMs), endMs: Math.min(endMs, window.endMs) };
}
