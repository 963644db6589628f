import { contentHash } from '../../mirror/index.ts';
import { type EventContent, exceptionContent } from '../../ports/index.ts';
import type { Occurrence } from '../../recurrence/index.ts';
import { occurrenceId, recurrenceIdMs } from '../../recurrence/index.ts';
import { formatDate, instantOf, instantOfText, resolveZone, wallAt, wallOfText } from '../../zones/index.ts';
import { admitsCancelled, admitsContent, admitsTime, type EventFilters } from './event-filters.ts';
import { type EventGroup, type GroupItem, type MasterItem, nominalWall } from './event-group.ts';
import { occurrenceContent } from './occurrence-content.ts';
import { windowSlots } from './window-slots.ts';

/** A record of an answer, not rendered yet. */
export interface Member {
  readonly id: string;
  readonly group: EventGroup;
  /** The stored object; undefined for a computed occurrence. */
  readonly item: GroupItem | undefined;
  /** The computed slot; undefined for stored objects. */
  readonly slot: Occurrence | undefined;
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

/** A place within a group, and what lies behind it. */
export interface GroupPosition {
  readonly order: number;
  readonly id: string;
}

/** Order of single events and masters: before every slot, and a number that JSON keeps. */
const FIRST = Number.MIN_SAFE_INTEGER;

/** Whether a member comes after a position. */
export function isBeyond(member: GroupPosition, position: GroupPosition | undefined): boolean {
  if (position === undefined) return true;
  return member.order > position.order || (member.order === position.order && member.id > position.id);
}

/** Members of an unexpanded answer, ascending by (order, id), beyond `after`. */
export function* unexpandedMembers(group: EventGroup, filters: EventFilters, after?: GroupPosition): Generator<Member> {
  for (const item of inOrder(group)) {
    const member = itemMember(group, item);
    if (member === undefined || !isBeyond(member, after)) continue;
    if (!admitsCancelled(filters, member.isCancelled) || !admitsItem(group, item, filters)) continue;
    const isMaster = item.version === group.master?.version;
    if (isMaster ? hasOccurrence(group, group.master!, filters) : admitsTime(filters, member)) yield member;
  }
}

/** Members of an expanded answer, ascending by (order, id), beyond `after`; only what is taken is computed. */
export function* expandedMembers(group: EventGroup, filters: EventFilters, after?: GroupPosition): Generator<Member> {
  const stored = storedMembers(group, filters);
  let next = 0;
  for (const occurrence of computedMembers(group, filters, after)) {
    for (; next < stored.length && isBeyond(occurrence, stored[next]!); next++) {
      if (isBeyond(stored[next]!, after)) yield stored[next]!;
    }
    yield occurrence;
  }
  for (; next < stored.length; next++) if (isBeyond(stored[next]!, after)) yield stored[next]!;
}

/** The member that an id names in its group, whatever filters say: stored, or a computed slot. */
export function findMember(group: EventGroup, id: string): Member | undefined {
  const item = group.items.find(({ version }) => version.itemId === id);
  return item === undefined ? undefined : itemMember(group, item);
}

/** The computed occurrence of a slot that the series has and no exception overrides. */
export function slotMember(group: EventGroup, ms: number): Member | undefined {
  const { master } = group;
  const slot = master?.compiled.series.slotAt(ms);
  return master === undefined || slot === undefined || group.overridden.has(slot.wallMs)
    ? undefined
    : occurrenceMember(group, master, slot);
}

/** Content of a member; an occurrence borrows its master's. */
export function memberContent({ group, item, slot }: Member): EventContent {
  if (slot !== undefined) return occurrenceContent(group.master!, slot);
  return itemContent(group, item!)!;
}

/** Stub of a cancelled occurrence: shown with its master's content. Undefined when there is no master. */
function itemContent({ master, calendarZone }: EventGroup, { event }: GroupItem): EventContent | undefined {
  if (event.content !== null)
    return master === undefined ? event.content : exceptionContent(event.content, event.overrides, master.content);
  if (master === undefined || event.recurrenceId === null) return undefined;
  const ms = recurrenceIdMs(event.recurrenceId);
  const isDate = event.recurrenceId.kind === 'date';
  const startMs =
    master.compiled.isAllDay === isDate ? ms : isDate ? instantOf(calendarZone, ms) : wallAt(calendarZone, ms);
  return occurrenceContent(master, { startMs, wallMs: startMs });
}

/** The computed ones of an expanded answer. */
export function* computedMembers(group: EventGroup, filters: EventFilters, after?: GroupPosition): Generator<Member> {
  const { master } = group;
  if (master === undefined || !admitsContent(filters, master.content)) return;
  if (!admitsCancelled(filters, master.event.isCancelled)) return;
  for (const slot of windowSlots(master.compiled, filters, group.calendarZone, after?.order)) {
    if (group.overridden.has(slot.wallMs) || !admitsTime(filters, slotRange(group, master, slot))) continue;
    const member = occurrenceMember(group, master, slot);
    if (isBeyond(member, after)) yield member;
  }
}

/** A master belongs to an unexpanded answer when any of its occurrences does. */
function hasOccurrence(group: EventGroup, master: MasterItem, filters: EventFilters): boolean {
  if (filters.from === null && filters.to === null) return true;
  for (const slot of windowSlots(master.compiled, filters, group.calendarZone)) {
    if (!group.overridden.has(slot.wallMs) && admitsTime(filters, slotRange(group, master, slot))) return true;
  }
  return group.exceptions.some((item) => {
    const member = item.event.isCancelled ? undefined : itemMember(group, item);
    return member !== undefined && admitsTime(filters, member);
  });
}

/** The stored ones of an expanded answer. */
export function storedMembers(group: EventGroup, filters: EventFilters): readonly Member[] {
  const items = group.master === undefined ? inOrder(group) : group.exceptions;
  return items.flatMap((item) => {
    const member = itemMember(group, item);
    if (member === undefined || !admitsCancelled(filters, member.isCancelled)) return [];
    return admitsItem(group, item, filters) && admitsTime(filters, member) ? [member] : [];
  });
}

function admitsItem(group: EventGroup, item: GroupItem, filters: EventFilters): boolean {
  const content = itemContent(group, item);
  return content !== undefined && admitsContent(filters, content);
}

/** By (order, id): single events and masters before their exceptions. */
function inOrder({ items, exceptions }: EventGroup): readonly GroupItem[] {
  return exceptions.length === 0 ? items : [...items.filter(({ event }) => event.recurrenceId === null), ...exceptions];
}

function itemMember(group: EventGroup, item: GroupItem): Member | undefined {
  const content = itemContent(group, item);
  if (content === undefined || (item.event.isCancelled && isException(item) && !hasSlotOf(group, item))) {
    return undefined;
  }
  const borrowed = item.event.content === null ? `/${group.master!.version.fromRevision}` : inheritedMark(group, item);
  return {
    id: item.version.itemId,
    group,
    item,
    slot: undefined,
    ...instantsOf(content, group.calendarZone),
    isCancelled: item.event.isCancelled,
    updatedAt: content.updatedAt,
    order: item.event.recurrenceId === null ? FIRST : recurrenceIdMs(item.event.recurrenceId),
    version: `${item.version.fromRevision}${borrowed}${itemZoneMark(item, content, group)}`,
  };
}

/** Tells apart the states of what a modified occurrence has from its series; empty for an event that has nothing of it. */
export function inheritedMark({ master }: EventGroup, { event }: GroupItem): string {
  if (event.overrides === undefined || master === undefined) return '';
  const { customColor, publicExtendedProperties, privateExtendedProperties } = master.content;
  return `/${contentHash([customColor ?? null, publicExtendedProperties, privateExtendedProperties])}`;
}

/** A cancelled occurrence is no record of anything when its series is gone, or has (by rule, RDATE, EXDATE) no such slot. */
function hasSlotOf({ master, calendarZone }: EventGroup, { event }: GroupItem): boolean {
  return master?.compiled.series.has(nominalWall(master, event.recurrenceId!, calendarZone)) === true;
}

function isException({ event }: GroupItem): boolean {
  return event.recurrenceId !== null;
}

function occurrenceMember(group: EventGroup, master: MasterItem, slot: Occurrence): Member {
  const { startMs } = slot;
  return {
    id: slotId(group.groupId, master.compiled.isAllDay, startMs),
    group,
    item: undefined,
    slot,
    ...slotRange(group, master, slot),
    isCancelled: master.event.isCancelled,
    updatedAt: master.content.updatedAt,
    order: startMs,
    version: `o${master.version.fromRevision}${zoneMark(master.content, group)}`,
  };
}

function slotRange({ calendarZone }: EventGroup, { compiled }: MasterItem, slot: Occurrence) {
  const endMs = compiled.endOf(slot);
  if (!compiled.isAllDay) return { startMs: slot.startMs, endMs };
  return { startMs: instantOf(calendarZone, slot.startMs), endMs: instantOf(calendarZone, endMs) };
}

function slotId(groupId: string, isAllDay: boolean, startMs: number): string {
  if (!isAllDay) return occurrenceId(groupId, { kind: 'instant', startMs });
  return occurrenceId(groupId, { kind: 'date', date: formatDate(startMs) });
}

/** The instants of an event; all-day ones happen in the calendar's zone. */
export function instantsOf(content: EventContent, calendarZone: string): { startMs: number; endMs: number } {
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
