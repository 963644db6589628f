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
 * Returns a series without slots: an EXDATE of each, which every program understands, and a property of ours that tells the slot from one
 * that the series has never had.
 */
export function withCancelled(
  master: IcsComponent,
  slots: readonly RecurrenceId[],
  zones: IcsZones,
  tzidOf: TzidOf,
): IcsComponent {
  if (slots.length === 0) return master;
  const byKey = new Map(slots.map((slot) => [recurrenceIdText(slot), slot]));
  const start = startOf(master, zones);
  const dates = propertiesOf(master, 'exdate');
  const marks = propertiesOf(master, MARK);
  const marked = new Set(marks.map(({ raw }) => raw).filter((key) => byKey.has(key)));
  // Another program that brings a slot back drops the EXDATE, and keeps a property that it does not know. Reading dates costs: only then.
  const excluded = new Set(marked.size === 0 ? [] : dates.flatMap((property) => keysOf(property, start, zones)));
  const tzids = tzidsLikeStart(master, zones.calendarZone, tzidOf);
  const addedDates = [...byKey]
    .filter(([key]) => !marked.has(key) || !excluded.has(key))
    .map(([, slot]) => writeSlot('EXDATE', slot, start.timeZone, tzids));
  const addedMarks = [...byKey.keys()]
    .filter((key) => !marked.has(key))
    .map((key) => writeContentLine(X_CANCELLED, key));
  const without = withProperties(master, 'exdate', [...dates, ...addedDates]);
  return withProperties(without, MARK, [...marks, ...addedMarks]);
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
  const found = keysOf(property, start, zones);
  const values = property.raw.split(',');
  const left = values.filter((_, at) => !keys.has(found[at] ?? ''));
  if (left.length === values.length) return [property];
  if (left.length === 0) return [];
  const { value, tzid } = property.parameters;
  return [writeContentLine('EXDATE', left.join(','), { VALUE: value, TZID: tzid })];
}

/** Returns the keys of the slots that an EXDATE names, by its values; empty for a value that is none. */
function keysOf({ parameters, raw }: IcsProperty, start: ComponentStart, zones: IcsZones): readonly string[] {
  const { tzid } = parameters;
  const head = tzid === undefined ? 'EXDATE' : `EXDATE;TZID=${zones.resolve(tzid)}`;
  return raw.split(',').map((value) => {
    const [line] = canonicalLines([`${head}:${value}`], start).lines;
    const [slot] = line === undefined ? [] : slotsOf(line, start);
    return slot === undefined ? '' : recurrenceIdText(slot);
  });
}
