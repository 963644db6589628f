import type { EventContent, ImportProblem, ProviderCapabilities } from '../ports/index.ts';
import { nominalWallOf, wallAt } from '../zones/index.ts';

/** Fields of a body for the interface, and those that it leaves out. */
export interface EventBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: readonly ImportProblem[];
}

/** Limits of a body. */
export interface BodyContext {
  readonly limits: ProviderCapabilities;
  /** Whether the account is the organizer, or there is none. */
  readonly isOrganizer: boolean;
}

const COPIED = [
  'title',
  'description',
  'location',
  'visibility',
  'transparency',
  'status',
  'eventType',
  'reminders',
  'publicExtendedProperties',
  'privateExtendedProperties',
  'colorId',
  'customColor',
  'categories',
  'locationDetails',
  'conferenceData',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
  'allowNewTimeProposals',
] as const;

/** Fields that an event of the calendar loses when the file's has none. Details of a place stay: they are often the provider's. */
const CLEARED = ['conferenceData', 'colorId', 'customColor'] as const;

/** Values of fields that an event does not mention. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  description: '',
  location: '',
  visibility: 'default',
  transparency: 'opaque',
  status: 'confirmed',
  eventType: 'default',
  publicExtendedProperties: {},
  privateExtendedProperties: {},
  categories: [],
  guestsCanSeeOtherGuests: true,
};

/** Fields without which an event would be another one. */
const ESSENTIAL = new Set(['title', 'start', 'end', 'isAllDay', 'recurrence', 'isCancelled', 'notifyAttendees']);

/** Whether an event may be taken over without a field. */
export function isDispensable(field: string): boolean {
  return !ESSENTIAL.has(field);
}

/** Returns the content of a file's event as a body for the interface, without what the calendar cannot hold. */
export function eventBody(content: EventContent, context: BodyContext): EventBody {
  const problems: ImportProblem[] = [];
  const leaveOut = (field: string, rule: string) => problems.push({ field, rule });
  const fields: Record<string, unknown> = { ...timesOf(content), recurrence: content.recurrence };
  for (const field of COPIED) {
    if (content[field] !== undefined) fields[field] = content[field];
  }
  if (content.showAs === 'workingElsewhere') fields['showAs'] = content.showAs;
  for (const field of Object.keys(fields)) {
    const rule = isDefault(field, fields[field]) ? undefined : ruleBroken(field, content, context.limits);
    if (rule === undefined) continue;
    delete fields[field];
    leaveOut(field, rule);
  }
  for (const field of CLEARED) {
    // Guests cannot take the link out of another's meeting.
    const isWritable = field !== 'conferenceData' || (context.isOrganizer && context.limits.meetings.givenByHand);
    if (content[field] === undefined && isWritable) fields[field] = null;
  }
  const attendees = content.attendees.map(({ email, name, kind }) => ({ email, name, kind }));
  const rule = attendees.length === 0 ? undefined : attendeesRule(content, context);
  if (rule !== undefined) leaveOut('attendees', rule);
  else {
    fields['attendees'] = attendees;
    const answered = content.attendees.some(
      ({ responseStatus, comment }) => responseStatus !== 'needsAction' || comment,
    );
    if (answered) leaveOut('attendees.responseStatus', 'is the answer of the attendees themselves');
  }
  if (content.hasAttachments) leaveOut('attachments', 'are not imported');
  return { fields, problems };
}

/** Returns the fields that a new event needs: those that are not at their default. */
export function fieldsOfNew({ fields }: EventBody): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => {
      const isEmpty = value === null || (field === 'attendees' && Array.isArray(value) && value.length === 0);
      return field === 'title' || !(isEmpty || isDefault(field, value));
    }),
  );
}

function isDefault(field: string, value: unknown): boolean {
  return field in DEFAULTS && JSON.stringify(DEFAULTS[field]) === JSON.stringify(value);
}

function timesOf({ start, end, isAllDay }: EventContent) {
  if (!isAllDay) return { start: spoken(start), end: spoken(end), isAllDay };
  const dateOf = ({ dateTime }: { readonly dateTime: string }) => ({ date: dateTime.slice(0, 10) });
  return { start: dateOf(start), end: dateOf(end), isAllDay };
}

/** A time that the clocks skip is none as an instant, so that a series from there is refused, and not shifted for good. */
function spoken({ dateTime, timeZone }: EventContent['start']) {
  const isSkipped = nominalWallOf(timeZone, dateTime) !== wallAt(timeZone, Date.parse(dateTime));
  return { dateTime: isSkipped ? dateTime.slice(0, 19) : dateTime, timeZone };
}

function attendeesRule(content: EventContent, { limits, isOrganizer }: BodyContext): string | undefined {
  if (!isOrganizer) return 'are left to the organizer, who is another person';
  if (!limits.attendees.mailSelectable) return 'cannot be written here without mail to them';
  return content.attendees.length > limits.attendees.max ? `must be ${limits.attendees.max} at most` : undefined;
}

const EXTENSIONS: readonly string[] = [
  'status',
  'categories',
  'locationDetails',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'guestsCanSeeOtherGuests',
  'allowNewTimeProposals',
];
const NOT_KEPT = 'is not kept here';

/** Returns the rule of the calendar that a field breaks, undefined when it holds the field. */
function ruleBroken(field: string, content: EventContent, limits: ProviderCapabilities): string | undefined {
  const kept: readonly string[] = limits.extensions;
  if (EXTENSIONS.includes(field)) return kept.includes(field) ? undefined : NOT_KEPT;
  if (field === 'showAs') return limits.showAs.includes(content.showAs) ? undefined : NOT_KEPT;
  if (field === 'visibility') return limits.visibilities.includes(content.visibility) ? undefined : NOT_KEPT;
  if (field === 'eventType') return limits.eventTypes.includes(content.eventType) ? undefined : NOT_KEPT;
  if (field === 'conferenceData') return limits.meetings.givenByHand ? undefined : NOT_KEPT;
  if (field === 'description') return descriptionRule(content.description, limits.descriptionLength);
  if (field === 'reminders') return remindersRule(content.reminders, limits);
  if (field !== 'colorId' || limits.colorIds === 'any') return undefined;
  return limits.colorIds.includes(content.colorId ?? '') ? undefined : NOT_KEPT;
}

function descriptionRule({ length }: string, most: number): string | undefined {
  return length > most ? `must have ${most} characters at most` : undefined;
}

function remindersRule(reminders: EventContent['reminders'], { reminders: limits }: ProviderCapabilities) {
  const overrides = reminders.overrides ?? [];
  if (overrides.length > limits.maxOverrides) return `must be ${limits.maxOverrides} at most`;
  return overrides.some(({ method }) => !limits.methods.includes(method)) ? NOT_KEPT : undefined;
}
