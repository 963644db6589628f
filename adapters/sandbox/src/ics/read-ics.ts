import { createHash } from 'node:crypto';
import {
  dateOf,
  type IcsComponent,
  type IcsProperty,
  type IcsTime,
  inZone,
  isDate,
  readComponents,
  readDuration,
  timeOfProperty,
  wallMs,
} from 'kalends/icalendar';
import { createIcsZones, DAY_MS, formatDate, formatWall, type IcsZones } from 'kalends/zones';
import { ControlError, type IcsCalendar, type IcsEvent } from '../kernel/kernel.ts';
import { readRecurrence } from './ics-recurrence.ts';

/** The calendars of a file, and its unusable parts. */
export interface IcsReading {
  /** One per VCALENDAR, in the order of the file. */
  readonly calendars: readonly IcsCalendar[];
  /** One sentence per thing left out, for a person to read. */
  readonly problems: readonly string[];
}

/**
 * Reads an iCalendar text as real programs write it: any zone name ends as an IANA zone, a missing end is worked out,
 * of several versions of one event the latest counts. A calendar without a name gets `fallbackName`. Alarms, tasks and journals are not read.
 * @throws ControlError when the text holds no VCALENDAR
 */
export function readIcs(text: string, fallbackName = 'Imported calendar'): IcsReading {
  const problems: string[] = [];
  const report = (problem: string): void => {
    problems.push(problem);
  };
  const reading = readComponents(text);
  for (const problem of reading.problems) report(problem);
  const calendars = reading.components.filter((component) => component.name === 'VCALENDAR');
  if (calendars.length === 0) throw new ControlError('ics: no VCALENDAR in the text');
  return { calendars: calendars.map((component) => readCalendar(component, fallbackName, report)), problems };
}

function readCalendar(component: IcsComponent, fallbackName: string, report: (problem: string) => void): IcsCalendar {
  const zones = createIcsZones(component, report);
  const drafts = component.components
    .filter((child) => child.name === 'VEVENT')
    .map((child, index) => readDraft(child, index, zones, report))
    .filter((draft) => draft !== undefined);
  const latest = keepLatest(drafts);
  const masters = new Map(latest.filter((draft) => draft.slot === null).map((draft) => [draft.uid, draft]));
  return {
    name: textOf(component, 'x-wr-calname') || textOf(component, 'name') || fallbackName,
    timeZone: zones.calendarZone,
    events: latest.map((draft) => finish(draft, masters.get(draft.uid), zones)),
  };
}

interface Draft {
  readonly uid: string;
  readonly sequence: number;
  readonly stamp: string;
  readonly start: IcsTime;
  readonly end: string;
  /** RECURRENCE-ID as written. */
  readonly slot: IcsTime | null;
  readonly recurrence: readonly string[];
  readonly component: IcsComponent;
}

function readDraft(
  component: IcsComponent,
  index: number,
  zones: IcsZones,
  report: (problem: string) => void,
): Draft | undefined {
  const written = timeOfProperty(propertyOf(component, 'dtstart'), zones);
  const summary = textOf(component, 'summary');
  if (written === undefined) {
    report(`left out "${summary}": no usable DTSTART`);
    return undefined;
  }
  const endWritten = timeOfProperty(propertyOf(component, 'dtend'), zones);
  const start = asAllDay(component, written, endWritten) ?? written;
  const slotProperty = propertyOf(component, 'recurrence-id');
  const slot = timeOfProperty(slotProperty, zones);
  if (slotProperty !== undefined && slot === undefined) {
    report(`left out "${summary}": no usable RECURRENCE-ID`);
    return undefined;
  }
  return {
    uid: textOf(component, 'uid') || madeUid(component, index),
    sequence: Number.parseInt(textOf(component, 'sequence'), 10) || 0,
    stamp: propertyOf(component, 'dtstamp')?.raw ?? '',
    start,
    end: endOf(component, start, endWritten, zones),
    slot: slot ?? null,
    recurrence: slot === undefined ? readRecurrence(component.properties, start, zones, report) : [],
    component,
  };
}

/** Exchange also writes all-day events as midnights, and says so. */
function asAllDay(component: IcsComponent, start: IcsTime, end: IcsTime | undefined): IcsTime | undefined {
  if (isDate(start) || textOf(component, 'x-microsoft-cdo-alldayevent').toUpperCase() !== 'TRUE') return undefined;
  const atMidnight = start.wall.endsWith('T00:00:00') && (end === undefined || end.wall.endsWith('T00:00:00'));
  return atMidnight ? { wall: start.wall.slice(0, 10), timeZone: null } : undefined;
}

/** DTEND, else DURATION, else one day for a date and nothing for a time (RFC 5545 §3.6.1); an end before the start too. */
function endOf(component: IcsComponent, start: IcsTime, written: IcsTime | undefined, zones: IcsZones): string {
  const fallback = isDate(start) ? shifted(start.wall, 1) : start.wall;
  if (written !== undefined) {
    const end = isDate(start)
      ? written.wall.slice(0, 10)
      : isDate(written)
        ? `${written.wall}T00:00:00`
        : inZone(written, start.timeZone, zones.calendarZone);
    const isAfter = isDate(start) ? end > start.wall : wallMs(end) >= wallMs(start.wall);
    return isAfter ? end : fallback;
  }
  const duration = readDuration(propertyOf(component, 'duration')?.raw ?? '');
  return duration === undefined ? fallback : shifted(start.wall, duration);
}

/** A wall time moved by a duration, in the form of the start (dates move by whole days). */
function shifted(wall: string, ms: number): string {
  return wall.length === 10
    ? formatDate(wallMs(wall) + Math.max(1, Math.ceil(ms / DAY_MS)) * DAY_MS)
    : formatWall(wallMs(wall) + ms);
}

/** Of several versions of one event or one slot the highest SEQUENCE counts, then the latest DTSTAMP. */
function keepLatest(drafts: readonly Draft[]): Draft[] {
  const kept = new Map<string, Draft>();
  for (const draft of drafts) {
    const key = `${draft.uid}\n${draft.slot === null ? '' : `${draft.slot.wall} ${draft.slot.timeZone}`}`;
    const other = kept.get(key);
    const isNewer =
      other === undefined ||
      draft.sequence > other.sequence ||
      (draft.sequence === other.sequence && draft.stamp >= other.stamp);
    if (isNewer) kept.set(key, draft);
  }
  return [...kept.values()];
}

function finish(draft: Draft, master: Draft | undefined, zones: IcsZones): IcsEvent {
  const { component, start } = draft;
  const busyStatus = textOf(component, 'x-microsoft-cdo-busystatus').toUpperCase();
  const transparency = textOf(component, 'transp').toUpperCase();
  const categories = categoriesOf(component);
  return {
    uid: draft.uid,
    summary: textOf(component, 'summary').trim(),
    description: textOf(component, 'description').trim(),
    location: textOf(component, 'location').trim(),
    dtstart: start.wall,
    dtend: draft.end,
    timeZone: start.timeZone,
    recurrence: draft.recurrence,
    recurrenceId: draft.slot === null ? null : slotWall(draft.slot, master?.start ?? start, zones),
    cancelled: textOf(component, 'status').toUpperCase() === 'CANCELLED',
    transparent: transparency === 'TRANSPARENT' || (transparency === '' && busyStatus === 'FREE'),
    visibility: visibilityOf(textOf(component, 'class').toUpperCase()),
    organizer: personOf(propertyOf(component, 'organizer')),
    attendees: component.properties.filter(({ name }) => name === 'attendee').flatMap(attendeeOf),
    ...(textOf(component, 'status').toUpperCase() === 'TENTATIVE' ? { isTentative: true } : {}),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

/** RECURRENCE-ID in the form and zone of the series' start, whatever form the file gave it. */
function slotWall(slot: IcsTime, series: IcsTime, zones: IcsZones): string {
  if (isDate(series)) return dateOf(slot, zones.calendarZone);
  if (isDate(slot)) return `${slot.wall}T${series.wall.slice(11)}`;
  return slot.timeZone === null ? slot.wall : inZone(slot, series.timeZone, zones.calendarZone);
}

/** CLASS:PUBLIC is what most programs write for the default. */
function visibilityOf(name: string): IcsEvent['visibility'] {
  if (name === 'PRIVATE') return 'private';
  return name === 'CONFIDENTIAL' ? 'confidential' : 'default';
}

function personOf(property: IcsProperty | undefined): { email: string; name: string } | null {
  if (property === undefined) return null;
  const address = [property.raw.replace(/^mailto:/i, ''), property.parameters['email'] ?? ''].find((text) =>
    /^[^\s@]+@[^\s@]+$/.test(text),
  );
  return address === undefined ? null : { email: address.toLowerCase(), name: property.parameters['cn'] ?? '' };
}

function attendeeOf(property: IcsProperty): IcsEvent['attendees'] {
  const person = personOf(property);
  if (person === null) return [];
  const kind = kindOf(property);
  const partstat = property.parameters['partstat'] ?? 'NEEDS-ACTION';
  return [{ ...person, partstat, ...(kind === undefined ? {} : { kind }) }];
}

function kindOf({ parameters }: IcsProperty): IcsEvent['attendees'][number]['kind'] {
  if (/^(ROOM|RESOURCE)$/i.test(parameters['cutype'] ?? '')) return 'resource';
  return /^OPT-PARTICIPANT$/i.test(parameters['role'] ?? '') ? 'optional' : undefined;
}

/** CATEGORIES may occur several times, each a list (RFC 5545 §3.8.1.2). */
function categoriesOf(component: IcsComponent): readonly string[] {
  const lists = component.properties.filter(({ name }) => name === 'categories');
  const names = lists.flatMap(({ text }) => text.split(',')).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

function propertyOf(component: IcsComponent, name: string): IcsProperty | undefined {
  return component.properties.find((property) => property.name === name);
}

function textOf(component: IcsComponent, name: string): string {
  return propertyOf(component, name)?.text ?? '';
}

/** A file may leave UIDs out: one is made from what the event says, so that a second import makes the same. */
function madeUid(component: IcsComponent, index: number): string {
  const content = component.properties.map((property) => `${property.name}:${property.raw}`).join('\n');
  return `${createHash('sha256').update(`${index}\n${content}`).digest('hex').slice(0, 32)}@sandbox.invalid`;
}
