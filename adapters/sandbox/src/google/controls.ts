import { ControlError } from '../kernel/kernel.ts';
import { isObject } from './api/json.ts';
import type { WireAttachment } from './api/wire.ts';
import { addListEntry, setRole } from './calendars/calendar-access.ts';
import { findEvent, materialise, touchEvent } from './events/event-store.ts';
import { dateMs } from './events/event-time.ts';
import { plantEvent } from './events/planted-events.ts';
import { findMailbox, type GoogleContext, nextOrdinal, nextRevision } from './google-context.ts';
import { ACCESS_ROLES, EXCEPTION_FATES, type Mailbox, type StoredCalendar } from './google-state.ts';
import { consent, mintAccessToken, revokeGrant } from './oauth/grants.ts';
import { canonicalScopes, FULL_SCOPES } from './oauth/scopes.ts';

type Input = Readonly<Record<string, unknown>>;
type Controls = Readonly<Record<string, (input: Input) => unknown>>;

const DAY_MS = 86_400_000;

/** Creates the control verbs of the Google server. */
export function createControls(context: GoogleContext): Controls {
  return {
    issueAccessToken: (input) => issueAccessToken(context, input),
    revokeGrant: (input) => revokeGrants(context, input),
    expireAccessTokens: (input) => expireAccessTokens(context, input),
    expireSyncTokens: () => expireSyncTokens(context),
    expireChannels: () => expireChannels(context),
    listChannels: () => Object.values(context.state.channels),
    listMails: () => context.state.mails,
    throttle: (input) => throttle(context, input),
    failConferences: (input) => failConferences(context, input),
    setExceptionFate: (input) => setExceptionFate(context, input),
    setOnlineMeetingProviders: (input) => setOnlineMeetingProviders(context, input),
    setRole: (input) => giveRole(context, input),
    setFreeBusyHidden: (input) => setFreeBusyHidden(context, input),
    setGroup: (input) => setGroup(context, input),
    addHolidayCalendar: (input) => addHolidayCalendar(context, input),
    moveHoliday: (input) => moveHoliday(context, input),
    plantEvent: (input) => plant(context, input),
    addAttachment: (input) => addAttachment(context, input),
  };
}

function issueAccessToken(context: GoogleContext, input: Input) {
  const { email } = mailboxOf(context, input);
  const clientId = optionalText(input, 'clientId') ?? 'sandbox-control';
  const scopes = scopesOf(input);
  const { grant } = consent(context, { email, clientId, scopes });
  return mintAccessToken(context, grant, scopes);
}

function revokeGrants(context: GoogleContext, input: Input) {
  const email = optionalText(input, 'email')?.toLowerCase();
  const clientId = optionalText(input, 'clientId');
  const grants = Object.values(context.state.grants).filter(
    (grant) =>
      !grant.revoked &&
      (email === undefined || grant.email === email) &&
      (clientId === undefined || grant.clientId === clientId),
  );
  for (const grant of grants) revokeGrant(context, grant);
  return { revoked: grants.length };
}

function expireAccessTokens(context: GoogleContext, input: Input) {
  const email = optionalText(input, 'email')?.toLowerCase();
  let expired = 0;
  for (const stored of Object.values(context.state.accessTokens)) {
    if (email !== undefined && context.state.grants[stored.grantId]?.email !== email) continue;
    stored.expiresAt = context.kernel.clock.now();
    expired += 1;
  }
  context.kernel.touched();
  return { expired };
}

/** Google expires sync tokens when it drops tombstones, so a later full list does not show the deletions. */
function expireSyncTokens(context: GoogleContext) {
  context.state.syncEpoch += 1;
  for (const calendar of Object.values(context.state.calendars)) {
    const cancelled = Object.values(calendar.events).filter((event) => event.cancelled);
    const tombstones = new Set(cancelled.filter((event) => event.recurringEventId === undefined).map(({ id }) => id));
    for (const { id, recurringEventId = id } of cancelled) {
      if (tombstones.has(recurringEventId)) delete calendar.events[id];
    }
  }
  context.kernel.touched();
  return {};
}

function expireChannels(context: GoogleContext) {
  const now = context.kernel.clock.now();
  const living = Object.values(context.state.channels).filter((channel) => channel.expiresAt > now);
  for (const channel of living) channel.expiresAt = now;
  context.kernel.touched();
  return { expired: living.length };
}

function throttle(context: GoogleContext, input: Input) {
  const { perMinute } = input;
  const isLimit = typeof perMinute === 'number' && Number.isInteger(perMinute) && perMinute >= 0;
  if (perMinute !== null && !isLimit) throw new ControlError('perMinute: must be a whole number of requests, or null');
  context.state.requestsPerMinute = perMinute as number | null;
  context.kernel.touched();
  return { perMinute };
}

function failConferences(context: GoogleContext, input: Input) {
  const { count } = input;
  if (typeof count !== 'number' || count < 0) throw new ControlError('count: must be a number of requests');
  context.state.conferenceFailures = count;
  context.kernel.touched();
  return { count };
}

function setExceptionFate(context: GoogleContext, input: Input) {
  const fate = EXCEPTION_FATES.find((known) => known === input['fate']);
  if (fate === undefined) throw new ControlError(`fate: must be one of ${EXCEPTION_FATES.join(', ')}`);
  context.state.exceptionFate = fate;
  context.kernel.touched();
  return { fate };
}

/** Sets the conference solutions that a calendar allows; an empty list allows none. */
function setOnlineMeetingProviders(context: GoogleContext, input: Input) {
  const calendar = calendarOf(context, input);
  const { providers } = input;
  if (!Array.isArray(providers) || providers.some((name) => typeof name !== 'string')) {
    throw new ControlError('providers: must be a list of conference solutions');
  }
  calendar.conferenceSolutions = providers as string[];
  context.kernel.touched();
  return { calendarId: calendar.id };
}

function giveRole(context: GoogleContext, input: Input) {
  const mailbox = mailboxOf(context, input);
  const calendar = calendarOf(context, input);
  const role = input['role'] === 'none' ? 'none' : ACCESS_ROLES.find((known) => known === input['role']);
  if (role === undefined) throw new ControlError(`role: must be none or one of ${ACCESS_ROLES.join(', ')}`);
  setRole(context, calendar, mailbox, role);
  const entry = mailbox.calendarList[calendar.id];
  if (role !== 'none' && (entry === undefined || entry.deleted)) addListEntry(context, mailbox, calendar);
  return { calendarId: calendar.id };
}

/** Keeps the primary calendar of a person from the free/busy of colleagues, or shares it again. */
function setFreeBusyHidden(context: GoogleContext, input: Input) {
  const { hidden } = input;
  if (typeof hidden !== 'boolean') throw new ControlError('hidden: must be true or false');
  mailboxOf(context, input).isFreeBusyHidden = hidden;
  context.kernel.touched();
  return { hidden };
}

/** Creates a group of addresses, or changes its members. */
function setGroup(context: GoogleContext, input: Input) {
  const { members } = input;
  const email = optionalText(input, 'email')?.toLowerCase();
  if (email === undefined) throw new ControlError('email: is required');
  if (!Array.isArray(members) || members.some((member) => typeof member !== 'string'))
    throw new ControlError('members: must be a list of addresses');
  context.state.groups[email] = members as string[];
  context.kernel.touched();
  return { email };
}

/** Subscribes a mailbox to a read-only holiday calendar, which Google fills itself and which has no push. */
function addHolidayCalendar(context: GoogleContext, input: Input) {
  const mailbox = mailboxOf(context, input);
  const id = 'en.sandbox#holiday@group.v.calendar.google.com';
  const calendar = context.state.calendars[id] ?? createHolidays(context, id);
  calendar.acl[mailbox.email] = 'reader';
  addListEntry(context, mailbox, calendar);
  return { calendarId: id };
}

function createHolidays(context: GoogleContext, id: string): StoredCalendar {
  const calendar: StoredCalendar = {
    id,
    kind: 'holiday',
    summary: 'Holidays in Sandbox',
    timeZone: 'UTC',
    dataOwner: id,
    revision: nextRevision(context),
    acl: {},
    events: {},
  };
  context.state.calendars[id] = calendar;
  const year = new Date(context.kernel.clock.now()).getUTCFullYear();
  for (const [index, [monthDay, summary]] of [
    ['01-01', "New Year's Day"],
    ['05-01', 'Labour Day'],
    ['12-25', 'Christmas Day'],
  ].entries()) {
    const date = `${year}-${monthDay}`;
    const now = context.kernel.clock.now();
    const eventId = `${year}feast${index}`;
    calendar.events[eventId] = {
      id: eventId,
      iCalUID: `${eventId}@google.com`,
      createdAt: now,
      updatedAt: now,
      revision: nextRevision(context),
      ordinal: nextOrdinal(context),
      cancelled: false,
      sequence: 0,
      creatorEmail: id,
      organizerEmail: id,
      fields: {
        summary: summary ?? '',
        start: { date },
        end: { date: dayAfter(date) },
        eventType: 'default',
        status: 'confirmed',
        visibility: 'public',
        transparency: 'transparent',
        reminders: { useDefault: false },
      },
    };
  }
  return calendar;
}

/** Moves the first holiday to the next day: a change that no push announces. */
function moveHoliday(context: GoogleContext, input: Input) {
  const calendar = calendarOf(context, input);
  const event = Object.values(calendar.events)[0];
  if (calendar.kind !== 'holiday' || event === undefined || !('date' in event.fields.start)) {
    throw new ControlError('calendarId: must name a holiday calendar');
  }
  const date = dayAfter(event.fields.start.date);
  event.fields.start = { date };
  event.fields.end = { date: dayAfter(date) };
  touchEvent(context, calendar, event);
  return { eventId: event.id, date };
}

/** Attaches a link to a file to an event, a series or one occurrence, as a person does in Google Calendar. */
function addAttachment(context: GoogleContext, input: Input) {
  const { attachment } = input;
  if (!isObject(attachment) || typeof attachment['fileUrl'] !== 'string') {
    throw new ControlError('attachment: must be an attachment as Google answers it, with a fileUrl');
  }
  const calendar = calendarOf(context, input);
  const found = findEvent(calendar, optionalText(input, 'eventId') ?? '');
  if (found === undefined) throw new ControlError('eventId: no such event');
  const event = found.slot === undefined ? found.event : materialise(context, calendar, found.event, found.slot);
  event.fields.attachments = [...(event.fields.attachments ?? []), attachment as unknown as WireAttachment];
  touchEvent(context, calendar, event);
  return { eventId: event.id };
}

function plant(context: GoogleContext, input: Input) {
  const { event } = input;
  if (!isObject(event)) throw new ControlError('event: must be an event as Google answers it');
  return { eventId: plantEvent(context, calendarOf(context, input), event).id };
}

function dayAfter(date: string): string {
  return new Date(dateMs(date) + DAY_MS).toISOString().slice(0, 10);
}

function mailboxOf(context: GoogleContext, input: Input): Mailbox {
  const email = optionalText(input, 'email');
  const mailbox = email === undefined ? undefined : findMailbox(context, email);
  if (mailbox === undefined) throw new ControlError(`email: no mailbox ${email ?? '(none given)'}`);
  return mailbox;
}

function calendarOf(context: GoogleContext, input: Input): StoredCalendar {
  const id = optionalText(input, 'calendarId') ?? '';
  const calendar = context.state.calendars[id];
  if (calendar === undefined) throw new ControlError(`calendarId: no calendar ${id || '(none given)'}`);
  return calendar;
}

function optionalText(input: Input, name: string): string | undefined {
  const value = input[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new ControlError(`${name}: must be a text`);
  return value;
}

function scopesOf(input: Input): readonly string[] {
  const { scopes } = input;
  if (scopes === undefined) return FULL_SCOPES;
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== 'string')) {
    throw new ControlError('scopes: must be a list of texts');
  }
  return canonicalScopes(scopes.join(' '));
}
