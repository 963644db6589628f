import type { Caller, Engine } from 'kalends';
import type { CalendarEvent, DeletedEvent, EventListQuery } from 'kalends/model';
import { instantText, type Lines, lineOf } from './provider-acts.ts';

/** A list of events followed to its end. */
export interface WholeList {
  readonly data: readonly (CalendarEvent | DeletedEvent)[];
  readonly syncToken: string;
  readonly syncedAt: number;
}

/** Where a list is. */
export interface CalendarAddress {
  readonly caller: Caller;
  readonly accountId: string;
  readonly calendarId: string;
}

/** Reads every page. `between` runs after the first one. */
export async function readWhole(
  engine: Engine,
  { caller, accountId, calendarId }: CalendarAddress,
  query: EventListQuery,
  between: () => Promise<unknown> = async () => undefined,
): Promise<WholeList> {
  let page = await engine.events.list(caller, accountId, calendarId, query);
  const data = [...page.data];
  for (let isFirst = true; page.nextPageToken !== undefined; isFirst = false) {
    if (isFirst) await between();
    const { limit } = query;
    const next = { pageToken: page.nextPageToken, ...(limit === undefined ? {} : { limit }) };
    page = await engine.events.list(caller, accountId, calendarId, next);
    data.push(...page.data);
  }
  return { data, syncToken: page.nextSyncToken!, syncedAt: page.syncedAt };
}

/** A client that keeps a copy by sync tokens. */
export interface Follower {
  readonly query: EventListQuery;
  readonly held: ReadonlyMap<string, CalendarEvent>;
  /** Whether the next sync begins anew. */
  readonly isNew: boolean;
  apply(list: WholeList): void;
  /** The next sync's query. */
  next(): EventListQuery;
  /** The token was refused: the copy is thrown away. */
  restart(): void;
}

export function follower(query: EventListQuery): Follower {
  const held = new Map<string, CalendarEvent>();
  let token: string | undefined;
  return {
    query,
    held,
    get isNew() {
      return token === undefined;
    },
    apply({ data, syncToken }) {
      for (const record of data) {
        if ('isDeleted' in record) held.delete(record.id);
        else held.set(record.id, record);
      }
      token = syncToken;
    },
    next: () => (token === undefined ? query : { syncToken: token }),
    restart() {
      held.clear();
      token = undefined;
    },
  };
}

/** The records of an expanded list as the lines that the provider's own answer is compared to. */
export function linesOf(records: Iterable<CalendarEvent | DeletedEvent>): Lines {
  return [...records].map((record) => lineOfEvent(record as CalendarEvent)).sort();
}

function lineOfEvent(event: CalendarEvent): string {
  const { originalStart, isAllDay } = event;
  const text = (dateTime: string) => (isAllDay ? dateTime.slice(0, 10) : instantText(dateTime));
  const slot =
    originalStart === undefined
      ? undefined
      : 'date' in originalStart
        ? originalStart.date
        : instantText(originalStart.dateTime);
  const id = event.recurringEventId ?? event.id;
  return lineOf(id, slot, event.title, text(event.start.dateTime), text(event.end.dateTime));
}
