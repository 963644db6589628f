import { badRequest, GoogleError, required } from '../api/google-error.ts';
import { isObject, readBoolean, readChoice, readString } from '../api/json.ts';
import type { ExtendedProperties, Json, Reminder, Reminders } from '../api/wire.ts';
import type { EventFields, StoredTime } from '../google-state.ts';
import { readAttendees } from '../guests/attendee-input.ts';
import { readTime } from './event-time.ts';
import { checkEventType } from './event-types.ts';
import { checkRecurrence, storedRecurrence } from './series.ts';

const KEY_LIMIT = 44;
const VALUE_LIMIT = 1024;
const PROPERTIES_LIMIT = 300;
const PROPERTIES_SIZE_LIMIT = 32_768;
const REMINDERS_LIMIT = 5;
const REMINDER_MINUTES_LIMIT = 40_320;
export const TYPE_PROPERTIES = [
  'outOfOfficeProperties',
  'focusTimeProperties',
  'workingLocationProperties',
  'birthdayProperties',
] as const;

/** The rules of the calendar that an event body is written to. */
export interface FieldRules {
  readonly isPrimary: boolean;
  readonly isInstance: boolean;
}

/**
 * Reads the writable fields of a complete event body (of an insert, or after merging a patch). Fields that the API
 * does not know are ignored, as the API does; `conferenceData` is handled apart.
 * @throws GoogleError 400
 */
export function readFields(body: Json, rules: FieldRules): EventFields {
  const start = readTime(body['start'], 'start');
  const end = readTime(body['end'], 'end');
  checkRange(start, end);
  const recurrence = readRecurrence(body['recurrence'], start, rules);
  const eventType = readString(body, 'eventType') ?? 'default';
  const fields: EventFields = {
    start,
    end,
    eventType,
    status:
      readChoice(body, 'status', ['confirmed', 'tentative', 'cancelled']) === 'tentative' ? 'tentative' : 'confirmed',
    reminders: readReminders(body['reminders']),
  };
  assignDefined(fields, {
    summary: readString(body, 'summary'),
    description: readString(body, 'description'),
    location: readString(body, 'location'),
    colorId: readColor(body),
    eventLabelId: readString(body, 'eventLabelId') || undefined,
    recurrence,
    transparency: readChoice(body, 'transparency', ['opaque', 'transparent']),
    visibility: readChoice(body, 'visibility', ['default', 'public', 'private', 'confidential']),
    attendees: readAttendees(body['attendees']),
    extendedProperties: readExtendedProperties(body['extendedProperties']),
    guestsCanModify: readBoolean(body, 'guestsCanModify'),
    guestsCanInviteOthers: readBoolean(body, 'guestsCanInviteOthers'),
    guestsCanSeeOtherGuests: readBoolean(body, 'guestsCanSeeOtherGuests'),
    anyoneCanAddSelf: readBoolean(body, 'anyoneCanAddSelf'),
    privateCopy: readBoolean(body, 'privateCopy'),
    source: isObject(body['source']) ? body['source'] : undefined,
    attachments: Array.isArray(body['attachments']) ? (body['attachments'] as EventFields['attachments']) : undefined,
    typeProperties: readTypeProperties(body),
  });
  checkEventType(fields, rules.isPrimary);
  return fields;
}

function assignDefined(fields: EventFields, values: Partial<EventFields>): void {
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) Object.assign(fields, { [key]: value });
  }
}

function checkRange(start: StoredTime, end: StoredTime): void {
  if ('date' in start !== 'date' in end) {
    throw badRequest('Start and end times must either both be date or both be dateTime.');
  }
  // An all-day event may end on the day it begins (observed: odoo/odoo#87646).
  const isEmpty =
    'date' in start && 'date' in end ? end.date < start.date : 'at' in start && 'at' in end && end.at < start.at;
  if (isEmpty) {
    throw new GoogleError(400, 'timeRangeEmpty', 'The specified time range is empty.', { domain: 'calendar' });
  }
}

function readRecurrence(value: unknown, start: StoredTime, rules: FieldRules): string[] | undefined {
  if (value == null) return undefined;
  if (!Array.isArray(value) || value.some((line) => typeof line !== 'string')) {
    throw badRequest('Invalid value for: recurrence');
  }
  const lines = value as string[];
  if (lines.length === 0) return undefined;
  if (rules.isInstance) throw badRequest('Recurrence cannot be set on an instance of a recurring event.');
  if ('at' in start && start.timeZone === null) throw required('Missing time zone definition for start time.');
  checkRecurrence(lines, start);
  return storedRecurrence(lines);
}

function readColor(body: Json): string | undefined {
  const colorId = readString(body, 'colorId');
  if (colorId === undefined || colorId === '') return undefined;
  if (!/^(?:[1-9]|1[01])$/.test(colorId)) throw badRequest('Invalid value for: colorId');
  return colorId;
}

export function readReminder(value: unknown): Reminder {
  if (!isObject(value)) throw badRequest('Invalid value for: reminders');
  const { method, minutes } = value;
  if (method !== 'email' && method !== 'popup') throw badRequest('Invalid reminder method.');
  if (typeof minutes !== 'number' || !Number.isInteger(minutes) || minutes < 0 || minutes > REMINDER_MINUTES_LIMIT) {
    throw badRequest('Invalid reminder minutes.');
  }
  return { method, minutes };
}

function readReminders(value: unknown): Reminders {
  if (value == null) return { useDefault: true };
  if (!isObject(value)) throw badRequest('Invalid value for: reminders');
  const useDefault = readBoolean(value, 'useDefault') ?? false;
  const overrides = value['overrides'] == null ? [] : value['overrides'];
  if (!Array.isArray(overrides)) throw badRequest('Invalid value for: reminders');
  if (useDefault && overrides.length > 0) {
    throw new GoogleError(
      400,
      'cannotUseDefaultRemindersAndSpecifyOverride',
      'Cannot specify both default reminders and overrides at the same time.',
      { domain: 'calendar' },
    );
  }
  if (overrides.length > REMINDERS_LIMIT) throw badRequest('Too many reminder overrides.');
  return overrides.length === 0 ? { useDefault } : { useDefault, overrides: overrides.map(readReminder) };
}

/** Drops overlong keys and cuts overlong values, both silently, as the API does. */
function readExtendedProperties(value: unknown): ExtendedProperties | undefined {
  if (value == null) return undefined;
  if (!isObject(value)) throw badRequest('Invalid value for: extendedProperties');
  const result: ExtendedProperties = {};
  let count = 0;
  let size = 0;
  for (const kind of ['private', 'shared'] as const) {
    const entries = value[kind];
    if (entries == null) continue;
    if (!isObject(entries)) throw badRequest(`Invalid value for: extendedProperties.${kind}`);
    const kept: [string, string][] = [];
    for (const [key, text] of Object.entries(entries)) {
      if (typeof text !== 'string') throw badRequest(`Invalid value for: extendedProperties.${kind}.${key}`);
      if (key.length <= KEY_LIMIT) kept.push([key, text.slice(0, VALUE_LIMIT)]);
    }
    count += kept.length;
    size += kept.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
    if (kept.length > 0) result[kind] = Object.fromEntries(kept);
  }
  if (count > PROPERTIES_LIMIT || size > PROPERTIES_SIZE_LIMIT) throw badRequest('Too many extended properties.');
  return count === 0 ? undefined : result;
}

function readTypeProperties(body: Json): Record<string, unknown> | undefined {
  const present = TYPE_PROPERTIES.filter((name) => isObject(body[name])).map((name) => [name, body[name]] as const);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}
