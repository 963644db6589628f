import { printZone } from 'kalends/icalendar';
import { type ProviderCalendar, type ProviderCalendars, ProviderError, type ProviderSession } from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import { type AccountPlace, placeOf } from '../account/account-place.ts';
import type { CaldavSettings } from '../options.ts';
import type { PropValue } from '../protocol/bodies.ts';
import type { DavClient } from '../protocol/dav-client.ts';
import { isGone, unsupported } from '../protocol/failure.ts';
import { caldavName, dav, type Name } from '../protocol/names.ts';
import { pathOfId } from '../protocol/paths.ts';
import { CALENDAR_PROPS, COLOR, type ListedCalendar, NAME, readCalendars, ZONE } from './calendar-listing.ts';

type Values = readonly (readonly [Name, PropValue])[];

interface CalendarFields {
  readonly name?: string;
  readonly hexColor?: string | null;
  readonly timeZone?: string | null;
}

/** Creates the calendars of an account: the collections for events below its home. */
export function createCalendars(
  { clock, random, logger }: Pick<CaldavSettings, 'clock' | 'random' | 'logger'>,
  client: DavClient,
): ProviderCalendars {
  async function list(session: ProviderSession, place: AccountPlace): Promise<readonly ListedCalendar[]> {
    const listing = await client.propfind(session, place.home.href, '1', CALENDAR_PROPS);
    return readCalendars(listing, session.email);
  }

  async function read(session: ProviderSession, place: AccountPlace, path: string): Promise<ProviderCalendar> {
    const found = (await list(session, place)).find((entry) => entry.path === path);
    if (found === undefined) throw new ProviderError('not-found', 'there is no such calendar');
    return found.calendar;
  }

  /** Sets the properties, and refuses what the server did not take. */
  async function write(session: ProviderSession, place: AccountPlace, path: string, fields: CalendarFields) {
    const values = valuesOf(fields);
    const removed = [...(fields.hexColor === null ? [COLOR] : []), ...(fields.timeZone === null ? [ZONE] : [])];
    if (values.length + removed.length === 0) return;
    const refused = await client.proppatch(session, place.urlOf(path), values, removed);
    for (const [name, status] of refused) {
      // To remove what is not there is no failure.
      if (removed.includes(name) && status === 404) continue;
      throw unsupported(FIELDS.get(name) ?? 'name', `the server does not keep this property (${status})`);
    }
  }

  async function undo(session: ProviderSession, url: string): Promise<void> {
    try {
      await client.remove(session, url, {});
    } catch (error) {
      const reason = ProviderError.isInstance(error) ? error.reason : 'unknown';
      logger?.error('a half-made caldav calendar is left behind', { accountId: session.accountId, reason });
    }
  }

  return {
    async *pull(session, token) {
      if (token !== null) throw new ProviderError('sync-token-expired', 'calendars are listed whole');
      const listed = await list(session, await placeOf(session));
      yield {
        changes: listed.map(({ calendar }) => ({ kind: 'calendar', calendar })),
        full: true,
        nextToken: null,
      };
    },

    async exists(session, calendarId) {
      const place = await placeOf(session);
      try {
        await client.propfind(session, place.urlOf(pathOfId(calendarId)), '0', [dav('resourcetype')]);
        return true;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    },

    async create(session, input) {
      const place = await placeOf(session);
      // In order of creation: of calendars without a well-known name the first stays primary.
      const path = `${place.pathOf(place.home.href)}kal-${clock.now().toString(36)}-${randomHex(random, 8)}/`;
      const components: Values = [[caldavName('supported-calendar-component-set'), { components: ['VEVENT'] }]];
      await client.mkcalendar(session, place.urlOf(path), [...valuesOf(input), ...components]);
      try {
        const made = await read(session, place, path);
        // Some servers take only the name with the creation.
        const missing = missingIn(made, input);
        if (Object.keys(missing).length === 0) return made;
        await write(session, place, path, missing);
        const dressed = await read(session, place, path);
        const [field] = Object.keys(missingIn(dressed, input));
        if (field !== undefined) throw unsupported(field, 'the server does not keep this property of a calendar');
        return dressed;
      } catch (error) {
        // The caller retries, and must not find two calendars.
        await undo(session, place.urlOf(path));
        throw error;
      }
    },

    async update(session, calendarId, patch) {
      const place = await placeOf(session);
      const path = pathOfId(calendarId);
      const before = await read(session, place, path);
      const missing = { ...missingIn(before, patch), ...nulls(patch) };
      if (Object.keys(missing).length === 0) return before;
      await write(session, place, path, missing);
      const after = await read(session, place, path);
      const [field] = Object.keys(missingIn(after, missing));
      if (field !== undefined) throw unsupported(field, 'the server does not keep this property of a calendar');
      return after;
    },

    async delete(session, calendarId) {
      const place = await placeOf(session);
      const path = pathOfId(calendarId);
      const found = (await list(session, place)).find((entry) => entry.path === path);
      if (found === undefined) return;
      if (found.calendar.isPrimary) throw new ProviderError('forbidden', 'the primary calendar cannot be deleted');
      await client.remove(session, place.urlOf(path), {});
    },
  };
}

const FIELDS: ReadonlyMap<Name, keyof CalendarFields> = new Map([
  [NAME, 'name'],
  [COLOR, 'hexColor'],
  [ZONE, 'timeZone'],
] as const);

function valuesOf({ name, hexColor, timeZone }: CalendarFields): Values {
  return [
    ...(name === undefined ? [] : ([[NAME, name]] as const)),
    // SOGo takes no colour without an alpha.
    ...(hexColor == null ? [] : ([[COLOR, `${hexColor.toUpperCase()}FF`]] as const)),
    ...(timeZone == null ? [] : ([[ZONE, printZone(timeZone)]] as const)),
  ];
}

/** Returns the fields that the calendar shows otherwise. */
function missingIn(calendar: ProviderCalendar, { name, hexColor, timeZone }: CalendarFields): CalendarFields {
  return {
    ...(name === undefined || name === calendar.name ? {} : { name }),
    ...(hexColor == null || hexColor.toLowerCase() === calendar.hexColor ? {} : { hexColor }),
    ...(timeZone == null || timeZone === calendar.timeZone ? {} : { timeZone }),
  };
}

function nulls({ hexColor, timeZone }: CalendarFields): CalendarFields {
  return { ...(hexColor === null ? { hexColor } : {}), ...(timeZone === null ? { timeZone } : {}) };
}
