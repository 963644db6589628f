import type { AccountAccess, ConnectedAccount } from '../accounts/index.ts';
import type { Caller, EventCreateRequest, EventService } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { IntentKeeper } from '../intents/index.ts';
import { type Created, createOnce, idempotencyOf } from '../intents/index.ts';
import type { Mirror, MirrorSnapshot, MirrorWriting, WriteReached } from '../mirror/index.ts';
import { calendarRef, createViewTokens, noCalendar } from '../mirror/index.ts';
import {
  type EventListQuery,
  eventDescriptionQuery,
  eventGetQuery,
  eventNotifyQuery,
  eventWriteQuery,
  type NotifyAttendees,
  type OccurrenceListQuery,
  parseInput,
  rsvpBody,
} from '../model/index.ts';
import type { Clock, Logger, ProviderCalendar, Storage } from '../ports/index.ts';
import { parseOccurrenceId } from '../recurrence/index.ts';
import type { TokenSealer } from '../runtime/index.ts';
import { exportCalendar } from './export/calendar-export.ts';
import { printableGroups } from './export/printable-groups.ts';
import type { CreationKey, ImportedWrites } from './imported-writes.ts';
import { createEventListing } from './list/event-listing.ts';
import type { SealedListQuery } from './list/page-request.ts';
import { createEventLocator, missingEvent, recordIn, shownObjectId } from './read/event-locator.ts';
import { presentEvent } from './read/event-presenter.ts';
import { parseListQuery, parseOccurrenceQuery } from './read/event-query.ts';
import { createScopedWrites } from './series-edit/scoped-writes.ts';
import { createSeriesEditor } from './series-edit/series-editor.ts';
import { requireZone } from './times/input-time.ts';
import { createdId } from './write/created-id.ts';
import type { EventIntents } from './write/event-intents.ts';
import { readNewEvent } from './write/event-patch.ts';
import { createEventWriter } from './write/event-writer.ts';
import { createPlainWrites } from './write/plain-writes.ts';
import type { WritePlace } from './write/write-place.ts';

export interface EventServiceDeps {
  readonly storage: Pick<Storage, 'mirror' | 'intents'>;
  readonly accounts: AccountAccess;
  readonly mirror: Mirror;
  readonly keeper: IntentKeeper;
  readonly intents: EventIntents;
  /** Sealers of two purposes of their own. */
  readonly syncTokens: TokenSealer;
  readonly pageTokens: TokenSealer;
  readonly syncTokenLifetimeMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The public error of a ProviderError; others as they are. */
  readonly toPublicError: (error: unknown) => unknown;
}

/** The events of calendars: read from the mirror, written through to the provider. */
export function createEventService(deps: EventServiceDeps): EventService & ImportedWrites {
  const { storage, accounts, mirror, keeper, intents, clock, toPublicError } = deps;
  const store = storage.mirror;
  const tokens = createViewTokens<SealedListQuery>({
    sync: deps.syncTokens,
    page: deps.pageTokens,
    clock,
    lifetimeMs: deps.syncTokenLifetimeMs,
  });
  const listing = createEventListing(store, tokens, clock);
  const locator = createEventLocator(store, mirror);
  const plain = createPlainWrites(createEventWriter({ ...deps, locator }));
  const scoped = createScopedWrites({ locator, plain, editor: createSeriesEditor({ ...deps, locator }) });

  const startReading = ({ applicationId }: Caller, accountId: string, calendarId: string) =>
    mirror.startReading(applicationId, accountId, [calendarId]);

  /** Opens a calendar that may be written to. @throws KalendsError CalendarReadOnly */
  async function openForWrite(
    { applicationId }: Caller,
    accountId: string,
    calendarId: string,
    ids: readonly string[] = [],
  ): Promise<MirrorWriting & { readonly place: WritePlace }> {
    const writing = await mirror.startWriting({ applicationId, accountId, calendarId }, ids);
    const { account, snapshot, calendar } = writing;
    requireWritable(calendar);
    const session = accounts.session(account);
    return {
      ...writing,
      place: { account, key: snapshot.key, calendar: calendarRef(calendar, snapshot.state.timeZone), session },
    };
  }

  /** Opens a calendar that may be written to, and finds a record in it. */
  async function openRecord(caller: Caller, accountId: string, calendarId: string, eventId: string) {
    const seriesId = parseOccurrenceId(eventId)?.seriesId;
    const ids = seriesId === undefined ? [eventId] : [eventId, seriesId];
    const { account, snapshot, place, items } = await openForWrite(caller, accountId, calendarId, ids);
    return { place, record: await locator.get(account, snapshot, eventId, items) };
  }

  /** Finds the provider's object whose content an event shows. */
  async function openShown(caller: Caller, accountId: string, calendarId: string, eventId: string) {
    const { account, open } = await startReading(caller, accountId, calendarId);
    const snapshot = await open(calendarId);
    const record = await locator.get(account, snapshot, eventId);
    const calendar = await mirror.findCalendar(account, calendarId);
    if (calendar === undefined) throw noCalendar();
    return {
      provider: account.provider,
      session: accounts.session(account),
      calendar: calendarRef(calendar, snapshot.state.timeZone),
      objectId: shownObjectId(record),
    };
  }

  async function list(caller: Caller, accountId: string, calendarId: string, query: EventListQuery = {}) {
    const request = parseListQuery(query);
    const { open } = await startReading(caller, accountId, calendarId);
    return await listing.list(await open(calendarId), request);
  }

  async function listOccurrences(
    caller: Caller,
    accountId: string,
    calendarId: string,
    eventId: string,
    query: OccurrenceListQuery,
  ) {
    const request = parseOccurrenceQuery(query);
    const { account, open } = await startReading(caller, accountId, calendarId);
    const snapshot = await open(calendarId);
    const groupId = await groupOf(account, snapshot, eventId, request.query);
    return await listing.list(await latest(snapshot), request, groupId);
  }

  return {
    // Deletions are in answers to sync tokens alone.
    list: list as EventService['list'],
    listOccurrences: listOccurrences as EventService['listOccurrences'],

    async listJson(caller, accountId, calendarId, query) {
      const request = parseListQuery(query);
      const { open } = await startReading(caller, accountId, calendarId);
      return await listing.serialize(await open(calendarId), request);
    },

    async get(caller, accountId, calendarId, eventId, query = {}) {
      const { timeZone } = parseInput(eventGetQuery, query);
      const displayZone = timeZone === undefined ? undefined : requireZone('timeZone', timeZone);
      const { account, open } = await startReading(caller, accountId, calendarId);
      return presentEvent(await locator.get(account, await open(calendarId), eventId), displayZone);
    },

    async export(caller, accountId, calendarId) {
      const { account, open } = await startReading(caller, accountId, calendarId);
      const snapshot = await open(calendarId);
      const calendar = await mirror.findCalendar(account, calendarId);
      if (calendar === undefined) throw noCalendar();
      return await exportCalendar(store, snapshot, {
        name: calendar.name,
        mappingVersion: account.provider.mappingVersion,
      });
    },

    async listAttachments(caller, accountId, calendarId, eventId) {
      const { provider, session, calendar, objectId } = await openShown(caller, accountId, calendarId, eventId);
      try {
        return { data: [...(await provider.events.listAttachments(session, calendar, objectId))] };
      } catch (error) {
        throw toPublicError(error);
      }
    },

    async getDescription(caller, accountId, calendarId, eventId, query = {}) {
      const { format } = parseInput(eventDescriptionQuery, query);
      const { provider, session, calendar, objectId } = await openShown(caller, accountId, calendarId, eventId);
      try {
        return { format, content: await provider.events.getDescription(session, calendar, objectId, format) };
      } catch (error) {
        throw toPublicError(error);
      }
    },

    async create(caller, accountId, calendarId, body, request: EventCreateRequest & Partial<CreationKey> = {}) {
      const { idempotencyKey, requestId, iCalUid, ...query } = request;
      const { notifyAttendees } = parseInput(eventNotifyQuery, query);
      const { place } = await openForWrite(caller, accountId, calendarId);
      const { account, key, calendar, session } = place;
      const idempotency = idempotencyOf('createEvent', key, idempotencyKey, withNotification(body, notifyAttendees));
      const input = readNewEvent(body, calendar.timeZone, account.row.email);
      const mayBePartial = input.recurrence?.some((line) => /^EXDATE/i.test(line)) === true;
      let created: Created<{ readonly itemId: string }>;
      let left: WriteReached['left'];
      try {
        created = await createOnce(
          { intents: storage.intents, keeper },
          {
            key,
            idempotency,
            data: { mayBePartial, ...(requestId === undefined ? {} : { requestId, iCalUid }) },
            holdsNewItems: mayBePartial,
            async perform(held, isRepeat) {
              const { events } = account.provider;
              const options = { requestId: requestId ?? held.ref.id, iCalUid, notifyAttendees };
              const changes = await events.create(session, calendar, input, options);
              const value = { itemId: createdId(changes) };
              // A given request id may have created it before.
              const isNew = !isRepeat && requestId === undefined;
              const reached = await intents.toEventIntent(place, held).finish(changes, { result: value, isNew });
              left = reached.left;
              return { value, revision: reached.revision };
            },
          },
        );
      } catch (error) {
        throw toPublicError(error);
      }
      const { itemId } = created.value;
      const known = left && recordIn(left.items, itemId, left.timeZone);
      const record = known ?? (await locator.find(key, itemId, created.revision));
      if (record === undefined) throw await missingEvent(store, key, itemId);
      return presentEvent(record, undefined);
    },

    async check(caller, accountId, calendarId, body, query = {}) {
      const { notifyAttendees } = parseInput(eventNotifyQuery, query);
      const { place } = await openForWrite(caller, accountId, calendarId);
      const { account, calendar, session } = place;
      const input = readNewEvent(body, calendar.timeZone, account.row.email);
      try {
        await account.provider.events.check?.(session, calendar, input, { notifyAttendees });
      } catch (error) {
        throw toPublicError(error);
      }
    },

    async findCreated(caller, accountId, calendarId, { requestId, iCalUid }) {
      const { place } = await openForWrite(caller, accountId, calendarId);
      try {
        const { account, session, calendar } = place;
        const changes = await account.provider.events.findCreated(session, calendar, requestId, iCalUid);
        if (changes.length === 0) return { kind: 'none' };
        if (changes.every(({ kind }) => kind === 'deleted')) return { kind: 'deleted' };
        return { kind: 'present', eventId: createdId(changes) };
      } catch (error) {
        throw toPublicError(error);
      }
    },

    async capabilities(caller, accountId, calendarId) {
      const { place } = await openForWrite(caller, accountId, calendarId);
      const { account, calendar } = place;
      return { limits: account.provider.capabilities(calendar), calendar, email: account.row.email };
    },

    async *groups(caller, accountId, calendarId) {
      const { open } = await startReading(caller, accountId, calendarId);
      yield* printableGroups(store, await open(calendarId));
    },

    async update(caller, accountId, calendarId, eventId, body, { ifMatch, ...query } = {}) {
      const { scope, notifyAttendees } = parseInput(eventWriteQuery, query);
      const { place, record } = await openRecord(caller, accountId, calendarId, eventId);
      return await scoped.update({ ...place, notifyAttendees }, record, body, { scope, ifMatch });
    },

    async respond(caller, accountId, calendarId, eventId, body, { ifMatch, ...query } = {}) {
      const { notifyAttendees } = parseInput(eventNotifyQuery, query);
      const { responseStatus, comment } = parseInput(rsvpBody, body);
      const { place, record } = await openRecord(caller, accountId, calendarId, eventId);
      await plain.respond({ ...place, notifyAttendees }, record, { response: responseStatus, comment }, ifMatch);
    },

    async delete(caller, accountId, calendarId, eventId, { ifMatch, ...query } = {}) {
      const { scope, notifyAttendees } = parseInput(eventWriteQuery, query);
      const { place, record } = await openRecord(caller, accountId, calendarId, eventId);
      await scoped.delete({ ...place, notifyAttendees }, record, { scope, ifMatch });
    },
  };

  /** The group whose occurrences are asked for. With a token the event may be gone: the result tells so. */
  async function groupOf(
    account: ConnectedAccount,
    snapshot: MirrorSnapshot,
    eventId: string,
    { syncToken, pageToken }: { readonly syncToken?: string | undefined; readonly pageToken?: string | undefined },
  ): Promise<string> {
    if (syncToken === undefined && pageToken === undefined) {
      return (await locator.get(account, snapshot, eventId)).group.groupId;
    }
    const { key } = snapshot;
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

/** Returns what an Idempotency-Key stands for. */
function withNotification(body: unknown, notifyAttendees: NotifyAttendees | undefined): unknown {
  return notifyAttendees === undefined ? body : { body, notifyAttendees };
}

function requireWritable({ readOnly }: ProviderCalendar): void {
  if (readOnly) throw new KalendsError('CalendarReadOnly', 'The calendar cannot be modified by this account.');
}
