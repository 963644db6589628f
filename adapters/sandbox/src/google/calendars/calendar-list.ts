import { badRequest, notFound, required } from '../api/google-error.ts';
import { isObject, mergePatch, readBoolean, readString } from '../api/json.ts';
import { readBooleanParameter, readIntegerParameter } from '../api/parameters.ts';
import type { Json, Reminder } from '../api/wire.ts';
import { readReminder } from '../events/event-input.ts';
import { type Caller, etagOf, type GoogleContext } from '../google-context.ts';
import { ACCESS_ROLES, type AccessRole, type ListEntry, type Mailbox } from '../google-state.ts';
import { cutPage, openPage, openSync, sealPage, sealSync } from '../sync/tokens.ts';
import { type AccessedCalendar, addListEntry, findAccess, reaches, touchListEntry } from './calendar-access.ts';
import { CALENDAR_FOREGROUND, calendarBackground, nearestCalendarColor } from './colors.ts';
import { conferenceSolutionsOf } from './conference-solutions.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 250;
const RGB = /^#[0-9a-f]{6}$/i;

/**
 * `GET /users/me/calendarList`. An incremental list has changes of the entries only: a new name, zone or role of
 * the calendar behind an entry is not one.
 */
export function listCalendarList(context: GoogleContext, caller: Caller, parameters: URLSearchParams): Json {
  const syncToken = parameters.get('syncToken');
  const showHidden = readBooleanParameter(parameters, 'showHidden') ?? false;
  const showDeleted = readBooleanParameter(parameters, 'showDeleted') ?? false;
  const minimum = readMinimum(parameters.get('minAccessRole'));
  if (syncToken !== null) {
    for (const name of ['minAccessRole', 'showOwnOrganizationOnly']) {
      if (parameters.has(name)) throw badRequest(`Sync token cannot be used with ${name}.`, name);
    }
  }
  const size = Math.min(readIntegerParameter(parameters, 'maxResults', 1) ?? DEFAULT_PAGE, LARGEST_PAGE);
  const { mailbox } = caller;
  const question = `calendarList ${mailbox.email}`;
  const pageQuestion = JSON.stringify([question, syncToken, showHidden, showDeleted, minimum]);
  const pageToken = parameters.get('pageToken');
  const page = pageToken === null ? null : openPage(pageToken, pageQuestion);
  const revision = page?.revision ?? context.state.revision;
  const sync = syncToken === null ? null : openSync(syncToken, question, context.state.syncEpoch);
  const entries = Object.values(mailbox.calendarList).filter((entry) =>
    sync === null
      ? isListed(context, mailbox, entry, { showHidden, showDeleted, minimum })
      : entry.revision > sync.revision,
  );
  const listed = entries.map((entry) => ({ key: [sync === null ? entry.ordinal : entry.revision], item: entry }));
  const { page: items, last } = cutPage(listed, page?.after ?? null, size);
  return {
    kind: 'calendar#calendarList',
    etag: etagOf(revision),
    items: items.map((entry) => renderEntry(context, mailbox, entry)),
    ...(last === null
      ? {
          nextSyncToken: sealSync({
            question,
            revision,
            epoch: context.state.syncEpoch,
            timeMin: null,
            timeMax: null,
          }),
        }
      : { nextPageToken: sealPage({ question: pageQuestion, revision, after: last }) }),
  };
}

function isListed(
  context: GoogleContext,
  mailbox: Mailbox,
  entry: ListEntry,
  wanted: { readonly showHidden: boolean; readonly showDeleted: boolean; readonly minimum: AccessRole | null },
): boolean {
  if (entry.deleted) return wanted.showDeleted;
  if (entry.hidden && !wanted.showHidden) return false;
  const role = findAccess(context, mailbox, entry.calendarId)?.role;
  return wanted.minimum === null || (role !== undefined && reaches(role, wanted.minimum));
}

function readMinimum(value: string | null): AccessRole | null {
  if (value === null) return null;
  const role = ACCESS_ROLES.find((known) => known === value);
  if (role === undefined) throw badRequest(`Invalid value '${value}'.`, 'minAccessRole');
  return role;
}

/** Returns the entry of a calendar id. @throws GoogleError 404 */
export function getEntry(context: GoogleContext, caller: Caller, calendarId: string): ListEntry {
  const access = findAccess(context, caller.mailbox, calendarId);
  const entry = access === undefined ? undefined : caller.mailbox.calendarList[access.calendar.id];
  if (entry === undefined || entry.deleted) throw notFound();
  return entry;
}

/** `POST /users/me/calendarList`: subscribes to a calendar that the caller may read. */
export function insertEntry(context: GoogleContext, caller: Caller, body: Json, rgb: boolean): ListEntry {
  const id = readString(body, 'id');
  if (id === undefined) throw required('Missing id.');
  const access = findAccess(context, caller.mailbox, id);
  if (access === undefined) throw notFound();
  const existing = caller.mailbox.calendarList[access.calendar.id];
  const entry =
    existing === undefined || existing.deleted ? addListEntry(context, caller.mailbox, access.calendar) : existing;
  applyEntryBody(entry, body, rgb);
  return entry;
}

/** PATCH or PUT of an entry. */
export function changeEntry(
  context: GoogleContext,
  caller: Caller,
  entry: ListEntry,
  body: Json,
  options: { readonly method: 'patch' | 'put'; readonly rgb: boolean },
): void {
  const merged = options.method === 'put' ? body : mergePatch(writableEntry(entry), body);
  applyEntryBody(entry, merged, options.rgb, body);
  touchListEntry(context, caller.mailbox, entry);
}

/** `DELETE /users/me/calendarList/{id}`: unsubscribes; the calendar itself stays. */
export function removeEntry(context: GoogleContext, caller: Caller, entry: ListEntry): void {
  if (entry.calendarId === caller.mailbox.email)
    throw badRequest('The primary calendar cannot be removed from the list.');
  entry.deleted = true;
  touchListEntry(context, caller.mailbox, entry);
}

function writableEntry(entry: ListEntry): Json {
  const { calendarId: _id, ordinal: _ordinal, revision: _revision, deleted: _deleted, notifications, ...rest } = entry;
  return { ...rest, ...(notifications === undefined ? {} : { notificationSettings: { notifications } }) };
}

function applyEntryBody(entry: ListEntry, body: Json, rgb: boolean, sent: Json = body): void {
  const override = readString(body, 'summaryOverride');
  if (override === undefined || override === '') delete entry.summaryOverride;
  else entry.summaryOverride = override;
  entry.hidden = readBoolean(body, 'hidden') ?? false;
  entry.selected = readBoolean(body, 'selected') ?? false;
  entry.defaultReminders = readReminders(body['defaultReminders']);
  const settings = body['notificationSettings'];
  if (isObject(settings) && Array.isArray(settings['notifications'])) {
    entry.notifications = settings['notifications'] as { type: string; method: string }[];
  } else delete entry.notifications;
  applyColors(entry, sent, rgb);
}

/** RGB colours need `colorRgbFormat=true` and both parts; a colour id chooses from the palette. */
function applyColors(entry: ListEntry, sent: Json, rgb: boolean): void {
  const background = readString(sent, 'backgroundColor');
  const foreground = readString(sent, 'foregroundColor');
  if (rgb && (background !== undefined || foreground !== undefined)) {
    if (background === undefined || foreground === undefined) {
      throw required('Both backgroundColor and foregroundColor are required.');
    }
    if (!RGB.test(background) || !RGB.test(foreground)) throw badRequest('Invalid color format.');
    entry.backgroundColor = background.toLowerCase();
    entry.foregroundColor = foreground.toLowerCase();
    entry.colorId = nearestCalendarColor(background);
    return;
  }
  const colorId = readString(sent, 'colorId');
  if (colorId === undefined) return;
  if (calendarBackground(colorId) === undefined) throw badRequest('Invalid value for: colorId');
  entry.colorId = colorId;
  delete entry.backgroundColor;
  delete entry.foregroundColor;
}

function readReminders(value: unknown): Reminder[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw badRequest('Invalid value for: defaultReminders');
  return value.map(readReminder);
}

/** Renders an entry as the API does; of a removed one, id and `deleted`. */
export function renderEntry(context: GoogleContext, mailbox: Mailbox, entry: ListEntry): Json {
  const access = findAccess(context, mailbox, entry.calendarId);
  const head = { kind: 'calendar#calendarListEntry', etag: etagOf(entry.revision), id: entry.calendarId };
  if (entry.deleted || access === undefined) return { ...head, deleted: true };
  return { ...head, ...describe(access, mailbox, entry) };
}

function describe({ calendar, role }: AccessedCalendar, mailbox: Mailbox, entry: ListEntry): Json {
  const isPrimary = calendar.id === mailbox.email;
  return {
    summary: calendar.summary,
    ...(calendar.description === undefined ? {} : { description: calendar.description }),
    ...(calendar.location === undefined ? {} : { location: calendar.location }),
    timeZone: calendar.timeZone,
    ...(entry.summaryOverride === undefined ? {} : { summaryOverride: entry.summaryOverride }),
    colorId: entry.colorId,
    backgroundColor: entry.backgroundColor ?? calendarBackground(entry.colorId),
    foregroundColor: entry.foregroundColor ?? CALENDAR_FOREGROUND,
    ...(entry.hidden ? { hidden: true } : {}),
    ...(entry.selected ? { selected: true } : {}),
    accessRole: role,
    defaultReminders: entry.defaultReminders,
    ...(entry.notifications === undefined ? {} : { notificationSettings: { notifications: entry.notifications } }),
    ...(isPrimary ? { primary: true } : {}),
    ...(calendar.kind === 'secondary' ? { dataOwner: calendar.dataOwner } : {}),
    conferenceProperties: { allowedConferenceSolutionTypes: conferenceSolutionsOf(calendar) },
  };
}
