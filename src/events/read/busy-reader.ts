import type { Slot } from '../../free-busy/index.ts';
import { type BusyForm, busyForm, compiledMasters, type EventTimes, type MasterSeries } from '../../mirror/index.ts';
import type { BusyType } from '../../model/index.ts';
import type { BusyItem, MirrorStore } from '../../ports/index.ts';
import type { Occurrence } from '../../recurrence/index.ts';
import { createYieldToEventLoop, takeTurn, type YieldToEventLoop } from '../../runtime/index.ts';
import { DAY_MS } from '../../zones/index.ts';
import { overriddenStarts } from './event-group.ts';
import { instantsOf, slotRange } from './group-records.ts';
import { slotPages } from './window-slots.ts';

/** Items of one statement: a few milliseconds of a synchronous database. */
const MOST_ITEMS = 10_000;
/** Calendars of one statement. */
const MOST_CALENDARS = 256;
/** A window is not halved below this. */
const LEAST_WINDOW_MS = 3_600_000;
/** A range is checked and copied in some ten nanoseconds. */
const RANGES_PER_STEP = 20;
/** Cost of reading the rule of a series, in steps. */
const STEPS_PER_SERIES = 20;

/** Time in which an event makes an account busy. */
export interface BusySpan extends Slot {
  readonly type: BusyType;
  readonly isAllDay: boolean;
}

/** A calendar to read. */
export interface BusyCalendar {
  readonly accountId: string;
  readonly calendarId: string;
}

export interface BusyReader {
  /**
   * Returns the busy time of calendars that meets the window, in any order, in the order of the calendars. One statement reads all
   * of them, several if there is much; then a span may come twice. Undefined for a calendar that is not there.
   */
  read(
    applicationId: string,
    calendars: readonly BusyCalendar[],
    window: Slot,
  ): Promise<readonly (readonly BusySpan[] | undefined)[]>;
  /** Gives the same to `add`, span by span. Returns of each calendar whether it is there. */
  readInto(
    applicationId: string,
    calendars: readonly BusyCalendar[],
    window: Slot,
    add: AddSpan,
  ): Promise<readonly boolean[]>;
}

/** Takes a span of a calendar, by its index; returns what to wait for before the next, if anything. */
export type AddSpan = (calendar: number, span: BusySpan) => Promise<void> | undefined;

/** Reads busy time without the contents of events, from what lies beside them; of now, not of a revision. */
export function createBusyReader(mirror: Pick<MirrorStore, 'readBusy'>, most = MOST_ITEMS): BusyReader {
  async function readPart(
    applicationId: string,
    calendars: readonly BusyCalendar[],
    window: Slot,
    add: AddSpan,
  ): Promise<readonly boolean[]> {
    if (calendars.length > MOST_CALENDARS) return await halved(applicationId, calendars, window, add);
    const length = window.endMs - window.startMs;
    const canSplit = calendars.length > 1 || length > LEAST_WINDOW_MS;
    const { timeZones, ranges, items, isCut } = await mirror.readBusy({
      applicationId,
      calendars,
      // Ranges are stored with some slack for zones, and asked for with a day of it.
      from: window.startMs - DAY_MS,
      to: window.endMs + DAY_MS,
      limit: canSplit ? most : Number.MAX_SAFE_INTEGER - 1,
    });
    if (isCut) return await halved(applicationId, calendars, window, add);
    const yieldToEventLoop = createYieldToEventLoop(applicationId);
    for (const { calendar, busy, bounds } of ranges) {
      const { type } = busyForm(busy);
      if (type !== undefined) await addRanges(calendar, bounds, type, window, add);
      const pause = yieldToEventLoop(bounds.length / RANGES_PER_STEP);
      if (pause !== undefined) await pause;
    }
    await collect(items, timeZones, window, add, yieldToEventLoop);
    return timeZones.map((zone) => zone !== undefined);
  }

  /** Reads in two halves: of the calendars, or of the time. */
  async function halved(applicationId: string, calendars: readonly BusyCalendar[], window: Slot, add: AddSpan) {
    await takeTurn(applicationId);
    if (calendars.length > 1) {
      const middle = Math.ceil(calendars.length / 2);
      const first = await readPart(applicationId, calendars.slice(0, middle), window, add);
      const addLater: AddSpan = (calendar, span) => add(calendar + middle, span);
      return [...first, ...(await readPart(applicationId, calendars.slice(middle), window, addLater))];
    }
    const middleMs = Math.floor((window.startMs + window.endMs) / 2);
    const [first] = await readPart(applicationId, calendars, { startMs: window.startMs, endMs: middleMs }, add);
    const [second] = await readPart(applicationId, calendars, { startMs: middleMs, endMs: window.endMs }, add);
    return [first === true && second === true];
  }

  return {
    async read(applicationId, calendars, window) {
      const spans: BusySpan[][] = calendars.map(() => []);
      const isThere = await readPart(applicationId, calendars, window, (calendar, span) => {
        spans[calendar]?.push(span);
        return undefined;
      });
      return spans.map((found, index) => (isThere[index] === true ? found : undefined));
    },
    readInto: readPart,
  };
}

/** Adds those ranges that meet the window. */
async function addRanges(
  calendar: number,
  bounds: readonly number[],
  type: BusyType,
  window: Slot,
  add: AddSpan,
): Promise<void> {
  for (let index = 0; index < bounds.length; index += 2) {
    const startMs = bounds[index] ?? 0;
    const endMs = bounds[index + 1] ?? 0;
    if (startMs >= window.endMs || endMs <= window.startMs) continue;
    const pause = add(calendar, { startMs, endMs, type, isAllDay: false });
    if (pause !== undefined) await pause;
  }
}

/** A series with the slots that its exceptions override. */
interface SeriesItems {
  readonly item: BusyItem;
  readonly form: BusyForm & { readonly series: EventTimes; readonly type: BusyType };
}

async function collect(
  items: readonly BusyItem[],
  timeZones: readonly (string | undefined)[],
  window: Slot,
  add: AddSpan,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  const series: SeriesItems[] = [];
  const slots = new Map<string, NonNullable<BusyForm['slot']>[]>();
  for (const item of items) {
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
    const form = busyForm(item.busy);
    const { slot, type, times } = form;
    if (isSeries(form)) {
      series.push({ item, form });
      continue;
    }
    if (slot !== undefined) addTo(slots, groupOf(item), slot);
    if (type === undefined) continue;
    const span =
      times === undefined
        ? { startMs: item.rangeStart, endMs: item.rangeEnd ?? item.rangeStart, type, isAllDay: false }
        : { ...instantsOf(times, timeZones[item.calendar] ?? 'UTC'), type, isAllDay: times.isAllDay };
    const added = meets(span, window) ? add(item.calendar, span) : undefined;
    if (added !== undefined) await added;
  }
  for (const { item, form } of series) {
    const pause = yieldToEventLoop(STEPS_PER_SERIES);
    if (pause !== undefined) await pause;
    const zone = timeZones[item.calendar] ?? 'UTC';
    const compiled = compiledMasters.get(item.etag, form.series);
    const overridden = new Set(overriddenStarts(compiled, slots.get(groupOf(item)) ?? []));
    const filters = { expand: true, from: window.startMs, to: window.endMs, isOverlap: true } as const;
    for (const page of slotPages(compiled, filters, zone)) {
      await addOccurrences(page, {
        item,
        compiled,
        type: form.type,
        overridden,
        zone,
        window,
        add,
      });
      const pause = yieldToEventLoop(page.length);
      if (pause !== undefined) await pause;
    }
  }
}

interface SeriesContext {
  readonly item: BusyItem;
  readonly compiled: MasterSeries;
  readonly type: BusyType;
  /** Starts of slots that exceptions override, in the unit of the series. */
  readonly overridden: ReadonlySet<number>;
  readonly zone: string;
  readonly window: Slot;
  readonly add: AddSpan;
}

/** Adds those slots of a series that are its own and meet the window. */
async function addOccurrences(
  page: readonly Occurrence[],
  { item, compiled, type, overridden, zone, window, add }: SeriesContext,
): Promise<void> {
  const { isAllDay } = compiled;
  for (const slot of page) {
    if (overridden.has(slot.startMs)) continue;
    const { startMs, endMs } = slotRange({ calendarZone: zone }, { compiled }, slot);
    if (startMs >= window.endMs || endMs <= window.startMs) continue;
    const pause = add(item.calendar, { startMs, endMs, type, isAllDay });
    if (pause !== undefined) await pause;
  }
}

function isSeries(form: BusyForm): form is SeriesItems['form'] {
  return form.series !== undefined;
}

function groupOf({ calendar, groupId }: BusyItem): string {
  return `${calendar}/${groupId}`;
}

function addTo<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function meets(span: Slot, window: Slot): boolean {
  return span.startMs < window.endMs && span.endMs > window.startMs;
}
