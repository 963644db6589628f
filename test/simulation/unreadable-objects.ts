import type { CollectionKey, Fetch, ItemVersion, Storage } from 'kalends/ports';
import { withObjectTexts } from '../interface/object-texts.ts';
import type { Dice } from './dice.ts';
import type { Person } from './person.ts';
import type { Json, WireObject } from './provider-acts.ts';
import { soundText, spoiledText, type TextSpoil } from './spoiled-texts.ts';
import type { Tally } from './tally.ts';

/** An object that the provider shows in a form that cannot be read. Its content at the provider is sound. */
interface Spoiled extends WireObject {
  readonly calendar: 0 | 1;
  readonly spoil: (wire: Json) => Json;
  /** The same of CalDAV. */
  readonly textSpoil: TextSpoil;
}

/** Most objects that are unreadable at a time. */
const MOST = 4;

/** Objects of a history that engines cannot read for a while. */
export interface UnreadableObjects {
  /** Spoils one more object of the person, or lets one be read again. Returns a description. */
  befall(): Promise<string | undefined>;
  /** Lets all be read again. The provider tells nothing about it. */
  clear(): void;
  /** Ids of the series and single events to which the objects belong that cannot be read now, or could not at some time. */
  readonly groupIds: ReadonlySet<string>;
  /** Ids of all objects that could not be read at some time. */
  readonly everIds: ReadonlySet<string>;
  /** The provider with this habit. */
  over(provider: Fetch): Fetch;
  /** Ids of the objects that cannot be read now and that the mirror shows. */
  shownIn(storage: Storage, key: CollectionKey): Promise<ReadonlySet<string>>;
  /** Ids of those that were shown before, are no longer, and stand at the provider all the same. */
  lostFrom(storage: Storage, key: CollectionKey, before: ReadonlySet<string>): Promise<readonly string[]>;
}

/** Starts with none; `befall` draws them one by one. */
export function createUnreadableObjects(source: Dice, tally: Tally, person: Person): UnreadableObjects {
  const spoiled = new Map<string, Spoiled>();
  const everIds = new Set<string>();
  const groupIds = new Set<string>();

  /** Returns a copy in which every spoiled object is so: in lists, answers, and expansions of a series. */
  function spoilIn(value: Json): Json {
    if (Array.isArray(value)) return value.map(spoilIn);
    if (value === null || typeof value !== 'object') return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, spoilIn(member)]));
    const found = spoiled.get(copy['id']);
    // Tombstones and removals have no fields to spoil.
    if (found === undefined || copy['start'] === undefined || copy['status'] === 'cancelled') return copy;
    tally.count('unreadable object');
    return found.spoil(copy);
  }

  /** Spoils the text of a CalDAV object likewise. */
  function spoilText(path: string, text: string): string {
    const objectId = Buffer.from(path).toString('base64url');
    const here = [...spoiled.values()].filter(({ id }) => id.split('.', 1)[0] === objectId);
    return here.reduce((shown, { id, textSpoil }) => {
      // Nothing is left to spoil of a text that is cut.
      if (!shown.trimEnd().endsWith('END:VCALENDAR')) return shown;
      tally.count('unreadable object');
      return spoiledText(shown, id.split('.')[1], textSpoil);
    }, text);
  }

  const overJson =
    (provider: Fetch): Fetch =>
    async (input, init) => {
      const response = await provider(input, init);
      if (spoiled.size === 0 || !response.headers.get('content-type')?.includes('json')) return response;
      const { status, headers } = response;
      const body = JSON.stringify(spoilIn(await response.json()));
      return new Response(body, { status, headers: withoutLength(headers) });
    };

  const overTexts =
    (provider: Fetch): Fetch =>
    async (input, init) => {
      const request = new Request(input, init);
      const { method, url } = request;
      const isWrite = method === 'PUT';
      const sent = isWrite ? new Request(request, { body: soundText(await request.clone().text()) }) : request;
      return withObjectTexts(method, url, await provider(sent), spoilText);
    };

  return {
    groupIds,
    everIds,
    async befall() {
      const chosen = source.pick([...spoiled.keys(), undefined]);
      if (spoiled.size > 0 && (spoiled.size === MOST || source.chance(0.2))) {
        if (chosen === undefined) return undefined;
        spoiled.delete(chosen);
        return `${chosen} can be read again`;
      }
      const calendar = source.chance(0.7) ? 0 : 1;
      const objects = await person.objects(calendar);
      if (objects.length === 0) return undefined;
      // Exceptions are few, and the providers have most to say about them.
      const exceptions = objects.filter(({ seriesId }) => seriesId !== null);
      const object = source.pick(exceptions.length > 0 && source.chance(0.5) ? exceptions : objects);
      const way = source.below(SPOILS.length);
      spoiled.set(object.id, { ...object, calendar, spoil: SPOILS[way]!, textSpoil: way === 0 ? 'cut' : 'no time' });
      everIds.add(object.id);
      groupIds.add(object.seriesId ?? object.id);
      const told = `${object.id} cannot be read`;
      if (source.chance(0.5)) return told;
      // The version that the mirror keeps is out of date then. The event may have been deleted by a caller meanwhile.
      const title = `unread${everIds.size}`;
      return await person.retitle(calendar, object.id, title).then(
        () => `${told}, and is now "${title}"`,
        (error: unknown) => `${told}; ${error}`,
      );
    },
    clear: () => spoiled.clear(),
    over: (provider) => (person.provider === 'caldav' ? overTexts(provider) : overJson(provider)),
    async shownIn(storage, key) {
      const here = [...spoiled.values()].filter(({ calendar }) => person.calendarIds[calendar] === key.calendarId);
      return here.length === 0 ? new Set() : await shownIds(storage, key, here);
    },
    async lostFrom(storage, key, before) {
      if (before.size === 0) return [];
      const watched = [...before].map((id) => spoiled.get(id)).filter((object) => object !== undefined);
      const after = await shownIds(storage, key, watched);
      const lost: string[] = [];
      for (const object of watched) {
        if (!after.has(object.id) && (await person.stands(object.calendar, object))) lost.push(object.id);
      }
      return lost;
    },
  };
}

/** Ways in which an object can be out of shape. Each is refused by the adapters of Google and Microsoft. */
const SPOILS: readonly ((wire: Json) => Json)[] = [
  (wire) => ({ ...wire, start: 7 }),
  (wire) => ({
    ...wire,
    start: { ...wire.start, ...('date' in wire.start ? { date: 'soon' } : { dateTime: 'soon' }) },
  }),
  (wire) => ({ ...wire, summary: { text: wire.summary }, subject: { text: wire.subject } }),
];

/** Tells whether an object of an answer is in one of those shapes. */
export function isSpoiled({ start, summary, subject }: Json): boolean {
  return start === 7 || [start?.date, start?.dateTime].includes('soon') || [summary, subject].some(isObject);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

function withoutLength(headers: Headers): Headers {
  const kept = new Headers(headers);
  kept.delete('content-length');
  return kept;
}

/** Ids of the objects that the mirror has and does not show as cancelled. */
async function shownIds(
  storage: Storage,
  key: CollectionKey,
  objects: readonly WireObject[],
): Promise<ReadonlySet<string>> {
  const state = await storage.mirror.find(key);
  if (state === undefined) return new Set();
  const groupIds = objects.map(({ id, seriesId }) => seriesId ?? id);
  const items = await storage.mirror.readGroups(key, [...new Set(groupIds)], state.revision);
  const ids = new Set(items.flatMap(shownId));
  return new Set(objects.map(({ id }) => id).filter((id) => ids.has(id)));
}

function shownId({ content }: ItemVersion): readonly string[] {
  const event = content as { readonly providerEventId: string; readonly content: object | null };
  return event.content === null ? [] : [event.providerEventId];
}
