import type { Caller } from './callers.ts';
import type { CalendarImport, ImportCreateQuery, ImportGetQuery } from './model/index.ts';

/** Imports of iCalendar files into calendars. */
export interface ImportService {
  /**
   * Reads an iCalendar file and keeps its events, which background work then writes to the calendar one after the other. Resolves when
   * the file has been read. With `dryRun`, the import reports what it would do.
   * @throws KalendsError InvalidRequest for a text that is no calendar, PayloadTooLarge, Conflict while another import into the
   * calendar is under way
   */
  create(
    caller: Caller,
    accountId: string,
    calendarId: string,
    file: AsyncIterable<Uint8Array>,
    query?: ImportCreateQuery,
  ): Promise<CalendarImport>;
  /** Returns how far an import is, and a page of what it could not take over. Kept 30 days after its end. */
  get(
    caller: Caller,
    accountId: string,
    calendarId: string,
    importId: string,
    query?: ImportGetQuery,
  ): Promise<CalendarImport>;
}
