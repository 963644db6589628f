import { contentHash, type EventTimes, namedSlot, type ShownEvent, shownInstants } from '../../mirror/index.ts';
import { type EventContent, exceptionContent, type RecurrenceId } from '../../ports/index.ts';
import type { Occurrence } from '../../recurrence/index.ts';
import { occurrenceId, recurrenceIdMs } from '../../recurrence/index.ts';
import { formatDate, instantOf, instantOfText, resolveZone, wallOfText } from '../../zones/index.ts';
import { admitsCancelled, admitsContent, admitsTime, type EventFilters } from './event-filters.ts';
import { type EventGroup, type ExceptionItem, type GroupItem, isException, type MasterItem } from './event-group.ts';
import { occurrenceContent } from './occurrence-content.ts';
import { windowSlots } from './window-slots.ts';

interface RecordBase {
  readonly id: string;
  readonly group: EventGroup;
  /** Instants. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isCancelled: boolean;
  readonly updatedAt: string;
  /** Its place in its group, a function of the id: the slot of an occurrence; single events and masters come first. */
  readonly order: number;
  /** Equal for two revisions exactly when the record is the same. */
  readonly version: string;
}

/** A stored object: a single event, a series master, an exception or an orphan instance. */
export interface StoredRecord extends RecordBase {
  readonly kind: 'stored';
  readonly item: GroupItem;
  /** As shown: a cancelled occurrence and copied fields of an exception have the series' values. */
  readonly content: EventContent;
  /** Null for single events and masters. */
  readonly recurrenceId: RecurrenceId | null;
  /** Set where the record's JSON can be cut out of the stored text. */
  readonly shown?: ShownEvent;
}

/** An occurrence computed from its master. */
export interface ComputedRecord extends RecordBase {
  readonly kind: 'computed';
  readonly master: MasterItem;
  readonly slot: Occurrence;
  readonly recurrenceId: RecurrenceId;
}

/** A record of an answer, not rendered yet. */
export type EventRecord = StoredRecord | ComputedRecord;

/** A place within a group, and what lies behind it. */
export interface GroupPosition {
  readonly order: number;
  readonly id: string;
}

/** Order of single events and masters: before every slot, and a number that JSON keeps. */
const FIRST = Number.MIN_SAFE_INTEGER;

/** Whether a record comes after a position. */
export function isBeyond(record: GroupPosition, position: GroupPosition | undefined): boolean {
  if (position === undefined) return true;
  return record.order > position.order || (record.order === position.order && record.id > position.id);
}

/** Records of an unexpanded answer, ascending by (order, id), beyond `after`. */
export function* unexpandedRecords(
  group: EventGroup,
  filters: EventFilters,
  after?: GroupPosition,
): Generator<EventRecord> {
  const { master } = group;
  for (const item of inOrder(group)) {
    const record = storedRecord(group, item);
    if (record === undefined || !isBeyond(record, after)) continue;
    if (!admitsCancelled(filters, record.isCancelled) || !admitsContent(filters, record)) continue;
    const isMaster = master !== undefined && item.version === master.version;
    if (isMaster ? hasOccurrence(group, master, filters) : admitsTime(filters, record)) yield record;
  }
}

/** Records of an expanded answer, ascending by (order, id), beyond `after`; only what is taken is computed. */
export function* expandedRecords(
  group: EventGroup,
  filters: EventFilters,
  after?: GroupPosition,
): Generator<EventRecord> {
  const stored = storedRecords(group, filters).filter((record) => isBeyond(record, after));
  let next = 0;
  for (const occurrence of computedRecords(group, filters, after)) {
    for (let record = stored[next]; record !== undefined && isBeyond(occurrence, record); record = stored[next]) {
      yield record;
      next += 1;
    }
    yield occurrence;
  }
  yield* stored.slice(next);
}

/** The record that an id names in its group, whatever filters say: stored, or a computed slot. */
export function findRecord(group: EventGroup, id: string): EventRecord | undefined {
  const item = group.items.find(({ version }) => version.itemId === id);
  return item === undefined ? undefined : storedRecord(group, item);
}

/** The computed occurrence of a slot that the series has and no exception overrides. */
export function findOccurrence(group: EventGroup, ms: number): EventRecord | undefined {
  const { master } = group;
  const slot = master?.compiled.series.slotAt(ms);
  return master === undefined || slot === undefined || group.overridden.has(slot.startMs)
    ? undefined
    : computedRecord(group, master, slot);
}

/** Returns the content of a record; that of an occurrence is its master's, at its own times. */
export function recordContent(record: EventRecord): EventContent {
  return record.kind === 'stored' ? record.content : occurrenceContent(record.master, record.slot);
}

/** Returns the content of a record for all fields but times and recurrence, without working these out for an occurrence. */
export function timelessContent(record: EventRecord): EventContent {
  return record.kind === 'stored' ? record.content : record.master.content;
}

/** Stub of a cancelled occurrence: shown with its master's content. Undefined when there is no master. */
function itemContent({ master }: EventGroup, { event }: GroupItem): EventContent | undefined {
  if (event.content !== null)
    return master === undefined ? event.content : exceptionContent(event.content, event.overrides, master.content);
  if (master === undefined || event.recurrenceId === null) return undefined;
  const startMs = recurrenceIdMs(event.recurrenceId);
  return occurrenceContent(master, { startMs, wallMs: startMs });
}

/** The computed ones of an expanded answer. */
export function* computedRecords(
  group: EventGroup,
  filters: EventFilters,
  after?: GroupPosition,
): Generator<EventRecord> {
  const { master } = group;
  if (master === undefined || !admitsContent(filters, master)) return;
  if (!admitsCancelled(filters, master.event.isCancelled)) return;
  for (const slot of windowSlots(master.compiled, filters, group.calendarZone, after?.order)) {
    if (group.overridden.has(slot.startMs) || !admitsTime(filters, slotRange(group, master, slot))) continue;
    const record = computedRecord(group, master, slot);
    if (isBeyond(record, after)) yield record;
  }
}

/** A master belongs to an unexpanded answer when any of its occurrences does. */
function hasOccurrence(group: EventGroup, master: MasterItem, filters: EventFilters): boolean {
  if (filters.from === null && filters.to === null) return true;
  for (const slot of windowSlots(master.compiled, filters, group.calendarZone)) {
    if (!group.overridden.has(slot.startMs) && admitsTime(filters, slotRange(group, master, slot))) return true;
  }
  return group.exceptions.some((item) => {
    const record = item.event.isCancelled ? undefined : storedRecord(group, item);
    return record !== undefined && admitsTime(filters, record);
  });
}

/** The stored ones of an expanded answer. */
export function storedRecords(group: EventGroup, filters: EventFilters): readonly EventRecord[] {
  const items = group.master === undefined ? inOrder(group) : group.exceptions;
  return items.flatMap((item) => {
    const record = storedRecord(group, item);
    if (record === undefined || !admitsCancelled(filters, record.isCancelled)) return [];
    return admitsContent(filters, record) && admitsTime(filters, record) ? [record] : [];
  });
}

/** By (order, id): single events and masters before their exceptions. */
function inOrder({ items, exceptions }: EventGroup): readonly GroupItem[] {
  return exceptions.length === 0 ? items : [...items.filter(({ event }) => event.recurrenceId === null), ...exceptions];
}

function storedRecord(group: EventGroup, item: GroupItem): StoredRecord | undefined {
  if (item.shown !== undefined) return new ShownRecord(group, item, item.shown);
  const content = itemContent(group, item);
  if (content === undefined || (item.event.isCancelled && isException(item) && !hasSlotOf(group, item))) {
    return undefined;
  }
  const { recurrenceId } = item.event;
  return {
    kind: 'stored',
    id: item.version.itemId,
    group,
    item,
    content,
    recurrenceId,
    ...instantsOf(content, group.calendarZone),
    isCancelled: item.event.isCancelled,
    updatedAt: content.updatedAt,
    order: recurrenceId === null ? FIRST : recurrenceIdMs(recurrenceId),
    version: [
      item.version.fromRevision,
      borrowedMark(group, item),
      itemZoneMark(item, content, group),
      slotMark(group, item, content),
    ].join(''),
  };
}

/** The record of an event of which nothing need be parsed: what an answer does not ask for is not worked out. */
class ShownRecord implements StoredRecord {
  readonly kind = 'stored';
  readonly id: string;
  readonly group: EventGroup;
  readonly item: GroupItem;
  readonly shown: ShownEvent;
  readonly recurrenceId = null;
  readonly isCancelled = false;
  readonly order = FIRST;
  #instants: ReturnType<typeof shownInstants> | undefined;

  constructor(group: EventGroup, item: GroupItem, shown: ShownEvent) {
    this.id = shown.version.itemId;
    this.group = group;
    this.item = item;
    this.shown = shown;
  }

  get version(): string {
    return `${this.shown.version.fromRevision}`;
  }

  get content(): EventContent {
    return this.item.event.content as EventContent;
  }

  get updatedAt(): string {
    return this.content.updatedAt;
  }

  get startMs(): number {
    this.#instants ??= shownInstants(this.shown);
    return this.#instants.startMs;
  }

  get endMs(): number {
    return Math.max(this.startMs, this.#instants?.endMs ?? 0);
  }
}

/** Tells apart the states of the series' content that a stored object shows. */
function borrowedMark(group: EventGroup, item: GroupItem): string {
  const isStub = item.event.content === null && group.master !== undefined;
  return isStub ? `/${group.master.version.fromRevision}` : inheritedMark(group, item);
}

/** Tells apart the states of what a modified occurrence has from its series; empty for an event that has nothing of it. */
export function inheritedMark({ master }: EventGroup, { event }: GroupItem): string {
  if (event.overrides === undefined || master === undefined) return '';
  const { customColor, publicExtendedProperties, privateExtendedProperties } = master.content;
  return `/${contentHash([customColor ?? null, publicExtendedProperties, privateExtendedProperties])}`;
}

/** Tells apart the states of the series that the original start of a modified occurrence shows; empty where it is in its own zone. */
export function slotMark({ master, calendarZone }: EventGroup, { event }: GroupItem, { start }: EventContent): string {
  if (master === undefined || event.recurrenceId?.kind !== 'instant') return '';
  if (master.compiled.isAllDay) return `^date.${calendarZone}`;
  const zone = resolveZone(master.content.start.timeZone) ?? calendarZone;
  return zone === (resolveZone(start.timeZone) ?? calendarZone) ? '' : `^${zone}`;
}

/** A cancelled occurrence is no record of anything when its series is gone, or has (by rule, RDATE, EXDATE) no such slot. */
function hasSlotOf({ master }: EventGroup, { event }: ExceptionItem): boolean {
  return master !== undefined && namedSlot(master.compiled, event.recurrenceId) !== undefined;
}

function computedRecord(group: EventGroup, master: MasterItem, slot: Occurrence): ComputedRecord {
  const { startMs } = slot;
  const recurrenceId = recurrenceIdOf(slot, master);
  return {
    kind: 'computed',
    id: occurrenceId(group.groupId, recurrenceId),
    group,
    master,
    slot,
    recurrenceId,
    ...slotRange(group, master, slot),
    isCancelled: master.event.isCancelled,
    updatedAt: master.content.updatedAt,
    order: startMs,
    version: `o${master.version.fromRevision}${zoneMark(master.content, group)}`,
  };
}

/** Returns the instants of an occurrence. */
export function slotRange(
  { calendarZone }: Pick<EventGroup, 'calendarZone'>,
  { compiled }: Pick<MasterItem, 'compiled'>,
  slot: Occurrence,
) {
  const endMs = compiled.endOf(slot);
  if (!compiled.isAllDay) return { startMs: slot.startMs, endMs };
  return { startMs: instantOf(calendarZone, slot.startMs), endMs: instantOf(calendarZone, endMs) };
}

function recurrenceIdOf({ startMs }: Occurrence, { compiled }: MasterItem): RecurrenceId {
  return compiled.isAllDay ? { kind: 'date', date: formatDate(startMs) } : { kind: 'instant', startMs };
}

/** The instants of an event; all-day ones happen in the calendar's zone. */
export function instantsOf(
  content: Omit<EventTimes, 'recurrence'>,
  calendarZone: string,
): { startMs: number; endMs: number } {
  const { start, end } = content;
  if (content.isAllDay) {
    const startMs = instantOf(calendarZone, wallOfText(start.dateTime));
    return { startMs, endMs: Math.max(startMs, instantOf(calendarZone, wallOfText(end.dateTime))) };
  }
  const startMs = instantOfText(start.dateTime, resolveZone(start.timeZone) ?? calendarZone);
  return { startMs, endMs: Math.max(startMs, instantOfText(end.dateTime, resolveZone(end.timeZone) ?? calendarZone)) };
}

/** All-day records show the calendar's zone and move with it; so does one in an unknown zone. */
function zoneMark({ isAllDay, start, end }: EventContent, { calendarZone }: EventGroup): string {
  const moves = isAllDay || resolveZone(start.timeZone) === undefined || resolveZone(end.timeZone) === undefined;
  return moves ? `@${calendarZone}` : '';
}

/** An exception also moves when its slot is a date and its series is timed, or the other way round. */
function itemZoneMark({ event }: GroupItem, content: EventContent, group: EventGroup): string {
  const isDate = event.recurrenceId?.kind === 'date';
  const isOfOtherKind =
    event.recurrenceId !== null && group.master !== undefined && group.master.compiled.isAllDay !== isDate;
  return isOfOtherKind ? `@${group.calendarZone}` : zoneMark(content, group);
}
