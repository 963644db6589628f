import { type EventPatch, ProviderError } from 'kalends/ports';
import { writeAttendees } from './attendees.ts';
import { writeAvailability, writeVisibility } from './availability.ts';
import { writeConference } from './conference.ts';
import { readDescription, replaceDescription, textToHtml } from './description.ts';
import type { WireEvent } from './event-wire.ts';
import { type KeptDetails, type KeptProperties, readKept, writeKept } from './kept-properties.ts';
import { writeReminders } from './reminders.ts';
import { writeTimes } from './times-writing.ts';
import type { WriteContext } from './write-context.ts';

/** A request body, and the slots of a series that are to be deleted once it is written. */
export interface WrittenEvent {
  readonly body: Readonly<Record<string, unknown>>;
  /** Dates of slots; undefined when the recurrence is not written. */
  readonly excludedDates: readonly string[] | undefined;
}

/**
 * A patch as the body of a Graph request: the changed properties only.
 * @throws ProviderError unsupported or invalid, naming the field
 */
export function writeEvent(patch: EventPatch, context: WriteContext): WrittenEvent {
  const { before, calendar } = context;
  const kept = readKept(before?.singleValueExtendedProperties);
  const times = writeTimes(patch, context);
  const conference = writeConference(patch, before, calendar);
  const availability = writeAvailability(patch, before, kept.details);
  const visibility = patch.visibility === undefined ? undefined : writeVisibility(patch.visibility);
  const reminders = patch.reminders === undefined ? undefined : writeReminders(patch.reminders);
  const next: KeptProperties = {
    public: merged(kept.public, patch.publicExtendedProperties),
    private: merged(kept.private, patch.privateExtendedProperties),
    details: withoutUndefined({
      ...kept.details,
      ...times.details,
      ...(patch.colorId === undefined ? {} : { colorId: patch.colorId || undefined }),
      ...(patch.customColor === undefined ? {} : { customColor: patch.customColor || undefined }),
      ...(visibility === undefined ? {} : { visibility: visibility.visibility }),
      ...(availability === undefined ? {} : { eventType: availability.eventType }),
      ...(reminders === undefined ? {} : { usesDefaultReminder: reminders.usesDefaultReminder || undefined }),
    }),
  };
  const properties = writeKept(kept, next);
  return {
    body: {
      ...(patch.title === undefined ? {} : { subject: patch.title ?? '' }),
      ...bodyOf(patch, context, conference !== undefined),
      ...times.body,
      ...(patch.location === undefined ? {} : { location: { displayName: patch.location ?? '' } }),
      ...(patch.attendees === undefined ? {} : { attendees: writeAttendees(patch.attendees ?? [], before) }),
      ...(visibility === undefined ? {} : { sensitivity: visibility.sensitivity }),
      ...(availability === undefined ? {} : { showAs: availability.showAs }),
      ...(reminders === undefined
        ? {}
        : {
            isReminderOn: reminders.isReminderOn,
            reminderMinutesBeforeStart: reminders.reminderMinutesBeforeStart,
          }),
      ...conference,
      ...(properties.length === 0 ? {} : { singleValueExtendedProperties: properties }),
    },
    excludedDates: times.excludedDates,
  };
}

/** The body, where it changes. That of an online meeting is HTML around the meeting's own block. */
function bodyOf(patch: EventPatch, context: WriteContext, becomesOnline: boolean): Readonly<Record<string, unknown>> {
  const { before, htmlBody } = context;
  const isOnline = before?.isOnlineMeeting ?? false;
  if (patch.description === undefined) {
    if (!becomesOnline || before === null) return {};
    // The block is added to HTML: a body that is text by then would be taken for markup.
    const html = textToHtml(readDescription(before.body?.content, isOnline));
    return { body: { contentType: 'html', content: html } };
  }
  const text = patch.description ?? '';
  if (isOnline) {
    if (htmlBody === undefined) throw new TypeError('the body of an online meeting is written over its HTML');
    const content = replaceDescription(htmlBody, text, before?.onlineMeeting?.joinUrl);
    return { body: { contentType: 'html', content } };
  }
  if (becomesOnline) return { body: { contentType: 'html', content: textToHtml(text) } };
  return { body: { contentType: 'text', content: text } };
}

function merged(
  current: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>> | null | undefined,
): Readonly<Record<string, string>> {
  if (patch === undefined) return current;
  if (patch === null) return {};
  const entries = Object.entries({ ...current, ...patch });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

function withoutUndefined(
  details: { readonly [Name in keyof KeptDetails]: KeptDetails[Name] | undefined },
): KeptDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/** Fields that only the organizer may change; the others are the account's own copy. */
const ORGANIZER_FIELDS = [
  'title',
  'description',
  'start',
  'end',
  'isAllDay',
  'recurrence',
  'attendees',
  'visibility',
  'location',
  'conferenceData',
  'generateMeetingUrlProvider',
] as const satisfies readonly (keyof EventPatch)[];

/**
 * Graph would take a change of somebody else's meeting and keep it on this copy alone, until the organizer's next
 * update overwrites it.
 * @throws ProviderError not-organizer
 */
export function checkOrganizer(patch: EventPatch, before: WireEvent): void {
  if (before.isOrganizer !== false) return;
  const field = ORGANIZER_FIELDS.find((name) => patch[name] !== undefined);
  if (field !== undefined) {
    throw new ProviderError('not-organizer', 'only the organizer can change this', { field });
  }
}
