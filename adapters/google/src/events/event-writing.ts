import type { CalendarEvent, EventDateTime } from 'kalends/model';
import { type EventContent, type EventPatch, ProviderError } from 'kalends/ports';
import { EVENT_COLOR_IDS, LONGEST_DESCRIPTION } from '../capabilities.ts';
import { unsupported } from '../transport/google-failure.ts';
import { writeAttendees } from './attendees.ts';
import { writeConference } from './conference.ts';
import { writeTime } from './event-time.ts';
import type { WireEvent } from './event-wire.ts';
import { type ExceptionBefore, writeExtendedProperties, writeOwnProperties } from './extended-properties.ts';
import { withoutShowAs, writeExtensions } from './extensions.ts';
import { writeRecurrence } from './recurrence-writing.ts';
import { writeReminders } from './reminders.ts';

/** Context of a write's body beside the patch. */
export interface BodyContext {
  /** Present content of the event; undefined for a new one. */
  readonly content: EventContent | undefined;
  /** The event as just read from Google; required to merge attendees. */
  readonly fresh: WireEvent | undefined;
  readonly isOccurrence: boolean;
  /** Set for an occurrence whose series is known: the write records which properties are its own. */
  readonly exception?: ExceptionBefore | undefined;
  readonly calendarIsPrimary: boolean;
  readonly allowedConferences: readonly string[];
  /** Request id of a conference to be created. */
  readonly conferenceRequestId: string;
  /** See WriteOptions. */
  readonly keepsAnswers?: boolean;
}

export type WireBody = Record<string, unknown>;

const NOTHING: Pick<EventContent, 'publicExtendedProperties' | 'privateExtendedProperties'> = {
  publicExtendedProperties: {},
  privateExtendedProperties: {},
};

/**
 * Returns the body of an insert or a patch: exactly the fields that the patch changes, null for those it clears.
 * @throws ProviderError unsupported or invalid, naming the public field
 */
export function writeBody(given: EventPatch, context: BodyContext): WireBody {
  const patch = withoutShowAs(given, context.content, context.calendarIsPrimary);
  const body: WireBody = { ...writeExtensions(patch) };
  writeTexts(body, patch);
  writeVisibility(body, patch, context);
  writeTimes(body, patch, context);
  writeType(body, patch, context);
  if (patch.attendees !== undefined) {
    body['attendees'] = writeAttendees(patch.attendees, context.fresh, context.keepsAnswers);
  }
  if (patch.reminders !== undefined) body['reminders'] = writeReminders(patch.reminders);
  const shown = context.content ?? NOTHING;
  const properties =
    context.exception === undefined
      ? writeExtendedProperties(patch, shown)
      : writeOwnProperties(patch, shown, context.exception);
  if (properties !== undefined) body['extendedProperties'] = properties;
  const conference = writeConference(patch, context.content ?? {}, {
    allowed: context.allowedConferences,
    requestId: context.conferenceRequestId,
  });
  if (conference !== undefined) body['conferenceData'] = conference;
  return body;
}

/** Returns a body for an insert, without nulls, empty objects and empty lists at any depth: it has nothing to clear. */
export function withoutNulls(body: WireBody): WireBody {
  const entries = Object.entries(body).flatMap(([key, value]): [string, unknown][] => {
    if (value === null) return [];
    const kept = isPlainObject(value) ? withoutNulls(value) : value;
    return isPlainObject(kept) && Object.keys(kept).length === 0 ? [] : [[key, kept]];
  });
  return Object.fromEntries(entries);
}

function isPlainObject(value: unknown): value is WireBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function writeTexts(body: WireBody, patch: EventPatch): void {
  if ((patch.description?.length ?? 0) > LONGEST_DESCRIPTION) {
    const rule = `must be at most ${LONGEST_DESCRIPTION} characters`;
    throw new ProviderError('invalid', rule, { field: 'description' });
  }
  if (patch.colorId != null && !EVENT_COLOR_IDS.includes(patch.colorId)) {
    throw unsupported('colorId', 'Google has event colours 1 to 11');
  }
  const fields = {
    summary: patch.title,
    description: patch.description,
    location: patch.location,
    colorId: patch.colorId,
    transparency: patch.transparency === null ? 'opaque' : patch.transparency,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) body[name] = value;
  }
}

/**
 * Writes the visibility. Google has one for all of a series: it applies a stricter one of an instance to all, and ignores a laxer
 * one. A recreated occurrence is sent with the one that it had, so that nothing becomes visible.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/events (visibility)
 */
function writeVisibility(body: WireBody, { visibility, isCancelled }: EventPatch, context: BodyContext): void {
  if (visibility === undefined) return;
  const wanted = visibility ?? 'default';
  const isRecreated = context.keepsAnswers === true && isCancelled === undefined;
  if (context.isOccurrence && !isRecreated) {
    if (wanted === context.content?.visibility) return;
    throw unsupported('visibility', 'Google has one visibility for all occurrences of a series');
  }
  body['visibility'] = wanted;
}

function writeTimes(body: WireBody, patch: EventPatch, context: BodyContext): void {
  const isAllDay = allDayOf(patch, context.content);
  if (patch.start !== undefined) body['start'] = writeTime(patch.start, isAllDay);
  if (patch.end !== undefined) body['end'] = writeTime(patch.end, isAllDay);
  const recurrence = recurrenceOf(patch, isAllDay, context);
  if (recurrence !== undefined) body['recurrence'] = recurrence;
}

function allDayOf(patch: EventPatch, content: EventContent | undefined): boolean {
  const given = patch.isAllDay ?? (patch.start === undefined ? content?.isAllDay : patch.start.timeZone === '');
  if (patch.start === undefined && content !== undefined && given !== content.isAllDay) {
    throw new ProviderError('invalid', 'start and end must be given with it', { field: 'isAllDay' });
  }
  return given ?? false;
}

/** Returns the lines to send. When the start changes between timed and all-day, UNTIL and the dates change their form too. */
function recurrenceOf(
  patch: EventPatch,
  isAllDay: boolean,
  { content, isOccurrence }: BodyContext,
): readonly string[] | null | undefined {
  const lines = patch.recurrence;
  if (isOccurrence) {
    if (lines != null && lines.length > 0) throw unsupported('recurrence', 'an occurrence has none of its own');
    return undefined;
  }
  const start: EventDateTime | undefined = patch.start ?? content?.start;
  if (lines != null && start !== undefined) {
    const written = writeRecurrence(lines, { start, isAllDay });
    return written.length === 0 ? null : written;
  }
  if (lines === null) return null;
  const kindChanges = content !== undefined && content.isAllDay !== isAllDay;
  if (!kindChanges || content.recurrence === null || start === undefined) return undefined;
  return writeRecurrence(content.recurrence, { start, isAllDay });
}

const TYPE_PROPERTIES: Readonly<Partial<Record<CalendarEvent['eventType'], string>>> = {
  outOfOffice: 'outOfOfficeProperties',
  focusTime: 'focusTimeProperties',
};

function writeType(body: WireBody, patch: EventPatch, context: BodyContext): void {
  const { content, calendarIsPrimary } = context;
  const wanted = patch.eventType ?? 'default';
  if (content !== undefined) {
    if (patch.eventType !== undefined && wanted !== content.eventType) {
      throw unsupported('eventType', 'Google cannot change the type of an event');
    }
    requireStatusEvent(content.eventType, patch, context);
    return;
  }
  const properties = TYPE_PROPERTIES[wanted];
  if (properties === undefined) return;
  if (!calendarIsPrimary) throw unsupported('eventType', `Google takes ${wanted} on the primary calendar only`);
  requireStatusEvent(wanted, patch, context);
  body['eventType'] = wanted;
  // Without this Google may answer invitations by itself.
  body[properties] = { autoDeclineMode: 'declineNone' };
  body['transparency'] = 'opaque';
}

/** Checks that a status event is timed, busy and without guests. */
function requireStatusEvent(type: CalendarEvent['eventType'], patch: EventPatch, { content }: BodyContext): void {
  if (TYPE_PROPERTIES[type] === undefined) return;
  if (allDayOf(patch, content)) throw unsupported('isAllDay', `a Google event of type ${type} has times, not days`);
  if (patch.transparency === 'transparent') {
    throw unsupported('transparency', `a Google event of type ${type} is opaque`);
  }
  if (patch.attendees != null && patch.attendees.length > 0) {
    throw unsupported('attendees', `a Google event of type ${type} has no attendees`);
  }
}
