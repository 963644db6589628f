import ICAL from 'ical.js';
import { type CalDavContext, hasQuirk, nextRevision } from '../caldav-context.ts';
import type { StoredCalendar, StoredObject } from '../caldav-state.ts';
import { isScheduled, printObject, readObject } from './calendar-object.ts';

/** A write of one object. */
export interface ObjectWrite {
  readonly name: string;
  readonly data: string;
  /** Leaves the Schedule-Tag as it is: the server itself has written an answer into it (RFC 6638 §3.2.10). */
  readonly keepsScheduleTag?: boolean;
}

/** Stores an object whose body has been checked. */
export function storeObject(context: CalDavContext, calendar: StoredCalendar, write: ObjectWrite): StoredObject {
  const { name, keepsScheduleTag = false } = write;
  const data = hasQuirk(context, 'rewritesBodies') ? rewritten(write.data) : write.data;
  const read = readObject(data);
  const revision = nextRevision(context);
  const former = calendar.objects[name];
  const isPlain = hasQuirk(context, 'noScheduling') || !isScheduled(read);
  const object: StoredObject = {
    name,
    uid: read.uid,
    data,
    revision,
    scheduleRevision: isPlain ? null : keepsScheduleTag ? (former?.scheduleRevision ?? revision) : revision,
    modifiedAt: context.kernel.clock.now(),
  };
  calendar.objects[name] = object;
  calendar.revision = revision;
  delete calendar.tombstones[name];
  return object;
}

export function removeObject(context: CalDavContext, calendar: StoredCalendar, name: string): void {
  if (!Object.hasOwn(calendar.objects, name)) return;
  delete calendar.objects[name];
  const revision = nextRevision(context);
  calendar.tombstones[name] = { revision, modifiedAt: context.kernel.clock.now() };
  calendar.revision = revision;
}

export const objectOfUid = (calendar: StoredCalendar, uid: string): StoredObject | undefined =>
  Object.values(calendar.objects).find((object) => object.uid === uid);

const OPENING = 'BEGIN:VEVENT';

/** Returns the body as it is sent. A corrupt one has a start that nothing can read. */
export function servedData({ data, corruptSlot }: StoredObject): string {
  if (corruptSlot === undefined) return data;
  const [head = '', ...events] = data.split(OPENING);
  return [head, ...events.map((event) => corrupted(event, corruptSlot))].join(OPENING);
}

function corrupted(event: string, corruptSlot: string): string {
  const lines = event.split('\n');
  const slot = lines
    .find((line) => line.startsWith('RECURRENCE-ID'))
    ?.trim()
    .split(':')
    .at(-1);
  const at = lines.findIndex((line) => line.startsWith('DTSTART'));
  if (corruptSlot !== '' && slot !== corruptSlot) return event;
  return lines.with(at, 'DTSTART;VALUE=DATE-TIME:soon\r').join('\n');
}

/** Prints a body anew: components by name, properties by name. */
const rewritten = (data: string): string => printObject(new ICAL.Component(sorted(readObject(data).root.jCal as JCal)));

type JCal = [string, [string, ...unknown[]][], JCal[]];

function sorted([name, properties, components]: JCal): JCal {
  const byName = (one: readonly [string, ...unknown[]], other: readonly [string, ...unknown[]]): number =>
    one[0].localeCompare(other[0]);
  return [name, [...properties].sort(byName), components.map(sorted).sort(byName)];
}
