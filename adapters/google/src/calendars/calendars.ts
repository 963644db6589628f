import { checkListed, checkObject } from '@kalends/provider-transport';
import {
  type CalendarChange,
  type CalendarPage,
  type ProviderCalendar,
  type ProviderCalendars,
  ProviderError,
  type ProviderFailureReason,
  type ProviderSession,
} from 'kalends/ports';
import { z } from 'zod';
import type { GoogleSettings } from '../options.ts';
import type { GoogleClient, GoogleRequest } from '../transport/google-client.ts';
import { isGone, isNotListedYet, readPage } from '../transport/google-failure.ts';
import { DEFAULT_CALENDAR_COLOR, foregroundOf, isOwn, readCalendar } from './calendar-mapping.ts';
import {
  uncheckedCalendarList,
  type WireCalendarEntry,
  wireCalendar,
  wireCalendarEntry,
  wireCalendarStatus,
  wireDeletedEntry,
  wireSetting,
} from './calendar-wire.ts';

const LIST = ['users', 'me', 'calendarList'];
const PAGE_SIZE = 250;
/** Default where neither the account nor its primary calendar names a zone. */
const NO_ZONE = 'UTC';
/** Waits before the entry of a new calendar is asked for again. */
const LISTED_WAITS_MS = [500, 1_500] as const;

/** Creates the calendars of an account from Google's calendar list, as the account sees them, hidden ones included. */
export function createCalendars(
  { clock, logger }: Pick<GoogleSettings, 'clock' | 'logger'>,
  client: GoogleClient,
): ProviderCalendars {
  /** @throws ProviderError unreadable when this one entry is not as documented */
  const callEntry = async (session: ProviderSession, request: GoogleRequest): Promise<WireCalendarEntry> =>
    checkObject(await client.call(session, request, z.unknown()), wireCalendarEntry);

  const entryOf = (session: ProviderSession, calendarId: string): Promise<WireCalendarEntry> =>
    callEntry(session, { method: 'GET', path: [...LIST, calendarId] });

  /** Patches the account's own entry: colour and name for this account alone. */
  const patchEntry = (
    session: ProviderSession,
    calendarId: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<WireCalendarEntry> =>
    callEntry(session, { method: 'PATCH', path: [...LIST, calendarId], query: { colorRgbFormat: true }, body });

  const patchCalendar = (session: ProviderSession, calendarId: string, body: Readonly<Record<string, unknown>>) =>
    client.send(session, { method: 'PATCH', path: ['calendars', calendarId], body });

  /**
   * Returns the account's zone, for calendars that name none. Fewer scopes reach this setting than reach calendars.
   * @see https://developers.google.com/workspace/calendar/api/v3/reference/settings
   */
  const zoneOfAccount = async (session: ProviderSession): Promise<string> => {
    try {
      const request = { method: 'GET', path: ['users', 'me', 'settings', 'timezone'] } as const;
      return (await client.call(session, request, wireSetting)).value;
    } catch (error) {
      if (!ProviderError.isInstance(error) || error.reason !== 'forbidden') throw error;
      return (await entryOf(session, 'primary')).timeZone ?? NO_ZONE;
    }
  };

  const drop = async (session: ProviderSession, path: readonly string[]): Promise<void> => {
    try {
      await client.send(session, { method: 'DELETE', path });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };

  /** Returns the present address of the mailbox: perhaps another one than when it was connected, where entries name another owner. */
  async function presentAddress(session: ProviderSession, entries: readonly unknown[]): Promise<string> {
    const isDoubtful = entries.some((each) => {
      const { success, data } = wireCalendarEntry.safeParse(each);
      return success && data.accessRole === 'owner' && data.dataOwner != null && !isOwn(data, session.email);
    });
    return isDoubtful ? (await entryOf(session, 'primary')).id : session.email;
  }

  async function shown(session: ProviderSession, entry: WireCalendarEntry): Promise<ProviderCalendar> {
    return readCalendar(entry, session.email, await presentAddress(session, [entry]));
  }

  async function dress(session: ProviderSession, calendarId: string, hexColor: string | null | undefined) {
    return hexColor == null ? entryOf(session, calendarId) : patchEntry(session, calendarId, colorBody(hexColor));
  }

  /** Dresses a new calendar. Google may answer before its list has the entry. */
  async function dressNew(session: ProviderSession, calendarId: string, hexColor: string | null | undefined) {
    for (const waitMs of LISTED_WAITS_MS) {
      try {
        return await dress(session, calendarId, hexColor);
      } catch (error) {
        if (!isNotListedYet(error)) throw error;
        await clock.sleep(waitMs, session.signal);
      }
    }
    return await dress(session, calendarId, hexColor);
  }

  async function undoCreate(session: ProviderSession, calendarId: string): Promise<void> {
    try {
      await drop(session, ['calendars', calendarId]);
    } catch (error) {
      const reason = ProviderError.isInstance(error) ? error.reason : 'unknown';
      logger?.error('a half-made google calendar is left behind', { accountId: session.accountId, calendarId, reason });
    }
  }

  /** Undoes the first step of an update when the second was refused. */
  async function undoUpdate(
    session: ProviderSession,
    entry: WireCalendarEntry,
    forAll: SplitPatch['forAll'],
  ): Promise<void> {
    const before = {
      ...('summary' in forAll ? { summary: entry.summary } : {}),
      ...('timeZone' in forAll ? { timeZone: entry.timeZone ?? NO_ZONE } : {}),
    };
    try {
      await patchCalendar(session, entry.id, before);
    } catch (error) {
      const reason = ProviderError.isInstance(error) ? error.reason : 'unknown';
      const fields = { accountId: session.accountId, calendarId: entry.id, reason };
      logger?.error('half an update of a google calendar could not be taken back', fields);
    }
  }

  return {
    async *pull(session, token) {
      // Hidden and deleted entries come with every token, and a token holds only for the same parameters.
      const query = { maxResults: PAGE_SIZE, showHidden: true, showDeleted: true, syncToken: token ?? undefined };
      for (let pageToken: string | undefined; ; ) {
        const request = { method: 'GET', path: LIST, query: { ...query, pageToken } } as const;
        const page = await readPage(pageToken, () => client.call(session, request, uncheckedCalendarList));
        const present = await presentAddress(session, page.items ?? []);
        yield calendarPage(page, { email: session.email, present }, token === null);
        if (page.nextPageToken == null) return;
        pageToken = page.nextPageToken;
      }
    },

    async exists(session, calendarId) {
      try {
        const request = { method: 'GET', path: [...LIST, calendarId] } as const;
        return (await client.call(session, request, wireCalendarStatus)) === undefined;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    },

    async create(session, { name, hexColor, timeZone }) {
      const body = { summary: name, timeZone: timeZone ?? (await zoneOfAccount(session)) };
      const { id } = await client.call(session, { method: 'POST', path: ['calendars'], body }, wireCalendar);
      try {
        return await shown(session, await dressNew(session, id, hexColor));
      } catch (error) {
        // The caller retries, and must not find two calendars.
        await undoCreate(session, id);
        throw error;
      }
    },

    async update(session, calendarId, { timeZone, ...others }) {
      const entry = await entryOf(session, calendarId);
      const zone = timeZone === null ? await zoneOfAccount(session) : timeZone;
      const { forAll, forMe } = splitPatch(entry, { ...others, ...(zone === undefined ? {} : { timeZone: zone }) });
      const changesMine = Object.keys(forMe).length > 0;
      const changesAll = Object.keys(forAll).length > 0;
      // The step that is likelier to be refused comes first: the account may always change its own entry.
      if (changesAll) await patchCalendar(session, calendarId, forAll);
      if (!changesMine) return await shown(session, changesAll ? await entryOf(session, calendarId) : entry);
      try {
        return await shown(session, await patchEntry(session, calendarId, forMe));
      } catch (error) {
        if (changesAll && isRefusal(error)) await undoUpdate(session, entry, forAll);
        throw error;
      }
    },

    async delete(session, calendarId) {
      let entry: WireCalendarEntry;
      try {
        entry = await entryOf(session, calendarId);
      } catch (error) {
        if (isGone(error)) return;
        throw error;
      }
      if (entry.primary === true) throw new ProviderError('forbidden', 'the primary calendar cannot be deleted');
      const { isShared } = await shown(session, entry);
      // A calendar of another owner can only be left, not deleted.
      await drop(session, isShared ? [...LIST, calendarId] : ['calendars', calendarId]);
    },
  };
}

/** Requests that failed like this may have been carried out; those whose answer cannot be read were. */
const UNCLEAR: ReadonlySet<ProviderFailureReason> = new Set([
  'timeout',
  'unavailable',
  'rate-limited',
  'malformed',
  'unreadable',
]);

/** Returns true when certainly nothing was done, and the same request would fail again. */
function isRefusal(error: unknown): boolean {
  return ProviderError.isInstance(error) && !UNCLEAR.has(error.reason);
}

interface Addresses {
  readonly email: string;
  readonly present: string;
}

function calendarPage(page: z.infer<typeof uncheckedCalendarList>, mailbox: Addresses, full: boolean): CalendarPage {
  const changes = (page.items ?? []).map((entry) => readChange(entry, mailbox));
  if (page.nextPageToken != null) return { changes, full };
  if (page.nextSyncToken == null) {
    throw new ProviderError('malformed', 'Google ended the list of calendars without a sync token');
  }
  return { changes, full, nextToken: page.nextSyncToken };
}

/** Maps an entry of the list. One that cannot be read costs no other. */
function readChange(unchecked: unknown, { email, present }: Addresses): CalendarChange {
  const deleted = wireDeletedEntry.safeParse(unchecked);
  if (deleted.success) return { kind: 'deleted', calendarId: deleted.data.id };
  const entry = checkListed(unchecked, wireCalendarEntry, 'id');
  if ('kind' in entry) return { kind: 'unreadable', calendarId: entry.providerEventId, reason: entry.reason };
  return { kind: 'calendar', calendar: readCalendar(entry, email, present) };
}

interface SplitPatch {
  /** Fields of the calendar itself, visible to all its readers. */
  readonly forAll: Readonly<Record<string, unknown>>;
  /** Fields of the account's entry in its own list. */
  readonly forMe: Readonly<Record<string, unknown>>;
}

function splitPatch(
  entry: WireCalendarEntry,
  patch: { readonly name?: string; readonly hexColor?: string | null; readonly timeZone?: string },
): SplitPatch {
  const { name, hexColor, timeZone } = patch;
  const isOwner = entry.accessRole === 'owner';
  const forAll = {
    ...(name !== undefined && isOwner ? { summary: name } : {}),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
  const forMe = {
    ...(name !== undefined && !isOwner ? { summaryOverride: name } : {}),
    // The account's own override would hide the new name from it.
    ...(name !== undefined && isOwner && entry.summaryOverride != null ? { summaryOverride: null } : {}),
    ...(hexColor === undefined ? {} : colorBody(hexColor ?? DEFAULT_CALENDAR_COLOR)),
  };
  return { forAll, forMe };
}

function colorBody(hexColor: string): Readonly<Record<string, unknown>> {
  return { backgroundColor: hexColor, foregroundColor: foregroundOf(hexColor) };
}
