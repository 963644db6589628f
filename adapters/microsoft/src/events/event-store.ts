import type { DescriptionFormat } from 'kalends/model';
import { type EventTag, ProviderError, type ProviderSession } from 'kalends/ports';
import { mapInTurns } from 'kalends/runtime';
import { z } from 'zod';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';
import { checkEvent, checkListedEvent } from './check-event.ts';
import { listPages } from './event-pages.ts';
import { instantOfTimestamp } from './event-times.ts';
import {
  ATTACHMENT_FIELDS,
  attachmentPage,
  type ListedEvent,
  SELECTED_FIELDS,
  uncheckedEvent,
  uncheckedEventPage,
  type WireAttachment,
  type WireEvent,
  type WireMaster,
  wireEvent,
} from './event-wire.ts';
import { EXPAND_KEPT, requestFilter } from './kept-properties.ts';
import { modifiedFrom } from './modified-from.ts';
import { findSeriesMaster } from './series-store.ts';

/** Requests bodies as text, so that a description reads as written. */
const TEXT_BODIES = 'outlook.body-content-type="text"';
const HTML_BODIES = 'outlook.body-content-type="html"';

/** The ids that lists have shown. */
export interface ListedIds {
  /** Ids of any of the lists. */
  readonly all: ReadonlySet<string>;
  /** Those of the last list: the others were deleted meanwhile, or hidden from it. */
  readonly last: ReadonlySet<string>;
}

/**
 * The events of one calendar in Graph's form. Always by the calendar's own path: events of shared calendars have no other.
 */
export interface EventStore {
  /** Returns one event with our properties; undefined when Graph has none under the id. */
  find(id: string): Promise<WireEvent | undefined>;
  /** Returns a series master under its true pattern, with its exceptions and deleted slots; undefined when it is gone. */
  findMaster(id: string): Promise<WireMaster | undefined>;
  /**
   * Returns an event, a series master with its exceptions and deleted slots; undefined when Graph has none under the id.
   * `isSeries` is the caller's guess: a right one saves a call.
   */
  findWhole(id: string, isSeries: boolean): Promise<WireEvent | WireMaster | undefined>;
  /** Returns the body of an event as Graph has it, the block of an online meeting included. @throws ProviderError not-found */
  readBody(id: string, format: DescriptionFormat): Promise<string>;
  /** Returns the attachments of an event. @throws ProviderError not-found */
  listAttachments(id: string): Promise<readonly WireAttachment[]>;
  /** Yields pages of the inventory: single events and masters, unexpanded. */
  list(query: Readonly<Record<string, string>>): AsyncGenerator<readonly ListedEvent[]>;
  /** Yields pages of all single events and masters with their tags. */
  listTags(): AsyncGenerator<readonly EventTag[]>;
  /**
   * Returns whether a list of the calendar has a single event or master that was read by its id: an immutable id finds it in any
   * folder, whatever calendar the path names, and perhaps among the deleted items.
   */
  isListed(wire: WireEvent): Promise<boolean>;
  /**
   * Returns the ids of all single events and masters, and perhaps of some deleted just now, beside those that a list has shown.
   * Graph pages by position: a deletion on a page that was read hides the first event of the next one, but hardly twice. So the
   * calendar is listed until a list shows no other id.
   */
  listIds(shown?: ReadonlySet<string>): Promise<ListedIds>;
  /** Lists the instances of a series that overlap a range of instants. */
  listInstances(masterId: string, fromMs: number, toMs: number): Promise<readonly ListedEvent[]>;
  /** Returns the event created for a request; undefined when there is none, or the mailbox cannot be searched. */
  findRequested(requestId: string): Promise<ListedEvent | undefined>;
  /** Sent once: whether it was done is not known after a timeout. */
  create(body: object): Promise<WireEvent>;
  update(id: string, body: object, ifMatch: string | undefined): Promise<void>;
  /** @throws ProviderError not-found */
  delete(id: string, ifMatch: string | undefined): Promise<void>;
  /** Sends an action such as `accept`. */
  act(id: string, action: string, body: object): Promise<void>;
  /** Sends an action to an event that has left the calendar, in any folder. */
  actAnywhere(id: string, action: string, body: object): Promise<void>;
  /** @throws ProviderError not-found when the calendar itself is gone */
  checkCalendar(): Promise<void>;
}

/**
 * All that is read of an event. `originalStart` comes only when it is selected, and an event with all its fields is several
 * times as large.
 */
const WHOLE = { $select: SELECTED_FIELDS.join(','), $expand: EXPAND_KEPT };

/** A page holds this many times as many tags as whole events, at most as many as Graph gives. */
const TAGS_PER_EVENT = 4;
const MOST_TAGS = 1_000;

/** Lists in search of hidden ids, for a calendar to which an import adds events all the time. */
const MOST_LISTS = 4;

const tagPage = z.object({
  value: z.array(
    z.object({ id: z.string(), '@odata.etag': z.string().nullish() }).or(z.unknown().transform(() => undefined)),
  ),
  '@odata.nextLink': z.string().nullish(),
});

export function createEventStore(
  graph: GraphClient,
  settings: Pick<MicrosoftSettings, 'limits'>,
  session: ProviderSession,
  calendarId: string,
): EventStore {
  const calendarPath = `me/calendars/${encodeURIComponent(calendarId)}`;
  const eventsPath = `${calendarPath}/events`;
  const pathOf = (id: string): string => `${eventsPath}/${encodeURIComponent(id)}`;
  const pageSize = String(settings.limits.pageSize);

  async function* pages(request: GraphRequest): AsyncGenerator<readonly ListedEvent[]> {
    for await (const page of listPages(graph, session, request, uncheckedEventPage)) {
      yield await mapInTurns(page, checkListedEvent);
    }
  }

  async function* listTags(filter: Readonly<Record<string, string>> = {}): AsyncGenerator<readonly EventTag[]> {
    const $top = String(Math.min(MOST_TAGS, settings.limits.pageSize * TAGS_PER_EVENT));
    const query = { $select: 'id', $top, ...filter };
    const request: GraphRequest = { method: 'GET', path: eventsPath, query };
    for await (const page of listPages(graph, session, request, tagPage)) {
      yield page.flatMap((each) =>
        each === undefined ? [] : [{ providerEventId: each.id, providerTag: each['@odata.etag'] ?? null }],
      );
    }
  }

  async function hasTag(id: string, filter: Readonly<Record<string, string>>): Promise<boolean> {
    for await (const page of listTags(filter)) if (page.some((tag) => tag.providerEventId === id)) return true;
    return false;
  }

  async function isListed({ id, lastModifiedDateTime }: WireEvent): Promise<boolean> {
    const at = instantOfTimestamp(lastModifiedDateTime);
    try {
      // Changed meanwhile, it is still within the filter.
      if (at !== undefined) return await hasTag(id, { $filter: modifiedFrom(at) });
    } catch (error) {
      if (!isInvalid(error)) throw error;
    }
    return await hasTag(id, {});
  }

  async function find(id: string): Promise<WireEvent | undefined> {
    const request: GraphRequest = {
      method: 'GET',
      path: pathOf(id),
      query: WHOLE,
      prefer: [TEXT_BODIES],
    };
    const found = await orUndefined(graph.call(session, request, uncheckedEvent));
    return found === undefined ? undefined : checkEvent(found);
  }

  const findMaster = (id: string): Promise<WireMaster | undefined> =>
    findSeriesMaster({ graph, session, pathOf, find, prefer: [TEXT_BODIES] }, id);

  return {
    find,
    findMaster,
    async findWhole(id, isSeries) {
      if (isSeries) {
        try {
          return await findMaster(id);
        } catch (error) {
          // Only a master has exceptions, and this one may have become a single event.
          if (!isInvalid(error)) throw error;
        }
      }
      const wire = await find(id);
      return wire?.type === 'seriesMaster' ? await findMaster(id) : wire;
    },
    async readBody(id, format) {
      const request: GraphRequest = {
        method: 'GET',
        path: pathOf(id),
        query: { $select: 'body' },
        prefer: [format === 'html' ? HTML_BODIES : TEXT_BODIES],
      };
      const { body } = await graph.call(session, request, z.object({ body: wireEvent.shape.body }));
      return body?.content ?? '';
    },
    async listAttachments(id) {
      const query = { $select: ATTACHMENT_FIELDS.join(',') };
      const request: GraphRequest = { method: 'GET', path: `${pathOf(id)}/attachments`, query };
      const found: WireAttachment[] = [];
      for await (const page of listPages(graph, session, request, attachmentPage)) found.push(...page);
      return found;
    },
    list: (query) =>
      pages({
        method: 'GET',
        path: eventsPath,
        query: { $top: pageSize, ...WHOLE, ...query },
        prefer: [TEXT_BODIES],
      }),
    listTags: () => listTags(),
    isListed,
    async listIds(shown = new Set()) {
      const all = new Set(shown);
      let last = new Set<string>();
      for (let lists = 0; lists < MOST_LISTS; lists += 1) {
        const before = all.size;
        let pages = 0;
        last = new Set();
        for await (const page of listTags()) {
          pages += 1;
          for (const { providerEventId } of page) last.add(providerEventId);
        }
        for (const id of last) all.add(id);
        if (pages <= 1 || all.size === before) break;
      }
      return { all, last };
    },
    async listInstances(masterId, fromMs, toMs) {
      const found: ListedEvent[] = [];
      const query = {
        startDateTime: new Date(fromMs).toISOString(),
        endDateTime: new Date(toMs).toISOString(),
        $top: '100',
        ...WHOLE,
      };
      const request: GraphRequest = {
        method: 'GET',
        path: `${pathOf(masterId)}/instances`,
        query,
        prefer: [TEXT_BODIES],
      };
      for await (const page of pages(request)) found.push(...page);
      return found;
    },
    async findRequested(requestId) {
      try {
        const query = { $filter: requestFilter(requestId), ...WHOLE };
        for await (const [event] of pages({ method: 'GET', path: eventsPath, query, prefer: [TEXT_BODIES] })) {
          if (event !== undefined) return event;
        }
      } catch (error) {
        // A mailbox that cannot be searched still remembers transaction ids for a while.
        if (!isInvalid(error)) throw error;
      }
      return undefined;
    },
    create: async (body) =>
      checkEvent(await graph.call(session, { method: 'POST', path: eventsPath, body }, uncheckedEvent)),
    update: (id, body, ifMatch) =>
      graph.command(session, { method: 'PATCH', path: pathOf(id), body, ifMatch, prefer: [TEXT_BODIES] }),
    delete: (id, ifMatch) => graph.command(session, { method: 'DELETE', path: pathOf(id), ifMatch }),
    act: (id, action, body) => graph.command(session, { method: 'POST', path: `${pathOf(id)}/${action}`, body }),
    actAnywhere: (id, action, body) =>
      graph.command(session, { method: 'POST', path: `me/events/${encodeURIComponent(id)}/${action}`, body }),
    async checkCalendar() {
      await graph.call(
        session,
        { method: 'GET', path: calendarPath, query: { $select: 'id' } },
        z.object({ id: z.string() }),
      );
    },
  };
}

function isInvalid(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.reason === 'invalid';
}

/** Turns not-found into undefined. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (ProviderError.isInstance(error) && error.reason === 'not-found') return undefined;
    throw error;
  }
}
