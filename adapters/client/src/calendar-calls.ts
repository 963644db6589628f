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
import type { Calendar, CalendarCreate, CalendarUpdate, DeletedCalendar } from './model/calendar.ts';
import type { CalendarImport, ImportCreateQuery, ImportGetQuery } from './model/calendar-import.ts';
import type { CalendarListQuery } from './model/queries.ts';
import { type CopyChanges, type PresentQuery, type RecordStore, type SyncResult, sync, syncInto } from './sync.ts';

/** Calls about the calendars of an account. */
export interface CalendarCalls {
  /** Lists calendars. Deleted ones are in answers to a syncToken alone. */
  list(accountId: string, query?: PresentQuery<CalendarListQuery>, options?: CallOptions): Listing<Calendar>;
  list(accountId: string, query: CalendarListQuery, options?: CallOptions): Listing<Calendar | DeletedCalendar>;
  /** Returns the changes since a token, or the whole list. */
  sync(
    accountId: string,
    query?: CalendarListQuery,
    options?: CallOptions,
  ): Promise<SyncResult<Calendar | DeletedCalendar>>;
  /** Brings a local copy of the list up to date. */
  syncInto(
    store: RecordStore<Calendar>,
    accountId: string,
    query?: CalendarListQuery,
    options?: CallOptions,
  ): Promise<CopyChanges<Calendar>>;
  /** Returns a calendar. */
  get(accountId: string, calendarId: string, options?: CallOptions): Promise<Calendar>;
  /** Returns all events of a calendar as iCalendar (RFC 5545), each series with its exceptions. */
  export(accountId: string, calendarId: string, options?: CallOptions): Promise<string>;
  /** Imports an iCalendar file, as text or bytes. Its events are written after the answer: see `getImport`. */
  import(
    accountId: string,
    calendarId: string,
    file: string | Uint8Array,
    query?: ImportCreateQuery,
    options?: CallOptions,
  ): Promise<CalendarImport>;
  /** Returns how far an import is, and a page of what it could not take over. */
  getImport(
    accountId: string,
    calendarId: string,
    importId: string,
    query?: ImportGetQuery,
    options?: CallOptions,
  ): Promise<CalendarImport>;
  /** Creates a calendar. */
  create(accountId: string, body: CalendarCreate, options?: CreateOptions): Promise<Calendar>;
  /** Changes the fields of a calendar that the body has. */
  update(accountId: string, calendarId: string, body: CalendarUpdate, options?: CallOptions): Promise<Calendar>;
  /** Deletes a calendar with its events. */
  delete(accountId: string, calendarId: string, options?: CallOptions): Promise<Success>;
}

export function calendarCalls(send: Send): CalendarCalls {
  const path = (...ids: readonly string[]) => pathOf('calendars', ...ids);
  return {
    list: (accountId: string, query?: CalendarListQuery, options?: CallOptions) =>
      createListing<Calendar>(send, path(accountId), query, options),
    sync: (accountId, query = {}, options) => sync(send, path(accountId), query, options, false),
    syncInto: (store, accountId, query = {}, options) => syncInto(store, send, path(accountId), query, options),
    get: (accountId, calendarId, options) => send(read(path(accountId, calendarId), options)),
    export: (accountId, calendarId, options) =>
      send({ ...read(path(accountId, calendarId, 'export'), options), isText: true }),
    import: (accountId, calendarId, file, query, options) =>
      send({ method: 'POST', path: path(accountId, calendarId, 'imports'), query, file, options }),
    getImport: (accountId, calendarId, importId, query, options) =>
      send(read(path(accountId, calendarId, 'imports', importId), options, query)),
    create: (accountId, body, options) => send(creation(path(accountId), body, options)),
    update: (accountId, calendarId, body, options) =>
      send({ method: 'PUT', path: path(accountId, calendarId), body, options }),
    delete: (accountId, calendarId, options) => send(deletion(path(accountId, calendarId), options)),
  };
}
