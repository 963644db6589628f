import type { Fetch, HoldStore, MirrorStore, Storage } from 'kalends/ports';
import { withObjectTexts } from '../interface/object-texts.ts';
import type { Habit } from './habits.ts';
import type { Json, ProviderName } from './provider-acts.ts';
import type { Tampering } from './simulation-state.ts';
import { isSpoiledText } from './spoiled-texts.ts';
import { isSpoiled } from './unreadable-objects.ts';

export interface BrokenVariant extends Tampering {
  /**
   * The first seed that noticed when last measured: played before the others, to save their time. A provider without one has
   * nothing that the precaution is against, or soon mends without it what it is against (docs/simulation.md).
   */
  readonly noticedBy: Readonly<Partial<Record<ProviderName, number>>>;
  /** The habit that the precaution is against: histories without it are not played. */
  readonly against?: Habit;
}

/** The product without one of its precautions each. A simulation that does not notice proves nothing. */
export const BROKEN_VARIANTS: Readonly<Record<string, BrokenVariant>> = {
  'no sweep: what a full listing does not show stays': {
    noticedBy: { google: 25, microsoft: 48, caldav: 93 },
    storage: (storage) => withMirror(storage, { listUnseen: async () => [] }),
  },
  'no fence: a process that lost its lease may commit': {
    noticedBy: { google: 9, microsoft: 23, caldav: 24 },
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, { lease: _lease, ...commit }) => storage.mirror.commit(key, commit),
      }),
  },
  'no guard: an old answer overwrites newer knowledge': {
    noticedBy: { google: 8, microsoft: 3 },
    storage: (storage) =>
      withMirror(storage, {
        commit: (key, commit) => storage.mirror.commit(key, { ...commit, basedOn: Number.MAX_SAFE_INTEGER }),
      }),
  },
  'no hint: a push changes nothing': {
    noticedBy: { google: 1, microsoft: 1 },
    storage: (storage) => ({ ...storage, schedule: { ...storage.schedule, hint: async () => 0 } }),
  },
  'removals skipped': { noticedBy: { google: 4, microsoft: 92 }, fetch: withoutRemovals },
  'removed objects skipped': { noticedBy: { caldav: 53 }, fetch: withoutRemovedObjects },
  're-read list dropped': {
    noticedBy: { google: 19 },
    storage: (storage) => withMirror(storage, { listRereads: async () => [] }),
  },
  'unreadable object counts as deleted': {
    against: 'unreadable object',
    noticedBy: { google: 10, microsoft: 10, caldav: 21 },
    fetch: withUnreadableDeleted,
  },
  'unreadable object stops its page': {
    against: 'unreadable object',
    noticedBy: { google: 10, microsoft: 2 },
    fetch: withoutSpoiledPages,
  },
  'unreadable object not read again': {
    against: 'unreadable object',
    noticedBy: { microsoft: 200 },
    storage: (storage) => withMirror(storage, { listUnreadable: async () => [] }),
  },
  'refused feed: nothing is listed instead': {
    against: 'change feed refused',
    noticedBy: { microsoft: 4 },
    fetch: withEndlessOutages,
  },
  'originalStart taken from the start': {
    against: 'originalStart missing',
    noticedBy: { microsoft: 7 },
    fetch: withStartsAsOriginal,
  },
  'a hold takes no time': {
    noticedBy: { google: 12, caldav: 63 },
    storage: (storage) =>
      withHolds(storage, { take: (hold, input) => storage.holds.take(hold, { ...input, ttlMs: 1 }) }),
  },
};

function withHolds(storage: Storage, replaced: Partial<HoldStore>): Storage {
  return { ...storage, holds: { ...storage.holds, ...replaced } };
}

function withMirror(storage: Storage, replaced: Partial<MirrorStore>): Storage {
  return { ...storage, mirror: { ...storage.mirror, ...replaced } };
}

/** Changes the JSON of every answer to a GET; undefined leaves it as it is. */
function rewriting(fetch: Fetch, rewrite: (body: Json, url: URL) => Json | Response | undefined): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isRead = response.ok && (init?.method ?? 'GET') === 'GET';
    if (!isRead || !response.headers.get('content-type')?.includes('json')) return response;
    const url = new URL(input instanceof Request ? input.url : input);
    const body = rewrite(await response.clone().json(), url);
    if (body === undefined) return response;
    return body instanceof Response ? body : Response.json(body, { status: response.status });
  };
}

/** Takes `@removed` out of Graph's answers, and cancelled events out of Google's. */
function withoutRemovals(fetch: Fetch): Fetch {
  const isLeft = (item: Json) => item['@removed'] === undefined && item.status !== 'cancelled';
  return rewriting(fetch, (body) => mapLists(body, (items) => items.filter(isLeft)));
}

/** Takes the removed objects out of the answers of a CalDAV server. */
function withoutRemovedObjects(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 207) return response;
    const body = await response.text();
    const isLeft = (part: string) => !/<\/D:href>\s*<D:status>HTTP\/1.1 404/.test(part);
    const left = body.replace(/<D:response>[\s\S]*?<\/D:response>/g, (part) => (isLeft(part) ? part : ''));
    return new Response(left, { status: 207, headers: { 'content-type': 'application/xml' } });
  };
}

/** Replaces each list of an answer. */
function mapLists(body: Json, map: (items: readonly Json[]) => readonly Json[]): Json {
  const lists = ['value', 'items', 'exceptionOccurrences'].filter((name) => Array.isArray(body[name]));
  return { ...body, ...Object.fromEntries(lists.map((name) => [name, map(body[name])])) };
}

/** As an adapter that takes what it cannot read for a tombstone. */
function withUnreadableDeleted(fetch: Fetch): Fetch {
  const withoutTexts = withoutSpoiledTexts(fetch);
  const asDeleted = (item: Json) =>
    isSpoiled(item) ? [{ id: item.id, status: 'cancelled', recurringEventId: item.recurringEventId }] : [item];
  const without = (item: Json) => (isSpoiled(item) ? [] : [item]);
  return rewriting(withoutTexts, (body) => {
    if (isSpoiled(body)) return Response.json({ error: { code: 'ErrorItemNotFound', message: 'x' } }, { status: 404 });
    return mapLists(body, (items) => items.flatMap(body.items === undefined ? without : asDeleted));
  });
}

/** Shows spoiled objects of a CalDAV server as empty calendars. */
function withoutSpoiledTexts(fetch: Fetch): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url } = request;
    const empty = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n';
    return withObjectTexts(method, url, await fetch(request), (_path, text) => (isSpoiledText(text) ? empty : text));
  };
}

/** As an adapter that reads a page whole or not at all. */
function withoutSpoiledPages(fetch: Fetch): Fetch {
  return rewriting(fetch, (body) => {
    const items: readonly Json[] = body.value ?? body.items ?? body.exceptionOccurrences ?? [];
    return [body, ...items].some(isSpoiled) ? { value: null, items: 7 } : undefined;
  });
}

/** As an adapter that waits until the change feed of Graph answers, and lists nothing meanwhile. */
function withEndlessOutages(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const isRefusal = [400, 403, 404, 503, 504].includes(response.status) && pathname.endsWith('/calendarView/delta');
    if (isRefusal) throw new TypeError('fetch failed: the connection was reset');
    return response;
  };
}

/** As an adapter that places an exception of Graph's without `originalStart` by its start. */
function withStartsAsOriginal(fetch: Fetch): Fetch {
  return rewriting(fetch, ({ exceptionOccurrences, ...body }) => {
    if (exceptionOccurrences === undefined) return undefined;
    const placed = (item: Json) => ({ originalStart: `${item.start.dateTime.slice(0, 19)}Z`, ...item });
    return { ...body, exceptionOccurrences: exceptionOccurrences.map(placed) };
  });
}
