import { type EventPatch, ProviderError } from 'kalends/ports';
import { writeAttendees } from './attendees.ts';
import {
  AVAILABILITY,
  readAvailability,
  readVisibility,
  wantedAvailability,
  writeAvailability,
  writeVisibility,
} from './availability.ts';
import { writeConference } from './conference.ts';
import { checkDescription, keptDescription, readDescription, replaceDescription, textToHtml } from './description.ts';
import { isInstance } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';
import { writeExtensions } from './extensions.ts';
import { canonicalJson, type KeptDetails, type KeptProperties, readKept, writeKept } from './kept-properties.ts';
import { writeLocation } from './location.ts';
import { ownAfter } from './own-parts.ts';
import { type WireReminder, writeReminders } from './reminders.ts';
import { suspendedPattern } from './suspended-pattern.ts';
import { writeTimes } from './times-writing.ts';
import type { WriteContext } from './write-context.ts';

/** A request body, and the slots of a series to delete afterwards. */
export interface WrittenEvent {
  readonly body: Readonly<Record<string, unknown>>;
  /** Dates of slots; undefined when the recurrence is not written. */
  readonly excludedDates: readonly string[] | undefined;
  /** Whether the pattern must be removed first, so that Exchange forgets deletions. */
  readonly restoresSlots: boolean;
}

/**
 * Returns a patch as the body of a Graph request: the changed properties only.
 * @throws ProviderError unsupported or invalid, naming the field
 */
export function writeEvent(patch: EventPatch, context: WriteContext): WrittenEvent {
  const { before, calendar } = context;
  const kept = readKept(before?.singleValueExtendedProperties);
  const suspended = before === null ? undefined : suspendedPattern(before);
  const times = writeTimes(patch, context);
  const conference = writeConference(patch, before, calendar);
  const availability = writeAvailability(patch, before, kept.details);
  const visibility = visibilityOf(patch, before, kept.details);
  const reminders = patch.reminders === undefined ? undefined : writeReminders(patch.reminders);
  const attendees =
    patch.attendees === undefined ? undefined : writeAttendees(patch.attendees ?? [], before, context.ownAddress);
  const becomesOnline = conference !== undefined;
  checkDescription(patch.description ?? '');
  const description = descriptionOf(patch, before, becomesOnline);
  const isHtml = becomesOnline || before?.isOnlineMeeting === true || context.htmlBody !== undefined;
  const content: KeptProperties = {
    public: merged(kept.public, patch.publicExtendedProperties),
    private: merged(kept.private, patch.privateExtendedProperties),
    details: withoutUndefined({
      ...kept.details,
      suspended: undefined,
      ...times.details,
      ...(patch.colorId === undefined ? {} : { colorId: patch.colorId || undefined }),
      ...(patch.customColor === undefined ? {} : { customColor: patch.customColor || undefined }),
      ...(visibility === undefined ? {} : { visibility: visibility.visibility }),
      ...(availability === undefined ? {} : { eventType: availability.eventType, status: availability.status }),
      ...(reminders === undefined ? {} : { reminders: reminders.kept }),
      ...(description === undefined ? {} : { description: keptDescription(description, isHtml) }),
    }),
  };
  const isOfSeries = before !== null && isInstance(before);
  const isReminded = reminders !== undefined && !isSameReminder(reminders, before, kept.details);
  const next = isOfSeries
    ? withOwn(kept, content, {
        written: {
          visibility: visibility !== undefined,
          reminders: isReminded,
          description: patch.description !== undefined && description !== undefined,
          startZone: 'startZone' in times.details,
          endZone: 'endZone' in times.details,
        },
        availability: availability && {
          showAs: availability.showAs,
          fields: changedAvailability(patch, before, kept.details),
        },
      })
    : content;
  // A write that changes no recorded property leaves the copy of an exception as it is.
  const properties = canonicalJson(kept) === canonicalJson(next) ? [] : writeKept(context.stored ?? kept, next);
  return {
    body: {
      ...(isSaid(patch.title, before?.subject) ? {} : { subject: patch.title ?? '' }),
      ...bodyOf(description, context, becomesOnline),
      ...(suspended === undefined ? {} : { recurrence: suspended }),
      ...times.body,
      ...writeLocation(patch, before),
      ...writeExtensions(patch, before, isOfSeries),
      ...(attendees === undefined ? {} : { attendees }),
      // An occurrence's own value is sent even when equal to its series', so that Exchange keeps it.
      ...(visibility === undefined || (!isOfSeries && visibility.sensitivity === before?.sensitivity)
        ? {}
        : { sensitivity: visibility.sensitivity }),
      ...(availability === undefined ? {} : { showAs: availability.showAs }),
      ...(reminders === undefined || !isReminded ? {} : reminderOf(reminders, isOfSeries ? null : before)),
      ...conference,
      ...(properties.length === 0 ? {} : { singleValueExtendedProperties: properties }),
    },
    excludedDates: times.excludedDates,
    restoresSlots: times.restoresSlots,
  };
}

/** Returns true when the text is unchanged or not in the patch. */
function isSaid(text: string | null | undefined, before: string | null | undefined): boolean {
  return text === undefined || (text ?? '') === before;
}

function visibilityOf({ visibility }: EventPatch, before: WireEvent | null, details: KeptDetails) {
  if (visibility === undefined) return undefined;
  const isShown = before !== null && readVisibility(before.sensitivity, details) === (visibility ?? 'default');
  // `personal` maps to private, and stays.
  return isShown ? undefined : writeVisibility(visibility);
}

interface OwnWrites {
  readonly written: Parameters<typeof ownAfter>[2];
  readonly availability: { readonly showAs: string; readonly fields: readonly (keyof EventPatch)[] } | undefined;
}

/** Returns the properties to record with an occurrence after a write, and which of them are its own. */
function withOwn(before: KeptProperties, next: KeptProperties, { written, availability }: OwnWrites): KeptProperties {
  const own = ownAfter(before, next, written, availability?.fields ?? []);
  if (own.length === 0) return next;
  return {
    ...next,
    details: {
      ...next.details,
      own: [...own],
      ...(availability === undefined ? {} : { ownShowAs: availability.showAs }),
    },
  };
}

/** Returns which of the fields that Graph stores as one a patch changes; working elsewhere is all of them. */
function changedAvailability(
  patch: EventPatch,
  before: WireEvent,
  details: KeptDetails,
): readonly (keyof EventPatch)[] {
  if ([patch.showAs, before.showAs].includes('workingElsewhere')) return AVAILABILITY;
  const current = readAvailability(before.showAs, details);
  const wanted = wantedAvailability(patch, current);
  return AVAILABILITY.filter((field) => wanted[field] !== current[field]);
}

function isSameReminder(
  written: ReturnType<typeof writeReminders>,
  before: WireEvent | null,
  { reminders }: KeptDetails,
) {
  return (
    Object.keys(reminderOf(written, before)).length === 0 &&
    canonicalJson(written.kept ?? {}) === canonicalJson(reminders ?? {})
  );
}

function reminderOf({ isReminderOn, reminderMinutesBeforeStart }: WireReminder, before: WireEvent | null) {
  const isSame =
    isReminderOn === before?.isReminderOn && reminderMinutesBeforeStart === before.reminderMinutesBeforeStart;
  return isSame ? {} : { isReminderOn, reminderMinutesBeforeStart };
}

/** Returns the description of an event as it is shown. */
export function shownDescription(before: WireEvent): string {
  const { details } = readKept(before.singleValueExtendedProperties);
  return readDescription(before.body?.content, before, details.description);
}

/** Returns true when a patch writes the body over its present HTML: around a meeting's block, or as it is under a new one. */
export function writesOverHtml(patch: EventPatch, before: WireEvent): boolean {
  const isNew = !isSaid(patch.description, shownDescription(before));
  if (before.isOnlineMeeting) return isNew;
  return !isNew && Boolean(patch.generateMeetingUrlProvider || patch.conferenceData);
}

/** Returns the new text of the body; undefined when it stays. */
function descriptionOf(patch: EventPatch, before: WireEvent | null, becomesOnline: boolean): string | undefined {
  if (before === null) return patch.description === undefined ? undefined : (patch.description ?? '');
  const shown = shownDescription(before);
  const text = patch.description === undefined ? shown : (patch.description ?? '');
  // Graph adds the meeting's block to HTML: a text body would be parsed as markup.
  return text === shown && !becomesOnline ? undefined : text;
}

/** Returns the body of a text. That of an online meeting is HTML around the meeting's own block, if it has one yet. */
function bodyOf(text: string | undefined, { before, htmlBody }: WriteContext, becomesOnline: boolean) {
  if (text === undefined) return {};
  // The text without its markup would lose links and pictures.
  if ((becomesOnline || before === null) && htmlBody !== undefined)
    return { body: { contentType: 'html', content: htmlBody } };
  if (before?.isOnlineMeeting) {
    if (htmlBody === undefined) throw new TypeError('the body of an online meeting is written over its HTML');
    const content = replaceDescription(htmlBody, textToHtml(text), before.onlineMeeting?.joinUrl);
    if (content === undefined) {
      const rule = 'the body has no recognizable block of the online meeting, which a new description would remove';
      throw new ProviderError('unsupported', rule, { field: 'description' });
    }
    return { body: { contentType: 'html', content } };
  }
  return {
    body: becomesOnline ? { contentType: 'html', content: textToHtml(text) } : { contentType: 'text', content: text },
  };
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
  'locationDetails',
  'guestsCanSeeOtherGuests',
  'allowNewTimeProposals',
] as const satisfies readonly (keyof EventPatch)[];

/**
 * Refuses changes to another organizer's meeting: Graph would accept them on this copy alone, until the organizer's next
 * update overwrites them.
 * @throws ProviderError not-organizer
 */
export function checkOrganizer(patch: EventPatch, before: WireEvent): void {
  if (before.isOrganizer !== false) return;
  const field = ORGANIZER_FIELDS.find((name) => patch[name] !== undefined);
  if (field !== undefined) {
    throw new ProviderError('not-organizer', 'only the organizer can change this', { field });
  }
}
