import {
  type EventContent,
  type EventPatch,
  type ProviderEvent,
  type SlotStart,
  shownContent,
} from '../../ports/index.ts';
import { contentDifference, isSameTime } from './content-difference.ts';
import { type SeriesSnapshot, type SlotTable, slotTable } from './series-snapshot.ts';

/** What an occurrence of a series is to be once an edit is done, where that is not what the series says. JSON. */
export interface CarriedException {
  /** Its slot in the series as edited. */
  readonly slot: SlotStart;
  readonly isCancelled: boolean;
  /** What it says otherwise than its series; empty for a cancelled one. */
  readonly patch: EventPatch;
}

export interface CarryOptions {
  readonly calendarZone: string;
  /** Whether the provider lets an organizer write the answers of guests. */
  readonly withAnswers: boolean;
  /** Slots of the series before the edit that belong to the part in question; all when left out. */
  readonly admits?: (wallMs: number) => boolean;
  /** The occurrence that the edit names: what the edit says of it replaces what it said itself. */
  readonly addressed?: { readonly wallMs: number; readonly patch: EventPatch };
}

/**
 * The exceptions of a series in the shape that an edit gives it: each stays with the occurrence of its wall time, or of its
 * date where the time of day changes; those whose date the series no longer has are gone.
 */
export function carryExceptions(
  before: SeriesSnapshot,
  after: EventContent,
  options: CarryOptions,
): readonly CarriedException[] {
  const { calendarZone, admits = () => true } = options;
  const from = slotTable(before.master.content, calendarZone);
  const to = slotTable(after, calendarZone);
  const carried = new Map<number, CarriedException>();
  const lost: number[] = [];
  for (const exception of before.exceptions) {
    const wallMs = from.wallOf(exception.originalStart!);
    if (!admits(wallMs)) continue;
    if (!from.has(wallMs)) {
      if (isStub(exception)) lost.push(wallMs);
      continue;
    }
    const next = to.counterpart(wallMs, from.compiled);
    const own =
      next === undefined || carried.has(next)
        ? undefined
        : ownState(exception, before.master.content, from, wallMs, options);
    if (own !== undefined) carried.set(next!, { slot: to.slotAt(next!), ...own });
  }
  // A slot that the series did not have, cancelled all the same, must not come alive as cancelled.
  for (const wallMs of lost) if (to.has(wallMs) && !carried.has(wallMs)) carried.set(wallMs, revived(to, wallMs));
  return [...carried.values()];
}

/** What an occurrence is to be, undefined where that is what its series says. */
function ownState(
  exception: ProviderEvent,
  series: EventContent,
  from: SlotTable,
  wallMs: number,
  options: CarryOptions,
): Omit<CarriedException, 'slot'> | undefined {
  if (isStub(exception)) {
    const isRevived = options.addressed?.wallMs === wallMs && options.addressed.patch.isCancelled === false;
    return isRevived ? undefined : { isCancelled: true, patch: {} };
  }
  const patch = ownPart(shownContent(exception, series)!, from, wallMs, options);
  return Object.keys(patch).length === 0 ? undefined : { isCancelled: false, patch };
}

function revived(table: SlotTable, wallMs: number): CarriedException {
  return { slot: table.slotAt(wallMs), isCancelled: false, patch: {} };
}

/** Whether nothing is left of an occurrence. */
export function isStub({ isCancelled, content }: ProviderEvent): boolean {
  return isCancelled || content === null;
}

/** What a modified occurrence says itself. */
function ownPart(own: EventContent, from: SlotTable, wallMs: number, options: CarryOptions): EventPatch {
  const base = from.contentAt(wallMs);
  const { start, end, isAllDay } = own;
  const times = isSameTime(own, base) ? {} : { start, end, isAllDay };
  const patch = { ...contentDifference(own, base, options), ...times };
  const { addressed } = options;
  return addressed?.wallMs === wallMs ? { ...withoutSaid(patch, addressed.patch), ...sayable(addressed.patch) } : patch;
}

/** The part of an edit that an occurrence can say as well: it has its own no longer. */
export function sayable(patch: EventPatch): EventPatch {
  const { isCancelled: _, recurrence: __, conferenceData: ___, generateMeetingUrlProvider: ____, ...said } = patch;
  return said;
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
