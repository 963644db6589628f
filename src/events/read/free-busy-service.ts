import type { Caller, FreeBusyService } from '../../engine-interface.ts';
import { KalendsError } from '../../errors.ts';
import { type IntervalSet, overlay, type Slot } from '../../free-busy/index.ts';
import { type Mirror, noCalendar } from '../../mirror/index.ts';
import { BUSY_TYPES, type BusySlot, freeBusyQuery, parseInput } from '../../model/index.ts';
import type { Storage } from '../../ports/index.ts';
import { createFairSlots, createYieldToEventLoop, takeTurn } from '../../runtime/index.ts';
import { createBusyCollector } from './busy-collector.ts';
import { createBusyReader } from './busy-reader.ts';
import { readWindow, shownSlots } from './free-busy-slots.ts';

/** Queries worked out at a time. */
const QUERIES_AT_ONCE = 8;

export interface FreeBusyServiceDeps {
  readonly storage: Pick<Storage, 'mirror'>;
  readonly mirror: Mirror;
}

/** Busy slots of calendars, computed from the mirror. */
export function createFreeBusyService({ storage, mirror }: FreeBusyServiceDeps): Pick<FreeBusyService, 'query'> {
  const slots = createFairSlots(QUERIES_AT_ONCE);
  const reader = createBusyReader(storage.mirror);

  /** Returns the busy time of each calendar: of each type, or of all types as one; undefined for one that is gone. */
  async function busyTime(
    { applicationId }: Caller,
    accountId: string,
    calendarIds: readonly string[],
    window: Slot,
    hasTypes: boolean,
  ): Promise<readonly (readonly IntervalSet[] | undefined)[]> {
    const yieldToEventLoop = createYieldToEventLoop(applicationId);
    await takeTurn(applicationId);
    const collectors = calendarIds.map(() =>
      (hasTypes ? BUSY_TYPES : ['all']).map(() => createBusyCollector(yieldToEventLoop)),
    );
    const calendars = calendarIds.map((calendarId) => ({ accountId, calendarId }));
    const isThere = await reader.readInto(applicationId, calendars, window, (calendar, { startMs, endMs, type }) =>
      collectors[calendar]?.[hasTypes ? BUSY_TYPES.indexOf(type) : 0]?.add({
        startMs: Math.max(startMs, window.startMs),
        endMs: Math.min(endMs, window.endMs),
      }),
    );
    const sets: (readonly IntervalSet[] | undefined)[] = [];
    for (const [index, types] of collectors.entries()) {
      const merged = await Promise.all(types.map((busy) => busy.finish()));
      sets.push(isThere[index] === true ? merged : undefined);
    }
    return sets;
  }

  return {
    async query(caller, accountId, body) {
      const input = parseInput(freeBusyQuery, body);
      const { zone, window } = readWindow(input);
      const calendarIds = [...new Set(input.calendarIds)];
      const { open } = await mirror.startReading(caller.applicationId, accountId, calendarIds);
      await Promise.all(
        calendarIds.map((calendarId) =>
          open(calendarId).catch((error: unknown) => {
            throw namingCalendar(error, input.calendarIds.indexOf(calendarId));
          }),
        ),
      );
      const hasTypes = input.includeTypes === true;
      const results = new Map<string, BusySlot[]>();
      await slots.run(caller.applicationId, async () => {
        const sets = await busyTime(caller, accountId, calendarIds, window, hasTypes);
        for (const [index, calendarId] of calendarIds.entries()) {
          const busy = sets[index];
          if (busy === undefined) throw namingCalendar(noCalendar(), input.calendarIds.indexOf(calendarId));
          results.set(calendarId, await shownSlots(overlay(busy), zone, hasTypes, caller.applicationId));
        }
      });
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
