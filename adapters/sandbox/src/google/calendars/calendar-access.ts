import { conditionNotMet, GoogleError, notFound } from '../api/google-error.ts';
import { type Caller, etagOf, type GoogleContext, nextOrdinal, nextRevision } from '../google-context.ts';
import { ACCESS_ROLES, type AccessRole, type ListEntry, type Mailbox, type StoredCalendar } from '../google-state.ts';

/** Tells whether a role includes another. */
export function reaches(role: AccessRole, minimum: AccessRole): boolean {
  return ACCESS_ROLES.indexOf(role) >= ACCESS_ROLES.indexOf(minimum);
}

/** A calendar with the caller's role on it. */
export interface AccessedCalendar {
  readonly calendar: StoredCalendar;
  readonly role: AccessRole;
}

/**
 * Returns the calendar of a path segment; `primary` is the caller's.
 * @throws GoogleError 404 when the caller has no access at all, 403 when the role is too low
 */
export function accessCalendar(
  context: GoogleContext,
  caller: Caller,
  calendarId: string,
  minimum: AccessRole,
): AccessedCalendar {
  const found = findAccess(context, caller.mailbox, calendarId);
  if (found === undefined) throw notFound();
  if (!reaches(found.role, minimum)) {
    throw new GoogleError(403, 'requiredAccessLevel', `You need to have ${minimum} access to this calendar.`, {
      domain: 'calendar',
    });
  }
  return found;
}

/** Returns the calendar of a path segment; undefined without access. */
export function findAccess(context: GoogleContext, mailbox: Mailbox, calendarId: string): AccessedCalendar | undefined {
  const id = calendarId === 'primary' ? mailbox.email : calendarId;
  const calendar = context.state.calendars[id] ?? context.state.calendars[id.toLowerCase()];
  const role = calendar?.acl[mailbox.email];
  return calendar === undefined || role === undefined ? undefined : { calendar, role };
}

/** Adds a calendar to a mailbox's list, or brings a removed entry back. */
export function addListEntry(context: GoogleContext, mailbox: Mailbox, calendar: StoredCalendar): ListEntry {
  const existing = mailbox.calendarList[calendar.id];
  const ordinal = existing?.ordinal ?? nextOrdinal(context);
  const entry: ListEntry = {
    calendarId: calendar.id,
    colorId: calendar.kind === 'primary' ? '14' : String((ordinal % 24) + 1),
    hidden: false,
    selected: true,
    deleted: false,
    defaultReminders: calendar.kind === 'primary' ? [{ method: 'popup', minutes: 10 }] : [],
    ordinal,
    revision: nextRevision(context),
  };
  mailbox.calendarList[calendar.id] = entry;
  context.changedResources.add(`calendarList:${mailbox.email}`);
  return entry;
}

/** Marks an entry as changed, so that incremental lists and watchers see it. */
export function touchListEntry(context: GoogleContext, mailbox: Mailbox, entry: ListEntry): void {
  entry.revision = nextRevision(context);
  context.changedResources.add(`calendarList:${mailbox.email}`);
}

/** Gives a mailbox a role on a calendar; `none` takes it away and drops the entry from its list. */
export function setRole(
  context: GoogleContext,
  calendar: StoredCalendar,
  mailbox: Mailbox,
  role: AccessRole | 'none',
): void {
  context.kernel.touched();
  if (role !== 'none') {
    calendar.acl[mailbox.email] = role;
    return;
  }
  delete calendar.acl[mailbox.email];
  const entry = mailbox.calendarList[calendar.id];
  if (entry === undefined || entry.deleted) return;
  entry.deleted = true;
  touchListEntry(context, mailbox, entry);
}

/** @throws GoogleError 412 when the request's If-Match names another version */
export function checkIfMatch(request: Request, revision: number): void {
  const wanted = request.headers.get('if-match');
  if (wanted === null || wanted === '*') return;
  const tags = wanted.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.includes(etagOf(revision))) throw conditionNotMet();
}

/** Returns a 304 when the request's If-None-Match names this version. */
export function notModified(request: Request, revision: number): Response | undefined {
  const known = request.headers.get('if-none-match');
  if (known === null) return undefined;
  const etag = etagOf(revision);
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || known === '*' ? new Response(null, { status: 304, headers: { etag } }) : undefined;
}
