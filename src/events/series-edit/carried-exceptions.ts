import {
  type EventContent,
  type EventPatch,
  type ProviderEvent,
  type RecurrenceId,
  shownContent,
  type Untold,
} from '../../ports/index.ts';
import type { Occurrence } from '../../recurrence/index.ts';
import { contentDifference, isSameTime, untoldDifference } from './content-difference.ts';
import { type SeriesSnapshot, type SlotTable, slotTable } from './series-snapshot.ts';

/** Exception of a series to restore after an edit. JSON. */
export interface CarriedException {
  /** Its slot in the series as edited. */
  readonly slot: RecurrenceId;
  readonly isCancelled: boolean;
  /** Its difference from the series; empty for a cancelled one. */
  readonly patch: EventPatch;
  /** Its difference from the series in parts that no field tells; absent without one. */
  readonly untold?: Untold;
  /** Provider id of the modified occurrence that it was, where it is carried into another series. */
  readonly providerEventId?: string;
}

export interface CarryOptions {
  readonly calendarZone: string;
  /** Whether the provider lets an organizer write the answers of guests. */
  readonly withAnswers: boolean;
  /** Into another series even those are carried that differ in no field: they may have what no field tells. @default false */
  readonly isNewSeries?: boolean;
  /** Slots of the series before the edit that belong to the part in question; all when left out. */
  readonly admits?: (slot: Occurrence) => boolean;
  /** The wall time of the old slot that the first one of the edited series was. @default the first of the series */
  readonly beganMs?: number;
  /** The occurrence that the edit names: what the edit says of it replaces what it said itself. */
  readonly addressed?: { readonly slot: Occurrence; readonly patch: EventPatch };
}

/**
 * The exceptions of a series in the shape that an edit gives it: each stays with the occurrence of its wall time, or goes
 * along where the time of day changes; those that the series has no occurrence for are gone.
 */
export function carryExceptions(
  before: SeriesSnapshot,
  after: EventContent,
  options: CarryOptions,
): readonly CarriedException[] {
  const { calendarZone, admits = () => true } = options;
  const from = slotTable(before.master.content, calendarZone);
  const to = slotTable(after, calendarZone);
  const { dtstartMs, timeZone } = from.compiled.series;
  const began = { wallMs: options.beganMs ?? dtstartMs, timeZone };
  const carried = new Map<number, CarriedException>();
  const lost: RecurrenceId[] = [];
  for (const exception of before.exceptions) {
    const slot = from.slotOf(exception.recurrenceId);
    if (!admits(slot)) continue;
    if (!from.has(exception.recurrenceId)) {
      if (isStub(exception)) lost.push(exception.recurrenceId);
      continue;
    }
    const next = to.counterpart(slot, began);
    if (next === undefined || carried.has(next.startMs)) continue;
    const own = ownState(exception, before.master, { from, slot, to, next }, options);
    if (own !== undefined) carried.set(next.startMs, { slot: to.nameOf(next), ...own });
  }
  // A slot that the series did not have, cancelled all the same, must not come alive as cancelled.
  for (const slot of lost) {
    const { startMs } = to.slotOf(slot);
    if (to.has(slot) && !carried.has(startMs)) carried.set(startMs, { slot, isCancelled: false, patch: {} });
  }
  return [...carried.values()];
}

/** A slot of the old series and its counterpart in the new one. */
interface CarriedSlot {
  readonly from: SlotTable;
  readonly slot: Occurrence;
  readonly to: SlotTable;
  readonly next: Occurrence;
}

/** Returns the state to restore; undefined for one equal to the series. */
function ownState(
  exception: ProviderEvent,
  series: SeriesSnapshot['master'],
  place: CarriedSlot,
  options: CarryOptions,
): Omit<CarriedException, 'slot'> | undefined {
  const own = isStub(exception) ? null : shownContent(exception, series.content);
  if (own === null) {
    const { addressed } = options;
    const isRevived = isAddressed(place, options) && addressed?.patch.isCancelled === false;
    return isRevived ? undefined : { isCancelled: true, patch: {} };
  }
  const patch = ownPart(own, place, options);
  const untold = untoldDifference(exception.untold, series.untold);
  const { providerEventId } = exception;
  const state = { isCancelled: false, patch, ...(untold && { untold }) };
  if (options.isNewSeries) return { ...state, providerEventId };
  return Object.keys(patch).length === 0 && untold === undefined ? undefined : state;
}

function isAddressed({ slot }: CarriedSlot, { addressed }: CarryOptions): boolean {
  return addressed?.slot.startMs === slot.startMs;
}

/** Whether nothing is left of an occurrence. */
export function isStub({ isCancelled, content }: ProviderEvent): boolean {
  return isCancelled || content === null;
}

/** Returns the difference of a modified occurrence from its series. */
function ownPart(own: EventContent, place: CarriedSlot, options: CarryOptions): EventPatch {
  const base = place.from.contentAt(place.slot);
  const { start, end, isAllDay } = own;
  const times = isSameTime(own, base) ? {} : { start, end, isAllDay };
  const patch = { ...contentDifference(own, base, options), ...times };
  const { addressed } = options;
  if (addressed === undefined || !isAddressed(place, options)) return patch;
  const said = { ...withoutSaid(patch, addressed.patch), ...sayable(addressed.patch) };
  if (addressed.patch.start === undefined) return said;
  // The edit's own times lie on another day where the new series still has the old slot.
  const { start: nextStart, end: nextEnd } = place.to.contentAt(place.next);
  return { ...said, start: nextStart, end: nextEnd };
}

/** The part of an edit that an occurrence can say as well: it has its own no longer. A meeting that is made for the series is the series'. */
export function sayable(patch: EventPatch): EventPatch {
  const { isCancelled: _, recurrence: __, conferenceData, generateMeetingUrlProvider: made, ...said } = patch;
  const isGiven = conferenceData === null || typeof conferenceData?.joinUrl === 'string';
  return isGiven && made == null ? { ...said, conferenceData } : said;
}

const TIMES = new Set(['start', 'end', 'isAllDay']);

/** Takes out of a patch what another one says. */
function withoutSaid(patch: EventPatch, said: EventPatch): EventPatch {
  const isSaid = (field: string) => (said as Record<string, unknown>)[field] !== undefined;
  const entries = Object.entries(patch).flatMap(([field, value]): [string, unknown][] => {
    if (TIMES.has(field)) return said.start === undefined ? [[field, value]] : [];
    if (!isSaid(field)) return [[field, value]];
    const keys = (said as Record<string, unknown>)[field];
    if (!isRecord(keys) || !isRecord(value) || !field.endsWith('ExtendedProperties')) return [];
    const rest = Object.entries(value).filter(([key]) => !Object.hasOwn(keys, key));
    return rest.length === 0 ? [] : [[field, Object.fromEntries(rest)]];
  });
  return Object.fromEntries(entries);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
