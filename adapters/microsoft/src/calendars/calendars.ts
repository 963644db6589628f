import { checkListed } from '@kalends/provider-transport';
import {
  type ProviderCalendar,
  type ProviderCalendars,
  ProviderError,
  type ProviderSession,
  type UnreadableObject,
} from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import { z } from 'zod';
import { readZone } from '../events/event-zones.ts';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';
import {
  creationMarkOf,
  EXPAND_CALENDAR,
  type MailboxFacts,
  readCalendar,
  uncheckedCalendarPage,
  type WireCalendar,
  wireCalendar,
  writeCalendar,
} from './calendar-mapping.ts';

const mailboxSettings = z.object({ timeZone: z.string().nullish() });

/** A calendar of the list, or what is known of one that cannot be read. */
type ListedCalendar = WireCalendar | UnreadableObject;

/** The default calendar as far as it names its owner, whatever else is wrong with it. */
const ownCalendar = z.object({ isDefaultCalendar: z.literal(true), owner: z.object({ address: z.string().min(1) }) });

/** The calendar list of a mailbox. */
interface CalendarList {
  readonly listed: readonly ListedCalendar[];
  /** Owner of the default calendar, when it names one. */
  readonly ownAddress: string | undefined;
}

function isReadable(calendar: ListedCalendar): calendar is WireCalendar {
  return !('kind' in calendar);
}

/** Creates the calendar list of a mailbox. Graph has no feed of it: every pull lists it whole. */
export function createCalendars(settings: MicrosoftSettings, graph: GraphClient): ProviderCalendars {
  const pathOf = (calendarId: string): string => `me/calendars/${encodeURIComponent(calendarId)}`;

  /** Reads all pages before mapping: the default calendar, on any page, names the mailbox. */
  async function listAll(session: ProviderSession): Promise<CalendarList> {
    const unchecked: unknown[] = [];
    const first: GraphRequest = {
      method: 'GET',
      path: 'me/calendars',
      query: { $top: '100', $expand: EXPAND_CALENDAR },
    };
    for (let next: GraphRequest | undefined = first; next !== undefined; ) {
      const page: z.infer<typeof uncheckedCalendarPage> = await graph.call(session, next, uncheckedCalendarPage);
      unchecked.push(...page.value);
      const link = page['@odata.nextLink'];
      next = link ? { method: 'GET', path: graph.pathOfLink(link) } : undefined;
    }
    const own = unchecked.map((calendar) => ownCalendar.safeParse(calendar)).find(({ success }) => success);
    return {
      listed: unchecked.map((calendar) => checkListed(calendar, wireCalendar, 'id')),
      ownAddress: own?.data?.owner.address,
    };
  }

  async function zoneOfMailbox(session: ProviderSession): Promise<string> {
    try {
      const request: GraphRequest = { method: 'GET', path: 'me/mailboxSettings' };
      const { timeZone } = await graph.call(session, request, mailboxSettings);
      return readZone(timeZone) ?? 'UTC';
    } catch (error) {
      // Calendars are useful without the permission MailboxSettings.Read too.
      if (!(ProviderError.isInstance(error) && error.reason === 'forbidden')) throw error;
      settings.logger?.warn('the mailbox zone may not be read; UTC is taken', { accountId: session.accountId });
      return 'UTC';
    }
  }

  async function readAll(
    session: ProviderSession,
  ): Promise<{ readonly listed: readonly ListedCalendar[]; readonly mailbox: MailboxFacts }> {
    const timeZone = await zoneOfMailbox(session);
    const { listed, ownAddress } = await listAll(session);
    // The sign-in address may differ from the mailbox's.
    return { listed, mailbox: { timeZone, address: ownAddress ?? session.email } };
  }

  async function findMarked(session: ProviderSession, mark: string): Promise<ProviderCalendar | undefined> {
    const { listed, mailbox } = await readAll(session);
    const wire = listed.filter(isReadable).find((each) => creationMarkOf(each) === mark);
    return wire === undefined ? undefined : readCalendar(wire, mailbox);
  }

  /** @throws ProviderError not-found, unreadable */
  async function reread(session: ProviderSession, calendarId: string): Promise<ProviderCalendar> {
    const { listed, mailbox } = await readAll(session);
    const found = listed.find((each) => (isReadable(each) ? each.id : each.providerEventId) === calendarId);
    if (found === undefined) throw new ProviderError('not-found', 'Graph has no such calendar', { status: 404 });
    if (!isReadable(found)) throw new ProviderError('unreadable', found.reason);
    return readCalendar(found, mailbox);
  }

  /** @throws ProviderError unsupported, for a refusal of a new name that the default calendar cannot have */
  async function checkRename(session: ProviderSession, calendarId: string, refusal: unknown): Promise<void> {
    if (!(ProviderError.isInstance(refusal) && refusal.reason === 'invalid')) return;
    const { isPrimary } = await reread(session, calendarId);
    if (!isPrimary) return;
    const options = { field: 'name', cause: refusal };
    throw new ProviderError('unsupported', 'the default calendar of a Microsoft mailbox cannot be renamed', options);
  }

  return {
    async *pull(session) {
      const { listed, mailbox } = await readAll(session);
      yield {
        changes: listed.map((calendar) =>
          isReadable(calendar)
            ? { kind: 'calendar', calendar: readCalendar(calendar, mailbox) }
            : { kind: 'unreadable', calendarId: calendar.providerEventId, reason: calendar.reason },
        ),
        full: true,
        nextToken: null,
      };
    },

    async exists(session, calendarId) {
      try {
        // One that cannot be read exists too.
        await graph.call(session, { method: 'GET', path: pathOf(calendarId), query: { $select: 'id' } }, z.unknown());
        return true;
      } catch (error) {
        if (ProviderError.isInstance(error) && error.reason === 'not-found') return false;
        throw error;
      }
    },

    async create(session, input) {
      const mark = randomHex(settings.random);
      const body = writeCalendar(input, mark);
      try {
        await graph.call(session, { method: 'POST', path: 'me/calendars', body }, wireCalendar);
      } catch (error) {
        // The outcome is unknown.
        const isUnknown = ProviderError.isInstance(error) && ['timeout', 'unavailable'].includes(error.reason);
        const made = isUnknown ? await findMarked(session, mark) : undefined;
        if (made === undefined) throw error;
        return made;
      }
      // The id in the answer of a POST may soon be invalid; the list has the lasting one.
      const found = await findMarked(session, mark);
      if (found === undefined) throw new ProviderError('malformed', 'Graph does not list the calendar it has created');
      return found;
    },

    async update(session, calendarId, patch) {
      const body = writeCalendar(patch);
      const path = pathOf(calendarId);
      if (Object.keys(body).length > 0) {
        await graph.command(session, { method: 'PATCH', path, body }).catch(async (error: unknown) => {
          // In another person's calendar only the colour is the account's own.
          const isForbidden = ProviderError.isInstance(error) && error.reason === 'forbidden';
          if (patch.name !== undefined) await checkRename(session, calendarId, error);
          if (!isForbidden || patch.name !== undefined || patch.timeZone !== undefined) throw error;
          await graph.command(session, { method: 'PATCH', path, body: { color: body['color'] } });
        });
      }
      return await reread(session, calendarId);
    },

    async delete(session, calendarId) {
      await graph.command(session, { method: 'DELETE', path: pathOf(calendarId) }).catch((error: unknown) => {
        if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
      });
    },
  };
}
