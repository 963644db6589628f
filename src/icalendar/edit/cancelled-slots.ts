import type { RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';
import type { IcsZones } from '../../zones/index.ts';
import { slotsOf } from '../read/read-master.ts';
import { type ComponentStart, startOf } from '../read/read-times.ts';
import { canonicalLines } from '../read/recurrence-lines.ts';
import { type IcsComponent, propertiesOf, withProperties } from '../text/component.ts';
import { type IcsProperty, writeContentLine } from '../text/content-line.ts';
import { type TzidOf, tzidsLikeStart, writeSlot } from '../write/write-times.ts';
import { X_CANCELLED } from '../x-names.ts';

const MARK = X_CANCELLED.toLowerCase();

/**
 * Returns a series without a slot: an EXDATE, which every program understands, and a property of ours that tells the slot from one that
 * the series has never had.
 */
export function withCancelled(master: IcsComponent, slot: RecurrenceId, zones: IcsZones, tzidOf: TzidOf): IcsComponent {
  const key = recurrenceIdText(slot);
  const start = startOf(master, zones);
  const dates = propertiesOf(master, 'exdate');
  const marks = propertiesOf(master, MARK);
  const isMarked = marks.some(({ raw }) => raw === key);
  // Another program that brings the slot back drops the EXDATE, and keeps a property that it does not know. Reading dates costs: only then.
  const isExcluded =
    isMarked && dates.some((property) => without(property, new Set([key]), start, zones)[0] !== property);
  if (isExcluded) return master;
  const tzids = tzidsLikeStart(master, zones.calendarZone, tzidOf);
  const excluded = withProperties(master, 'exdate', [...dates, writeSlot('EXDATE', slot, start.timeZone, tzids)]);
  return isMarked ? excluded : withProperties(excluded, MARK, [...marks, writeContentLine(X_CANCELLED, key)]);
}

/** Returns a series with slots again: without their EXDATEs and the marks of them. */
export function withRestored(master: IcsComponent, slots: readonly RecurrenceId[], zones: IcsZones): IcsComponent {
  if (slots.length === 0) return master;
  const keys = new Set(slots.map(recurrenceIdText));
  const start = startOf(master, zones);
  const dates = propertiesOf(master, 'exdate').flatMap((property) => without(property, keys, start, zones));
  const marks = propertiesOf(master, MARK).filter(({ raw }) => !keys.has(raw.toUpperCase()));
  return withProperties(withProperties(master, 'exdate', dates), MARK, marks);
}

function without(
  property: IcsProperty,
  keys: ReadonlySet<string>,
  start: ComponentStart,
  zones: IcsZones,
): readonly IcsProperty[] {
  const tzid = property.parameters['tzid'];
  const head = tzid === undefined ? 'EXDATE' : `EXDATE;TZID=${zones.resolve(tzid)}`;
  const values = property.raw.split(',');
  const left = values.filter((value) => {
    const [line] = canonicalLines([`${head}:${value}`], start).lines;
    const [slot] = line === undefined ? [] : slotsOf(line, start);
    return slot === undefined || !keys.has(recurrenceIdText(slot));
  });
  if (left.length === values.length) return [property];
  if (left.length === 0) return [];
  return [writeContentLine('EXDATE', left.join(','), { VALUE: property.parameters['value'], TZID: tzid })];
}
