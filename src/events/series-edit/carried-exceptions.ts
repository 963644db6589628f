import {
  type EventContent,
  type EventPatch,
  type ProviderEvent,
  type RecurrenceId,
  shownContent,
} from '../../ports/index.ts';
import { contentDifference, isSameTime } from './content-difference.ts';
import { type SeriesSnapshot, type SlotTable, slotTable } from './series-snapshot.ts';

/** Exception of a series to restore after an edit. JSON. */
export interface CarriedException {
  /** Its slot in the series as edited. */
  readonly slot: RecurrenceId;
  readonly isCancelled: boolean;
  /** Its difference from the series; empty for a cancelled one. */
  readonly patch: EventPatch;
}

export interface CarryOptions {
  readonly calendarZone: string;
  /** Whether the provider lets an organizer write the answers of guests. */
  readonly withAnswers: boolean;
  /** Slots of the series before the edit that belong to the part in question; all when left out. */
  readonly admits?: (wallMs: number) => boolean;
  /** The old slot that the first one of the edited series was, as a wall time. @default the first of the series */
  readonly beganMs?: number;
  /** The occurrence that the edit names: what the edit says of it replaces what it said itself. */
  readonly addressed?: { readonly wallMs: number; readonly patch: EventPatch };
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
  const { beganMs = from.compiled.series.dtstartMs } = options;
  const carried = new Map<number, CarriedException>();
  const lost: number[] = [];
  for (const exception of before.exceptions) {
    const wallMs = from.wallOf(exception.recurrenceId);
    if (!admits(wallMs)) continue;
    if (!from.has(wallMs)) {
      if (isStub(exception)) lost.push(wallMs);
      continue;
    }
    const next = to.counterpart(wallMs, beganMs);
    if (next === undefined || carried.has(next)) continue;
    const own = ownState(exception, before.master.content, { from, wallMs, to, next }, options);
    if (own !== undefined) carried.set(next, { slot: to.slotAt(next), ...own });
  }
  // A slot that the series did not have, cancelled all the same, must not come alive as cancelled.
  for (const wallMs of lost) if (to.has(wallMs) && !carried.has(wallMs)) carried.set(wallMs, revived(to, wallMs));
  return [...carried.values()];
}

/** A slot of the old series and its counterpart in the new one, by their nominal wall times. */
interface CarriedSlot {
  readonly from: SlotTable;
  readonly wallMs: number;
  readonly to: SlotTable;
  readonly next: number;
}

/** Returns the state to restore; undefined for one equal to the series. */
function ownState(
  exception: ProviderEvent,
  series: EventContent,
  slot: CarriedSlot,
  options: CarryOptions,
): Omit<CarriedException, 'slot'> | undefined {
  const own = isStub(exception) ? null : shownContent(exception, series);
  if (own === null) {
    const isRevived = options.addressed?.wallMs === slot.wallMs && options.addressed.patch.isCancelled === false;
    return isRevived ? undefined : { isCancelled: true, patch: {} };
  }
  const patch = ownPart(own, slot, options);
  return Object.keys(patch).length === 0 ? undefined : { isCancelled: false, patch };
}

function revived(table: SlotTable, wallMs: number): CarriedException {
  return { slot: table.slotAt(wallMs), isCancelled: false, patch: {} };
}

/** Whether nothing is left of an occurrence. */
export function isStub({ isCancelled, content }: ProviderEvent): boolean {
  return isCancelled || content === null;
}

/** Returns the difference of a modified occurrence from its series. */
function ownPart(own: EventContent, { from, wallMs, to, next }: CarriedSlot, options: CarryOptions): EventPatch {
  const base = from.contentAt(wallMs);
  const { start, end, isAllDay } = own;
  const times = isSameTime(own, base) ? {} : { start, end, isAllDay };
  const patch = { ...contentDifference(own, base, options), ...times };
  const { addressed } = options;
  if (addressed?.wallMs !== wallMs) return patch;
  const said = { ...withoutSaid(patch, addressed.patch), ...sayable(addressed.patch) };
  if (addressed.patch.start === undefined) return said;
  // The edit's own times lie on another day where the new series still has the old slot.
  const slot = to.contentAt(next);
  return { ...said, start: slot.start, end: slot.end };
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
