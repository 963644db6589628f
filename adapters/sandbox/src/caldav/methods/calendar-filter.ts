import ICAL from 'ical.js';
import type { StoredObject } from '../caldav-state.ts';
import { readObject, textOf, timeOf } from '../objects/calendar-object.ts';
import { DavError } from '../wire/dav-error.ts';
import { CALDAV } from '../wire/names.ts';
import { childOf, type XmlElement } from '../wire/read-xml.ts';

const named = (local: string) => ({ uri: CALDAV, local });

/**
 * Tells whether an object matches a filter of calendar-query (RFC 4791 §9.7). The window is coarse: a series matches from its first
 * to its last day, whatever lies between.
 */
export function matchesFilter(object: StoredObject, filter: XmlElement): boolean {
  const [calendar, ...others] = filter.children;
  const name = calendar?.attributes['name']?.toUpperCase();
  if (calendar === undefined || others.length > 0 || calendar.local !== 'comp-filter')
    throw new DavError(403, 'valid-filter');
  if (name !== 'VCALENDAR') return false;
  const { root } = readObject(object.data);
  return calendar.children.every((part) => matchesPart(root, part));
}

function matchesPart(component: ICAL.Component, part: XmlElement): boolean {
  switch (part.local) {
    case 'comp-filter': {
      const inner = component.getAllSubcomponents(nameOf(part));
      if (childOf(part, named('is-not-defined')) !== undefined) return inner.length === 0;
      return inner.some((each) => part.children.every((detail) => matchesPart(each, detail)));
    }
    case 'prop-filter':
      return matchesProperty(component, part);
    case 'time-range':
      return meets(component, part);
    default:
      throw new DavError(403, 'supported-filter');
  }
}

function nameOf({ attributes }: XmlElement): string {
  const name = attributes['name'];
  if (name === undefined) throw new DavError(403, 'valid-filter');
  return name.toLowerCase();
}

function matchesProperty(component: ICAL.Component, part: XmlElement): boolean {
  const properties = component.getAllProperties(nameOf(part));
  if (childOf(part, named('is-not-defined')) !== undefined) return properties.length === 0;
  const text = childOf(part, named('text-match'));
  if (part.children.some((detail) => detail !== text)) throw new DavError(403, 'supported-filter');
  if (text === undefined) return properties.length > 0;
  const wanted = text.text.toLowerCase();
  const contains = properties.some((property) => String(property.getFirstValue()).toLowerCase().includes(wanted));
  return contains !== (text.attributes['negate-condition'] === 'yes');
}

const DAY_S = 86_400;

/** A day more on both sides: dates and floating times are of no zone. */
function meets(event: ICAL.Component, { attributes }: XmlElement): boolean {
  const from = instantOf(attributes['start']) ?? Number.NEGATIVE_INFINITY;
  const to = instantOf(attributes['end']) ?? Number.POSITIVE_INFINITY;
  if (attributes['start'] === undefined && attributes['end'] === undefined) throw new DavError(403, 'valid-filter');
  const start = timeOf(event, 'dtstart')?.toUnixTime() ?? 0;
  return start - DAY_S < to && lastSecondOf(event, start) + DAY_S > from;
}

function lastSecondOf(event: ICAL.Component, start: number): number {
  const rule = event.getFirstPropertyValue('rrule');
  const length = (timeOf(event, 'dtend')?.toUnixTime() ?? start + DAY_S) - start;
  if (rule === null && textOf(event, 'rdate') === '') return start + length;
  const until = rule instanceof ICAL.Recur ? rule.until : null;
  return until === null || textOf(event, 'rdate') !== '' ? Number.POSITIVE_INFINITY : until.toUnixTime() + length;
}

function instantOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  if (year === undefined) throw new DavError(403, 'valid-filter');
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) / 1000;
}
