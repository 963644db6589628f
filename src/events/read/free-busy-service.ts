import type { FreeBusyService } from '../../engine-interface.ts';
import { KalendsError } from '../../errors.ts';
import { type IntervalSet, overlay, type Slot } from '../../free-busy/index.ts';
import { busyTypeOf, type Mirror, type MirrorSnapshot } from '../../mirror/index.ts';
import { BUSY_TYPES, type BusySlot, freeBusyQuery, parseInput } from '../../model/index.ts';
import type { Storage } from '../../ports/index.ts';
import { createFairSlots, createYieldToEventLoop, inParallel, takeTurn } from '../../runtime/index.ts';
import { createAnswerReader } from './answer-reader.ts';
import { createBusyCollector } from './busy-collector.ts';
import type { EventFilters } from './event-filters.ts';
import { readWindow, shownSlots } from './free-busy-slots.ts';
import { type EventRecord, expandedRecords, timelessContent } from './group-records.ts';

/** Cost of reading a group before its first record, in steps. */
const STEPS_PER_GROUP = 20;
/** Queries worked out at a time. */
const QUERIES_AT_ONCE = 8;

export interface FreeBusyServiceDeps {
  readonly storage: Pick<Storage, 'mirror'>;
  readonly mirror: Mirror;
}

/** Busy slots of calendars, computed from the mirror. */
export function createFreeBusyService({ storage, mirror }: FreeBusyServiceDeps): Pick<FreeBusyService, 'query'> {
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
      const hasTypes = input.includeTypes === true;
      const results = new Map<string, BusySlot[]>();
      const answerOne = async ({ calendarId, snapshot }: (typeof opened)[number]) => {
        const slotsOfCalendar = overlay(await busyTime(snapshot, window, hasTypes));
        results.set(calendarId, await shownSlots(slotsOfCalendar, zone, hasTypes, caller.applicationId));
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

function within(window: Slot, { startMs, endMs }: Slot): Slot {
  return { startMs: Math.max(startMs, window.startMs), endMs: Math.min(endMs, window.endMs) };
}
