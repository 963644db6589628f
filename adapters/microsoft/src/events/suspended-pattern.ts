import type { WireEvent, WireMaster, WireProperty, WireRecurrence } from './event-wire.ts';
import { namedZone } from './event-zones.ts';
import { type KeptDetails, type KeptProperties, readKept, writeKept } from './kept-properties.ts';

/*
 * Exchange cannot undo the deletion of one slot. It forgets all exceptions and deletions when the pattern changes; so the
 * pattern is removed and put back. The request that removes it records the true pattern with the master: readers meanwhile,
 * or after a crash, still find it, and the next write puts it back.
 */

/** Returns a request body that removes the pattern of a series for a moment, and with it every exception and deletion. */
export function suspendingBody(master: WireMaster): Readonly<Record<string, unknown>> {
  const { recurrence } = master;
  if (recurrence == null) throw new TypeError('only a series has a pattern');
  const suspended = writable(recurrence);
  return {
    recurrence: { pattern: otherPattern(recurrence), range: onlyFirst(recurrence) },
    singleValueExtendedProperties: detailsAfter(master, { suspended }),
  };
}

/** Returns a request body that puts the pattern back. `forgotten` lines no longer hold. */
export function resumingBody(master: WireMaster, isForgotten: boolean): Readonly<Record<string, unknown>> {
  if (master.recurrence == null) throw new TypeError('only a series has a pattern');
  const details = { suspended: undefined, ...(isForgotten ? { recurrence: undefined } : {}) };
  return {
    recurrence: writable(master.recurrence),
    singleValueExtendedProperties: detailsAfter(master, details, { suspended: writable(master.recurrence) }),
  };
}

/** Returns a master under its true pattern, also while that is removed. */
export function asMeant(master: WireMaster): WireMaster {
  const { suspended } = readKept(master.singleValueExtendedProperties).details;
  return suspended !== undefined && isTakenAway(master.recurrence, suspended)
    ? { ...master, recurrence: suspended }
    : master;
}

/** Returns the pattern to put back with any write to the master; undefined when none is removed. */
export function suspendedPattern(master: WireEvent): WireRecurrence | undefined {
  const { suspended } = readKept(master.singleValueExtendedProperties).details;
  return JSON.stringify(suspended) === JSON.stringify(master.recurrence) ? suspended : undefined;
}

/** Returns true while the pattern is removed, and false once another one was set meanwhile. */
function isTakenAway(current: WireRecurrence | null | undefined, suspended: WireRecurrence): boolean {
  if (current == null) return false;
  const { type, interval } = otherPattern(suspended);
  const isOther = current.pattern.type === type && current.pattern.interval === interval;
  return isOther && current.range.type === 'numbered' && current.range.numberOfOccurrences === 1;
}

/** Returns a pattern that differs from the series' and fits its start. */
function otherPattern({ pattern }: WireRecurrence) {
  return { type: 'daily', interval: pattern.type === 'daily' && (pattern.interval ?? 1) === 1 ? 2 : 1 };
}

function onlyFirst({ range }: WireRecurrence) {
  return {
    type: 'numbered',
    startDate: range.startDate,
    numberOfOccurrences: 1,
    ...zoneOf(range),
  };
}

/** Returns a recurrence without the fields that its type does not use: Graph returns them as zeros and refuses those. */
function writable({ pattern, range }: WireRecurrence): WireRecurrence {
  const { type, interval, month, dayOfMonth, daysOfWeek, firstDayOfWeek, index } = pattern;
  const isRelative = type.startsWith('relative');
  return {
    pattern: {
      type,
      interval: interval ?? 1,
      ...(type.endsWith('Yearly') ? { month } : {}),
      ...(type.startsWith('absolute') ? { dayOfMonth } : {}),
      ...(type === 'weekly' || isRelative ? { daysOfWeek } : {}),
      ...(type === 'weekly' && firstDayOfWeek ? { firstDayOfWeek } : {}),
      ...(isRelative ? { index } : {}),
    },
    range: {
      type: range.type,
      startDate: range.startDate,
      ...(range.type === 'endDate' ? { endDate: range.endDate } : {}),
      ...(range.type === 'numbered' ? { numberOfOccurrences: range.numberOfOccurrences } : {}),
      ...zoneOf(range),
    },
  };
}

/** Without a zone Graph takes the event's, which it may have under a name that it refuses. */
function zoneOf({ recurrenceTimeZone }: WireRecurrence['range']): Pick<WireRecurrence['range'], 'recurrenceTimeZone'> {
  const name = namedZone(recurrenceTimeZone);
  return name === undefined ? {} : { recurrenceTimeZone: name };
}

function detailsAfter(
  master: WireMaster,
  change: { readonly [Name in keyof KeptDetails]: KeptDetails[Name] | undefined },
  present: KeptDetails = {},
): readonly WireProperty[] {
  const kept = readKept(master.singleValueExtendedProperties);
  const before: KeptProperties = { ...kept, details: { ...kept.details, ...present } };
  const entries = Object.entries({ ...kept.details, ...change }).filter(([, value]) => value !== undefined);
  return writeKept(before, { ...kept, details: Object.fromEntries(entries) });
}
