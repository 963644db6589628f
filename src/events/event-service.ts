import type { AccountAccess, ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import { type CalendarEvent, eventGetQuery, parseInput, rsvpBody } from '../model/index.ts';
import type { Clock, EventChange, ProviderCalendar, Random, Storage } from '../ports/index.ts';
import { randomHex, type TokenSealer } from '../runtime/index.ts';
import type { Caller, EventService } from '../services.ts';
import { noCalendar } from '../sync/create-mirror.ts';
import type { Mirror, MirrorSnapshot } from '../sync/mirror.ts';
import { parseOccurrenceId } from '../sync/occurrence-id.ts';
import { calendarRef } from '../sync/stored-calendar.ts';
import { createViewTokens } from '../sync/view-token.ts';
import { createEventListing, type EventListQuery } from './event-list.ts';
import { createEventLocator, noEvent } from './event-locator.ts';
import { readEventUpdate, readNewEvent } from './event-patch.ts';
import { presentEvent } from './event-presenter.ts';
import { parseListQuery, parseOccurrenceQuery } from './event-query.ts';
import { createEventWriter, type TargetedCall, type WritePlace } from './event-writer.ts';
import { type Member, memberContent } from './group-members.ts';
import { requireMatch } from './precondition.ts';
import { requireZone } from './query-time.ts';

export interface EventServiceDeps {
  readonly storage: Pick<Storage, 'mirror' | 'leases'>;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  /** Sealers of two purposes of their own. */
  readonly syncTokens: TokenSealer;
  readonly pageTokens: TokenSealer;
  readonly syncTokenLifetimeMs: number;
  readonly clock: Clock;
  readonly random: Random;
  /** The public error of a ProviderError; others as they are. */
  readonly toPublicError: (error: unknown) => unknown;
}

/** The events of calendars: read from the mirror, written through to the provider. */
export function createEventService(deps: EventServiceDeps): EventService {
  const { storage, accounts, mirror, clock, random } = deps;
  const store = storage.mirror;
  const tokens = createViewTokens<EventListQuery>({
    sync: deps.syncTokens,
    page: deps.pageTokens,
    clock,
    lifetimeMs: deps.syncTokenLifetimeMs,
  });
  const listing = createEventListing(store, tokens);
  const locator = createEventLocator(store, mirror);
  const writer = createEventWriter({ ...deps, store, leases: storage.leases, locator });

  /** A calendar that may be written to, and its mirror. */
  async function openForWrite(caller: Caller, accountId: string, calendarId: string): Promise<WritePlace> {
    const account = await accounts.get(caller.applicationId, accountId);
    const snapshot = await mirror.openEvents(account, calendarId);
    const calendar = await mirror.findCalendar(account, calendarId);
    if (calendar === undefined) throw noCalendar();
    requireWritable(calendar);
    return { account, key: snapshot.key, calendar: calendarRef(calendar, snapshot.state.timeZone) };
  }

  async function writeTo(place: WritePlace, member: Member, ifMatch: string | undefined, call: TargetedCall) {
    await writer.writeTo(place, member, ifMatch, call);
    return await locator.find(place.key, member.id);
  }

  return {
    async list(caller, accountId, calendarId, query) {
      const request = parseListQuery(query);
      const account = await accounts.get(caller.applicationId, accountId);
      return await listing.list(account, await mirror.openEvents(account, calendarId), request);
    },

    async get(caller, accountId, calendarId, eventId, query = {}) {
      const { timeZone } = parseInput(eventGetQuery, query);
      const displayZone = timeZone === undefined ? undefined : requireZone('timeZone', timeZone);
      const account = await accounts.get(caller.applicationId, accountId);
      const { key } = await mirror.openEvents(account, calendarId);
      return presentEvent(await locator.get(account, key, eventId), displayZone);
    },

    async listOccurrences(caller, accountId, calendarId, eventId, query) {
      const request = parseOccurrenceQuery(query);
      const account = await accounts.get(caller.applicationId, accountId);
      const snapshot = await mirror.openEvents(account, calendarId);
      const groupId = await groupOf(account, snapshot, eventId, request.query);
      return await listing.list(account, await latest(snapshot), request, groupId);
    },

    async create(caller, accountId, calendarId, body) {
      const place = await openForWrite(caller, accountId, calendarId);
      const input = readNewEvent(body, place.calendar.timeZone);
      const requestId = randomHex(random);
      const changes = await writer.write(place, (events, session, calendar) =>
        events.create(session, calendar, input, { requestId }),
      );
      const created = await locator.find(place.key, createdId(changes));
      if (created === undefined) throw noEvent();
      return presentEvent(created, undefined);
    },

    async update(caller, accountId, calendarId, eventId, body, { ifMatch } = {}) {
      const place = await openForWrite(caller, accountId, calendarId);
      const member = await locator.get(place.account, place.key, eventId);
      const shown = presentEvent(member, undefined);
      const { patch, response } = readEventUpdate(body, shown, memberContent(member), {
        isOccurrence: shown.isException,
        isOrganizer: (member.item ?? member.group.master!).event.isOrganizer,
        calendarZone: place.calendar.timeZone,
      });
      requireMatch(ifMatch, shown.etag);
      const writes: TargetedCall[] = [];
      if (Object.keys(patch).length > 0) {
        writes.push((events, session, calendar, target, options) =>
          events.update(session, calendar, target, patch, options),
        );
      }
      if (response !== undefined) {
        const respond: TargetedCall = (events, session, calendar, target, options) =>
          events.respond(session, calendar, target, response, options);
        // Graph cannot take an answer back: that refusal must come before anything has been changed.
        if (response === 'needsAction') writes.unshift(respond);
        else writes.push(respond);
      }
      let now: Member | undefined = member;
      for (const [index, write] of writes.entries()) {
        if (now !== undefined) now = await writeTo(place, now, index === 0 ? ifMatch : undefined, write);
      }
      return afterUpdate(now, shown, patch.isCancelled === true);
    },

    async respond(caller, accountId, calendarId, eventId, body, { ifMatch } = {}) {
      const { responseStatus } = parseInput(rsvpBody, body);
      const place = await openForWrite(caller, accountId, calendarId);
      const member = await locator.get(place.account, place.key, eventId);
      await writer.writeTo(place, member, ifMatch, (events, session, calendar, target, options) =>
        events.respond(session, calendar, target, responseStatus, options),
      );
    },

    async delete(caller, accountId, calendarId, eventId, { ifMatch } = {}) {
      const place = await openForWrite(caller, accountId, calendarId);
      const member = await locator.get(place.account, place.key, eventId);
      requireMatch(ifMatch, presentEvent(member, undefined).etag);
      // A cancelled occurrence keeps its record: there is nothing left to delete.
      if (member.isCancelled && member.group.master !== undefined && member.item?.event.seriesId != null) return;
      await writer.writeTo(place, member, ifMatch, async (events, session, calendar, target, options) => {
        const changes = await events.delete(session, calendar, target, options);
        if (changes.length > 0 || target.kind === 'occurrence') return changes;
        return [{ kind: 'deleted', providerEventId: target.providerEventId }];
      });
    },
  };

  /** The group whose occurrences are asked for. With a token the event may be gone: the result tells so. */
  async function groupOf(
    account: ConnectedAccount,
    { key }: MirrorSnapshot,
    eventId: string,
    { syncToken, pageToken }: { readonly syncToken?: string | undefined; readonly pageToken?: string | undefined },
  ): Promise<string> {
    if (syncToken === undefined && pageToken === undefined) {
      return (await locator.get(account, key, eventId)).group.groupId;
    }
    const item = await store.findItem(key, eventId);
    return (
      item?.groupId ??
      (await store.findDeletion(key, eventId))?.groupId ??
      parseOccurrenceId(eventId)?.seriesId ??
      eventId
    );
  }

  /** The snapshot after what a forced pull has brought in. */
  async function latest(snapshot: MirrorSnapshot): Promise<MirrorSnapshot> {
    return { ...snapshot, state: (await store.find(snapshot.key)) ?? snapshot.state };
  }
}

function requireWritable({ readOnly }: ProviderCalendar): void {
  if (readOnly) throw new KalendsError('CalendarReadOnly', 'The calendar cannot be modified by this account.');
}

function createdId(changes: readonly EventChange[]): string {
  for (const change of changes) {
    if (change.kind === 'series') return change.master.providerEventId;
    if (change.kind === 'event' && change.event.seriesId === null) return change.event.providerEventId;
  }
  throw new KalendsError('ProviderError', 'The provider did not say what it created.');
}

/** A cancelled event that the provider no longer shows is answered as what it was. */
function afterUpdate(now: Member | undefined, shown: CalendarEvent, isCancelled: boolean): CalendarEvent {
  if (now !== undefined) return presentEvent(now, undefined);
  if (isCancelled) return { ...shown, isCancelled: true };
  throw noEvent();
}
