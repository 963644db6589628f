import type { CalendarEvent } from '../../model/index.ts';
import { formatInstant, instantOfText, parseDateTime, resolveZone } from '../../zones/index.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Fields with a time, the one that no edit changes first. */
const TIMES = ['originalStart', 'start', 'end'] as const;

/**
 * Returns the body of an update without the zone that its client had the record displayed in (`timeZone` of a read): a time that is
 * as it was displayed becomes that of the record, and another one is an instant in the record's own zone. Only a body with the
 * record's id is a record sent back; times alone say the zone that they are to have.
 */
export function withoutDisplayZone(body: Fields, shown: CalendarEvent): Fields {
  const zone = displayZoneOf(body, shown);
  if (zone === undefined) return body;
  const meant = (field: 'start' | 'end') => {
    const given = zonedTime(body[field]);
    if (given?.timeZone !== zone || parseDateTime(given.dateTime)?.offsetMs === undefined) return {};
    return { [field]: given.dateTime === displayed(shown, field, zone) ? shown[field] : { dateTime: given.dateTime } };
  };
  return { ...body, ...meant('start'), ...meant('end') };
}

function displayZoneOf(body: Fields, shown: CalendarEvent): string | undefined {
  if (body['id'] !== shown.id || shown.isAllDay) return undefined;
  for (const field of TIMES) {
    const given = zonedTime(body[field]);
    if (given === undefined || given.timeZone === zonedTime(shown[field])?.timeZone) continue;
    if (resolveZone(given.timeZone) === undefined) continue;
    if (given.dateTime === displayed(shown, field, given.timeZone)) return given.timeZone;
  }
  return undefined;
}

function displayed(shown: CalendarEvent, field: (typeof TIMES)[number], zone: string): string | undefined {
  const time = zonedTime(shown[field]);
  return time && formatInstant(zone, instantOfText(time.dateTime, time.timeZone));
}

function zonedTime(value: unknown): { readonly dateTime: string; readonly timeZone: string } | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { dateTime, timeZone } = value as Fields;
  return typeof dateTime === 'string' && typeof timeZone === 'string' ? { dateTime, timeZone } : undefined;
}
