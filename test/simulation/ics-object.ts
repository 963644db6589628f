import ICAL from 'ical.js';
import { instantOf } from 'kalends/zones';
import { ZONE } from './edit.ts';

/** A time of a property: its wall clock read as UTC, and in which form it is written. */
export interface Point {
  readonly wallMs: number;
  /** TZID; `date` for all-day, `utc` for a time that ends in Z. */
  readonly form: string;
}

/** A slot of a series, which may be cancelled. */
export interface IcsSlot {
  readonly point: Point;
  readonly isCancelled: boolean;
}

const DAY_MS = 86_400_000;
const MOST_SLOTS = 1000;

const ZONE_LINES = [
  'BEGIN:VTIMEZONE',
  `TZID:${ZONE}`,
  'BEGIN:STANDARD',
  'DTSTART:19961027T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19810329T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

export const parseIcs = (data: string): ICAL.Component =>
  new ICAL.Component(ICAL.parse(data) as [string, unknown[], unknown[]]);

/** Returns an object with one event. */
export function newObject(lines: readonly string[]): ICAL.Component {
  const event = ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'];
  const whole = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//a person//EN', ...ZONE_LINES, ...event, 'END:VCALENDAR'];
  return parseIcs(`${whole.join('\r\n')}\r\n`);
}

const digits = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '');

/** Returns the point as a property's line. */
export function pointLine(name: string, { wallMs, form }: Point): string {
  if (form === 'date') return `${name};VALUE=DATE:${digits(wallMs).slice(0, 8)}`;
  return form === 'utc' ? `${name}:${digits(wallMs)}Z` : `${name};TZID=${form}:${digits(wallMs)}`;
}

export const instantOfPoint = ({ wallMs, form }: Point): number =>
  form === 'date' || form === 'utc' ? wallMs : instantOf(form, wallMs);

/** A date or an instant. */
export function pointText(point: Point): string {
  const text = new Date(instantOfPoint(point)).toISOString();
  return point.form === 'date' ? text.slice(0, 10) : text;
}

/** The slot as ids of exceptions have it. */
export function slotKey(point: Point): string {
  const text = digits(instantOfPoint(point));
  return point.form === 'date' ? text.slice(0, 8) : `${text}Z`;
}

/** Returns every point of every property of this name. */
export function pointsOf(event: ICAL.Component, name: string): readonly Point[] {
  return event.getAllProperties(name).flatMap((property) => {
    const zone = property.getFirstParameter('tzid');
    return property.getValues().flatMap((time) => {
      if (!(time instanceof ICAL.Time)) return [];
      const { year, month, day, hour, minute, second, isDate } = time;
      const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
      return [{ wallMs, form: isDate ? 'date' : (zone ?? 'utc') }];
    });
  });
}

export function startOf(event: ICAL.Component): Point {
  const [start] = pointsOf(event, 'dtstart');
  if (start === undefined) throw new Error(`no DTSTART in ${event}`);
  return start;
}

/** Length on the wall clock. */
export function lengthOf(event: ICAL.Component): number {
  const start = startOf(event);
  const [end] = pointsOf(event, 'dtend');
  if (end !== undefined) {
    return end.form === start.form ? end.wallMs - start.wallMs : instantOfPoint(end) - instantOfPoint(start);
  }
  const duration = event.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) return duration.toSeconds() * 1000;
  return start.form === 'date' ? DAY_MS : 0;
}

export const eventsOf = (root: ICAL.Component): readonly ICAL.Component[] => root.getAllSubcomponents('vevent');

export const masterOf = (root: ICAL.Component): ICAL.Component | undefined =>
  eventsOf(root).find((event) => !event.hasProperty('recurrence-id'));

export function exceptionAt(root: ICAL.Component, key: string): ICAL.Component | undefined {
  return eventsOf(root).find((event) => pointsOf(event, 'recurrence-id').some((point) => slotKey(point) === key));
}

/** Returns all slots of a rule, cancelled ones included, by the wall clock. UNTIL is compared as an instant. */
export function slotsOf(master: ICAL.Component): readonly IcsSlot[] {
  const rule = master.getFirstPropertyValue('rrule');
  if (!(rule instanceof ICAL.Recur)) return [];
  const start = startOf(master);
  const cancelled = new Set(pointsOf(master, 'exdate').map(slotKey));
  const [, until] = /UNTIL=(\w+)/.exec(rule.toString().replace(/[-:]/g, '')) ?? [];
  const lines = rule.toString().replace(/;?UNTIL=[^;]*/, '');
  const iterator = ICAL.Recur.fromString(lines).iterator(
    ICAL.Time.fromDateTimeString(new Date(start.wallMs).toISOString().slice(0, 19)),
  );
  const slots: IcsSlot[] = [];
  while (slots.length < MOST_SLOTS) {
    const time = iterator.next();
    if (time === null || time === undefined) break;
    const wallMs = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    const point = { wallMs, form: start.form };
    // `20260302` is after every instant of the day before, and not after itself.
    if (until !== undefined && slotKey(point) > until) break;
    slots.push({ point, isCancelled: cancelled.has(slotKey(point)) });
  }
  return slots;
}

/** Replaces all properties that the lines name. */
export function setLines(event: ICAL.Component, lines: readonly string[]): void {
  const properties = lines.map((line) => ICAL.Property.fromString(line));
  for (const { name } of properties) event.removeAllProperties(name);
  for (const property of properties) event.addProperty(property);
}

/** Returns the component of a slot; an exception is made for one without. */
export function componentAt(root: ICAL.Component, key: string): ICAL.Component {
  const known = exceptionAt(root, key);
  if (known !== undefined) return known;
  const master = masterOf(root);
  const slot = master && slotsOf(master).find(({ point, isCancelled }) => !isCancelled && slotKey(point) === key);
  if (master === undefined || slot === undefined) throw new Error(`the series has no slot ${key}`);
  const exception = new ICAL.Component(structuredClone(master.jCal) as [string, unknown[], unknown[]]);
  for (const name of ['rrule', 'exdate', 'duration']) exception.removeAllProperties(name);
  setLines(exception, [pointLine('RECURRENCE-ID', slot.point)]);
  setTimes(exception, slot.point, lengthOf(master));
  root.addSubcomponent(exception);
  return exception;
}

export function setTimes(event: ICAL.Component, start: Point, lengthMs: number): void {
  event.removeAllProperties('duration');
  const end = { ...start, wallMs: start.wallMs + lengthMs };
  setLines(event, [pointLine('DTSTART', start), pointLine('DTEND', end)]);
}
