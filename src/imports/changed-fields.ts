import { isUtc } from '../icalendar/index.ts';
import { canonicalJson } from '../mirror/index.ts';
import type { CalendarEvent } from '../model/index.ts';
import { parseRecurrence, serializeRecurrence } from '../recurrence/index.ts';
import { instantOfText } from '../zones/index.ts';

/** Returns the fields that an event does not have already as a file says. */
export function changedFields(
  fields: Readonly<Record<string, unknown>>,
  shown: CalendarEvent,
): Readonly<Record<string, unknown>> {
  const now: Readonly<Record<string, unknown>> = { ...shown };
  const isSeries = shown.recurrence !== null || Array.isArray(fields['recurrence']);
  const isSame = (field: string, value: unknown): boolean => {
    if (field === 'start' || field === 'end')
      return isSameTime(value, shown[field], { isAllDay: shown.isAllDay, isSeries });
    if (field === 'attendees') return isSameList(value, shown.attendees);
    // A meeting of the provider's own is not the file's to end: some make one for each event.
    if (field === 'conferenceData' && value === null && shown.generateMeetingUrlProvider !== undefined) return true;
    if (field === 'recurrence') return canonicalJson(linesOf(value)) === canonicalJson(linesOf(shown.recurrence));
    if (field === 'publicExtendedProperties' || field === 'privateExtendedProperties') {
      const present: Readonly<Record<string, unknown>> = shown[field];
      return Object.entries(value as Readonly<Record<string, unknown>>).every(([key, text]) => present[key] === text);
    }
    return canonicalJson(value ?? null) === canonicalJson(now[field] ?? null);
  };
  const changed = Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isSame(field, value)));
  if ('start' in changed || 'end' in changed || 'isAllDay' in changed) {
    const { start, end, isAllDay } = fields;
    return { ...changed, start, end, isAllDay };
  }
  return changed;
}

/** A time that the file tells in UTC has no zone of its own there: a single event keeps the calendar's. */
function isSameTime(
  value: unknown,
  shown: CalendarEvent['start'],
  { isAllDay, isSeries }: { readonly isAllDay: boolean; readonly isSeries: boolean },
): boolean {
  const given = value as { readonly date?: string; readonly dateTime?: string; readonly timeZone?: string };
  if (given.date !== undefined) return isAllDay && shown.dateTime.slice(0, 10) === given.date;
  const { dateTime = '', timeZone = '' } = given;
  const isSameZone = timeZone === shown.timeZone || (isUtc(timeZone) && (!isSeries || isUtc(shown.timeZone)));
  return !isAllDay && isSameZone && instantOfText(dateTime, shown.timeZone) === Date.parse(shown.dateTime);
}

type Listed = Pick<CalendarEvent['attendees'][number], 'email'> & { readonly kind?: string; readonly name?: string };

const keyOf = ({ email, kind = 'required' }: Listed): string => `${email.toLowerCase()} ${kind}`;

/** A name that the file does not tell is that of the calendar. */
function isSameList(value: unknown, shown: CalendarEvent['attendees']): boolean {
  const known = new Map(shown.map((attendee) => [keyOf(attendee), attendee.name]));
  const given = new Map((value as readonly Listed[]).map((attendee) => [keyOf(attendee), attendee.name ?? '']));
  return (
    known.size === given.size &&
    [...given].every(([key, name]) => known.has(key) && (name || known.get(key)) === known.get(key))
  );
}

/** Returns recurrence lines in one spelling: programs write parts of a rule in any order, and with their defaults. */
function linesOf(recurrence: unknown): readonly string[] {
  return Array.isArray(recurrence) ? serializeRecurrence(parseRecurrence(recurrence)).toSorted() : [];
}
