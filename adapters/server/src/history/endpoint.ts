/** Subject of a request. */
export type Endpoint =
  | ListEndpoint
  | {
      readonly kind: 'record';
      /** List that the record belongs to. */
      readonly place: string;
      readonly id: string;
    }
  | { readonly kind: 'answer to an invitation'; readonly place: string; readonly id: string };

/** A list: its GET reads it, its POST creates a record of it. */
export interface ListEndpoint {
  readonly kind: 'list';
  readonly place: string;
  /** Path of the list itself: that of the occurrences of one event differs from its place. */
  readonly path: string;
  /** Filters in order, and the zone, in which a window without offsets is read. */
  readonly filters: string;
  readonly syncToken: string | undefined;
  readonly pageToken: string | undefined;
  readonly limit: string | undefined;
}

/** Parameters of a list that choose no records. */
const NO_FILTERS = ['syncToken', 'pageToken', 'limit', 'pageSize', 'orderBy', 'digest', 'verify'];

/** Returns what a URL is about, by its path from `/v1` on; undefined for anything without promises. */
export function readEndpoint(url: string): Endpoint | undefined {
  const [path = '', query = ''] = url.split('?');
  const [kind, ...ids] = path.replace(/\/$/, '').split('/').slice(2).map(decoded);
  if (kind === 'calendars' && ids.length === 1) return listAt([kind, ...ids], [], query);
  if (kind === 'calendars' && ids.length === 2) {
    return { kind: 'record', place: pathOf([kind, ids[0] as string]), id: ids[1] as string };
  }
  if (kind !== 'events' || ids.length < 2 || ids.length > 4) return undefined;
  const [account, calendar, event, part] = ids as [string, string, string | undefined, string | undefined];
  const place = [kind, account, calendar];
  if (event === undefined) return listAt(place, [], query);
  if (part === undefined) return { kind: 'record', place: pathOf(place), id: event };
  if (part === 'occurrences') return listAt(place, [event, part], query);
  return part === 'rsvp' ? { kind: 'answer to an invitation', place: pathOf(place), id: event } : undefined;
}

/** Requests that change records without naming them: an import into a calendar, or a hold or booking, which may have events in any. */
export type UnseenChanges = { readonly kind: 'import'; readonly place: string } | { readonly kind: 'booking' };

export function readUnseenChanges(url: string): UnseenChanges | undefined {
  const [path = ''] = url.split('?');
  const [kind, account, calendar, part] = path.split('/').slice(2).map(decoded);
  if (kind === 'holds' || kind === 'bookings') return { kind: 'booking' };
  if (kind !== 'calendars' || part !== 'imports' || account === undefined || calendar === undefined) return undefined;
  return { kind: 'import', place: pathOf(['events', account, calendar]) };
}

/** Returns the list of the events of a calendar, by the list of calendars and the id. */
export function eventsOf(calendars: string, calendarId: string): string {
  return `${calendars.replace('/v1/calendars/', '/v1/events/')}/${encodeURIComponent(calendarId)}`;
}

function listAt(place: readonly string[], rest: readonly string[], query: string): ListEndpoint {
  const parameters = new URLSearchParams(query);
  const given = (name: string) => parameters.get(name) ?? undefined;
  const filters = [...parameters].filter(([name]) => !NO_FILTERS.includes(name));
  return {
    kind: 'list',
    place: pathOf(place),
    path: pathOf([...place, ...rest]),
    filters: new URLSearchParams(filters.sort(([one], [other]) => (one < other ? -1 : 1))).toString(),
    syncToken: given('syncToken'),
    pageToken: given('pageToken'),
    limit: given('limit') ?? given('pageSize'),
  };
}

function pathOf(parts: readonly string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
