import { DateTime } from 'luxon';
import { type Content, type Fields, MERGED } from './copy-event.ts';

const AVAILABILITY = ['transparency', 'status', 'eventType', 'showAs'];

/** @param blank what a field shows that was cleared */
function shownAfter(before: Fields, asked: Fields, blank: Fields): Fields {
  const given = Object.entries(asked).map(([field, value]) => [
    field,
    MERGED.has(field) && value != null
      ? { ...(before[field] as Fields), ...(value as Fields) }
      : (value ?? blank[field]),
  ]);
  const shown: Fields = { ...before, ...Object.fromEntries(given) };
  const isSame = AVAILABILITY.every((field) => !(field in asked) || shown[field] === before[field]);
  return isSame ? shown : { ...shown, ...stateOf(shown, asked['showAs']) };
}

/** The four fields that say what the person does meanwhile agree. */
function stateOf({ transparency, status, eventType }: Fields, showAs: unknown): Fields {
  if (showAs === 'workingElsewhere')
    return { transparency: 'opaque', status: 'confirmed', eventType: 'default', showAs };
  const type = showAs === 'oof' ? 'outOfOffice' : eventType;
  const isFree = showAs === 'free' || (showAs == null && transparency === 'transparent');
  const state = type === 'outOfOffice' ? 'oof' : status === 'tentative' ? 'tentative' : 'busy';
  return {
    transparency: isFree ? 'transparent' : 'opaque',
    status,
    eventType: type,
    showAs: isFree ? 'free' : state,
  };
}

/** The same content in one form: lists without an order are sorted, absent fields left out, and times are instants. */
function tidy(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([field, value]) => [field, tidyValue(field, value, fields)]));
}

function tidyValue(field: string, value: unknown, { isAllDay }: Fields): unknown {
  if (field === 'attendees') {
    return (value as readonly { readonly email: string }[]).toSorted((one, other) =>
      one.email < other.email ? -1 : 1,
    );
  }
  if (field === 'recurrence') return (value as readonly string[]).flatMap(tidyLine).toSorted();
  if (field === 'reminders') {
    const { overrides = [], ...rest } = value as { readonly overrides?: readonly unknown[] };
    return { ...rest, overrides: overrides.map((override) => JSON.stringify(override)).toSorted() };
  }
  if (field === 'conferenceData') {
    // Providers add words of their own about it.
    const { conferenceId, conferenceType, joinUrl } = value as Fields;
    return { conferenceId, conferenceType, joinUrl };
  }
  if (MERGED.has(field)) return Object.fromEntries(Object.entries(value as Fields).filter(([, text]) => text !== null));
  if (field !== 'start' && field !== 'end') return value;
  const { dateTime, timeZone } = value as { readonly dateTime: string; readonly timeZone?: string };
  return isAllDay === true ? dateTime.slice(0, 10) : `${dateTime.slice(0, 19)} ${timeZone}`;
}

/**
 * Returns a series' master (under '') and its exceptions (by slot; null if cancelled) as they show after what was asked. An
 * exception that was not asked for times has none here.
 * @param blank what an event shows that was asked for nothing
 */
export function inFull({ fields, exceptions }: Content, blank: Fields): ReadonlyMap<string, Fields | null> {
  const master = shownAfter(blank, fields, blank);
  const { start: _start, end: _end, ...base }: Fields = { ...master, recurrence: null };
  return new Map<string, Fields | null>([
    ['', tidy(master)],
    ...exceptions.map(({ slot, own }): [string, Fields | null] => [slot, own && tidy(shownAfter(base, own, blank))]),
  ]);
}

/** A line of a recurrence in one spelling: parts of rules sorted, and each time on its own, in UTC. */
function tidyLine(line: string): readonly string[] {
  const [head = '', value = ''] = line.split(':');
  if (head === 'RRULE') return [`RRULE:${value.split(';').toSorted().join(';')}`];
  const [name, ...parameters] = head.split(';');
  const zone = parameters.find((parameter) => parameter.startsWith('TZID='))?.slice('TZID='.length) ?? 'UTC';
  const inUtc = (text: string) => DateTime.fromISO(text, { zone }).toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'");
  return value.split(',').map((text) => `${name}:${text.includes('T') ? inUtc(text) : text}`);
}
