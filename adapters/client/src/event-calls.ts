import {
  type CallOptions,
  type CreateOptions,
  creation,
  deletion,
  pathOf,
  read,
  type Send,
  type Success,
} from './call.ts';
import { createListing, type Listing } from './listing.ts';
import type { CalendarEvent, DeletedEvent } from './model/event.ts';
import type { EventAttachmentList } from './model/event-attachment.ts';
import type { EventDescription, EventDescriptionQuery } from './model/event-description.ts';
import type { EventCreate, EventUpdate, RsvpBody } from './model/event-input.ts';
import type {
  EditScope,
  EventGetQuery,
  EventListQuery,
  NotifyAttendees,
  OccurrenceListQuery,
} from './model/queries.ts';
import { type CopyChanges, type PresentQuery, type RecordStore, type SyncResult, sync, syncInto } from './sync.ts';

/** Options of a write that may send mail. */
export interface NotifyOptions extends CallOptions {
  /** Recipients of the provider's mail. @default the attendees, about what they see */
  readonly notifyAttendees?: NotifyAttendees;
}

/** Options of the creation of an event. */
export interface EventCreateOptions extends CreateOptions, NotifyOptions {}

/** Options of an answer to an invitation. */
export interface RespondOptions extends NotifyOptions {
  /** Refuses the write unless the event still has this etag. */
  readonly ifMatch?: string;
}

/** Options of a write to an event. */
export interface EventWriteOptions extends RespondOptions {
  /** How far a write to an occurrence reaches. @default this for an occurrence, all for a series */
  readonly scope?: EditScope;
}

/** Calls about the events of a calendar. */
export interface EventCalls {
  /** Lists events. Deleted ones are in answers to a syncToken alone, where `isDeleted` tells them apart. */
  list(
    accountId: string,
    calendarId: string,
    query?: PresentQuery<EventListQuery>,
    options?: CallOptions,
  ): Listing<CalendarEvent>;
  list(
    accountId: string,
    calendarId: string,
    query: EventListQuery,
    options?: CallOptions,
  ): Listing<CalendarEvent | DeletedEvent>;
  /**
   * Returns the changes since a token, or the whole list. The token of an earlier result has the filters of its list; with that of a
   * page, send them.
   */
  sync(
    accountId: string,
    calendarId: string,
    query?: EventListQuery,
    options?: CallOptions,
  ): Promise<SyncResult<CalendarEvent | DeletedEvent>>;
  /** Brings a local copy of the list up to date. */
  syncInto(
    store: RecordStore<CalendarEvent>,
    accountId: string,
    calendarId: string,
    query?: EventListQuery,
    options?: CallOptions,
  ): Promise<CopyChanges<CalendarEvent>>;
  /** Lists the occurrences of a series, as `list` does. */
  listOccurrences(
    accountId: string,
    calendarId: string,
    eventId: string,
    query: PresentQuery<OccurrenceListQuery>,
    options?: CallOptions,
  ): Listing<CalendarEvent>;
  listOccurrences(
    accountId: string,
    calendarId: string,
    eventId: string,
    query: OccurrenceListQuery,
    options?: CallOptions,
  ): Listing<CalendarEvent | DeletedEvent>;
  /** Lists the attachments of an event, as the provider has them now. */
  listAttachments(
    accountId: string,
    calendarId: string,
    eventId: string,
    options?: CallOptions,
  ): Promise<EventAttachmentList>;
  /** Returns the description of an event as HTML (the default) or text, as the provider has it now. */
  getDescription(
    accountId: string,
    calendarId: string,
    eventId: string,
    query?: EventDescriptionQuery,
    options?: CallOptions,
  ): Promise<EventDescription>;
  /** Returns an event, a series or an occurrence. */
  get(
    accountId: string,
    calendarId: string,
    eventId: string,
    query?: EventGetQuery,
    options?: CallOptions,
  ): Promise<CalendarEvent>;
  /** Returns the event, or undefined while it still has this etag. */
  getIfChanged(
    accountId: string,
    calendarId: string,
    eventId: string,
    etag: string,
    query?: EventGetQuery,
    options?: CallOptions,
  ): Promise<CalendarEvent | undefined>;
  /** Creates an event. */
  create(
    accountId: string,
    calendarId: string,
    body: EventCreate,
    options?: EventCreateOptions,
  ): Promise<CalendarEvent>;
  /** Changes the fields of an event that the body has: of one occurrence, or of a series (see `scope`). */
  update(
    accountId: string,
    calendarId: string,
    eventId: string,
    body: EventUpdate,
    options?: EventWriteOptions,
  ): Promise<CalendarEvent>;
  /**
   * Sets the account's own answer to an invitation. After a failure of unknown outcome it is sent again with `notifyAttendees: 'none'`
   * alone: the organizer could get two mails.
   */
  respond(
    accountId: string,
    calendarId: string,
    eventId: string,
    body: RsvpBody,
    options?: RespondOptions,
  ): Promise<Success>;
  /** Deletes an event: one occurrence, or a series (see `scope`). */
  delete(accountId: string, calendarId: string, eventId: string, options?: EventWriteOptions): Promise<Success>;
}

/** Fields of a series by which its occurrences get other starts, and so other ids. A date as the `end` makes it one of whole days. */
const SLOT_FIELDS = ['start', 'end', 'isAllDay', 'recurrence'] as const;

/** Whether an update may take what it names, or move it: done twice, it would find nothing, or move the series twice. */
function movesSlots(body: EventUpdate, scope: EventWriteOptions['scope']): boolean {
  if (scope === 'following' || body.isCancelled === true) return true;
  return scope === 'all' && SLOT_FIELDS.some((field) => field in body);
}

export function eventCalls(send: Send): EventCalls {
  const path = (...ids: readonly string[]) => pathOf('events', ...ids);
  return {
    ...readCalls(send, path),
    create: (accountId, calendarId, body, { notifyAttendees, ...options } = {}) =>
      send(creation(path(accountId, calendarId), body, options, { notifyAttendees })),
    update: (accountId, calendarId, eventId, body, { ifMatch, scope, notifyAttendees, ...options } = {}) =>
      send({
        method: 'PUT',
        path: path(accountId, calendarId, eventId),
        body,
        query: { scope, notifyAttendees },
        headers: { 'if-match': ifMatch },
        isRepeatable: ifMatch === undefined && !movesSlots(body, scope),
        options,
      }),
    respond: (accountId, calendarId, eventId, body, { ifMatch, notifyAttendees, ...options } = {}) =>
      send({
        method: 'POST',
        path: `${path(accountId, calendarId, eventId)}/rsvp`,
        body,
        query: { notifyAttendees },
        headers: { 'if-match': ifMatch },
        // Done twice, it may mail the organizer twice.
        isRepeatable: ifMatch === undefined && notifyAttendees === 'none',
        options,
      }),
    delete: (accountId, calendarId, eventId, { ifMatch, scope, notifyAttendees, ...options } = {}) =>
      send({
        ...deletion(path(accountId, calendarId, eventId), options, { scope, notifyAttendees }),
        headers: { 'if-match': ifMatch },
      }),
  };
}

type Reads =
  | 'list'
  | 'sync'
  | 'syncInto'
  | 'listOccurrences'
  | 'listAttachments'
  | 'getDescription'
  | 'get'
  | 'getIfChanged';

function readCalls(send: Send, path: (...ids: readonly string[]) => string): Pick<EventCalls, Reads> {
  return {
    list: (accountId: string, calendarId: string, query?: EventListQuery, options?: CallOptions) =>
      createListing<CalendarEvent>(send, path(accountId, calendarId), query, options),
    sync: (accountId, calendarId, query = {}, options) => sync(send, path(accountId, calendarId), query, options),
    syncInto: (store, accountId, calendarId, query = {}, options) =>
      syncInto(store, send, path(accountId, calendarId), query, options),
    listOccurrences: (
      accountId: string,
      calendarId: string,
      eventId: string,
      query: OccurrenceListQuery,
      options?: CallOptions,
    ) => createListing<CalendarEvent>(send, `${path(accountId, calendarId, eventId)}/occurrences`, query, options),
    listAttachments: (accountId, calendarId, eventId, options) =>
      send(read(`${path(accountId, calendarId, eventId)}/attachments`, options)),
    getDescription: (accountId, calendarId, eventId, query, options) =>
      send(read(`${path(accountId, calendarId, eventId)}/description`, options, query)),
    get: (accountId, calendarId, eventId, query, options) =>
      send(read(path(accountId, calendarId, eventId), options, query)),
    getIfChanged: (accountId, calendarId, eventId, etag, query, options) =>
      send({ ...read(path(accountId, calendarId, eventId), options, query), headers: { 'if-none-match': etag } }),
  };
}
