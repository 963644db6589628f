import type { Steps } from 'kalends/icalendar';
import {
  type CalendarRef,
  type EventChange,
  type EventPage,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  type PullKnowledge,
} from 'kalends/ports';
import { nextTurn, runInTurns } from 'kalends/runtime';
import type { AccountLook, AccountLooks } from '../account/account-looks.ts';
import type { AccountPerson, PersonOf } from '../account/account-person.ts';
import { isAboutRequest } from '../protocol/failure.ts';
import { pathOfId } from '../protocol/paths.ts';
import { ignoresConditions } from '../server-kind.ts';
import { objectId } from './event-ids.ts';
import { createListingBounds } from './listing-bounds.ts';
import type { ListedObject, ObjectCalls, ObjectChanges, ReadObjects } from './object-calls.ts';
import { changesOf, readObjectChanges, refusedObject } from './object-reading.ts';
import { type ResumeToken, readToken, writeToken } from './resume-token.ts';
import { findUnlisted, findUnnamed } from './unnamed-deletions.ts';

/** Ways to the server. */
export interface EventCalls {
  readonly calls: ObjectCalls;
  readonly looks: AccountLooks;
  readonly personOf: PersonOf;
}

/** Creates the feed of a calendar's events. */
export function createEventPull({ calls, looks, personOf }: EventCalls, now: () => number): ProviderEvents['pull'] {
  /**
   * Reads objects page by page, each while the engine applies the one before it: server and engine work at the same time. A full pull has its
   * sweep for what an object is no longer. Notes what a later pull has to read again.
   */
  async function* readPages(
    session: ProviderSession,
    calendar: CalendarRef,
    paths: readonly string[],
    notes: Notes,
    full = false,
  ): AsyncGenerator<EventPage> {
    if (paths.length === 0) return;
    const person = await personOf(session);
    if (!person.isKnown) notes.unsure = true;
    const { atOnce } = calls;
    const parts = Array.from({ length: Math.ceil(paths.length / atOnce) }, (_, at) =>
      paths.slice(at * atOnce, (at + 1) * atOnce),
    );
    const ask = (part: readonly string[] | undefined) =>
      part === undefined ? undefined : calls.readEach(session, pathOfId(calendar.id), part);
    let ahead = ask(parts[0]);
    try {
      for (const [at, part] of parts.entries()) {
        const read = await ahead;
        ahead = ask(parts[at + 1]);
        // Avoid an unhandled rejection while the engine applies this page.
        ahead?.catch(() => undefined);
        if (read === undefined) break;
        // The requests go out before the mapping takes its turn.
        await nextTurn();
        noteLate(notes, read);
        const changes = await runInTurns(changesIn(part, read, { person, calendar, full }));
        yield { changes, full, ...(at === 0 ? {} : { isAskedAhead: true }) };
      }
    } finally {
      // No request outlives its pull.
      await ahead?.catch(() => undefined);
    }
  }

  /** Reads objects again that the server failed to hand out. They hold up no other, though it fails again for all of them. */
  async function* readLate(
    session: ProviderSession,
    calendar: CalendarRef,
    paths: readonly string[],
    notes: Notes,
  ): AsyncGenerator<EventPage> {
    try {
      yield* readPages(session, calendar, paths, notes);
    } catch (error) {
      if (!isAboutRequest(error)) throw error;
      for (const path of paths) notes.late.add(path);
    }
  }

  async function* pullAll(session: ProviderSession, calendar: CalendarRef): AsyncGenerator<EventPage> {
    const path = pathOfId(calendar.id);
    // Read before the objects: a change in between is found once more.
    const ctag = ctagIn(await looks.look(session, now()), path);
    const { objects, sync } = await listAll(calls, session, path);
    const notes = newNotes();
    yield* readPages(session, calendar, pathsOf(objects), notes, true);
    const list =
      sync === undefined
        ? { objects: objects.map(({ path: at, tag }) => [at, tag] as [string, string | null]) }
        : { sync, size: objects.length };
    const zone = calendar.timeZone;
    const nextToken = writeToken({ ...list, ...ctag, ...notedIn(notes), zone, again: true });
    yield { changes: [], full: true, nextToken };
  }

  async function* pullSynced(
    session: ProviderSession,
    calendar: CalendarRef,
    { token, look, known, notes }: Increment & { readonly token: ResumeToken & { readonly sync: string } },
  ): AsyncGenerator<EventPage> {
    const path = pathOfId(calendar.id);
    const named = new Set<string>();
    const gone = new Set<string>();
    const asked = new Set<string>();
    const bounds = createListingBounds();
    let { sync, size = 0 } = token;
    for (let goesOn = true; goesOn; ) {
      const found = await syncSince(calls, session, path, sync);
      asked.add(sync);
      for (const { path: at } of found.changed) named.add(at);
      for (const at of found.removed) gone.add(at);
      size = Math.max(0, size - found.removed.length);
      goesOn = found.isTruncated;
      // An empty token must not replace the stored one.
      sync = found.token ?? sync;
      if (goesOn && (asked.has(sync) || !bounds.mayGoOn(found, named.size + gone.size))) {
        throw new ProviderError('sync-token-expired', 'the server leaves changes out');
      }
      // Nothing has gone from a calendar whose tag has not moved; some servers have none.
      const tag = look?.ctags.get(path);
      const mayLack = tag === undefined || tag !== token.ctag;
      const fresh = await withoutKnown(path, found.changed, known);
      yield* readPages(session, calendar, pathsOf(fresh), notes);
      const removed = found.removed.map((at) => ({ kind: 'deleted', providerEventId: objectId(at) }) as const);
      if (removed.length > 0) yield { changes: removed, full: false };
      if (goesOn || !mayLack || found.removed.length > 0) continue;
      const lost = await findUnnamed(calls, session, calendar, { named, size, known });
      size = lost.size;
      yield* readPages(session, calendar, pathsOf(lost.unlisted), notes);
    }
    const isMoved = sync !== token.sync;
    const ctag = look === undefined ? (isMoved ? {} : ctagOf(token)) : ctagIn(look, path);
    const again = isMoved ? { again: true } : {};
    const nextToken = writeToken({ sync, size, ...ctag, ...notedIn(notes), zone: token.zone, ...again });
    yield { changes: [], full: false, nextToken };
  }

  /** Without sync-collection: the whole list is compared with the last one. */
  async function* pullListed(
    session: ProviderSession,
    calendar: CalendarRef,
    { token, look, known, notes }: Increment,
  ): AsyncGenerator<EventPage> {
    const path = pathOfId(calendar.id);
    const before = new Map(token.objects ?? []);
    const listed = await calls.list(session, path);
    const changed = listed.filter(({ path: at, tag }) => tag === null || before.get(at) !== tag);
    yield* readPages(session, calendar, pathsOf(changed), notes);
    const present = new Set(listed.map(({ path: at }) => at));
    const gone = [...before.keys()].filter((at) => !present.has(at));
    // One that was written here and deleted elsewhere since the last list is in neither.
    const others = known === undefined ? [] : await findUnlisted(calendar, present, known);
    const unlisted = others.filter(({ path: at }) => !before.has(at));
    yield* readPages(session, calendar, pathsOf(unlisted), notes);
    const changes = gone.map((at) => ({ kind: 'deleted', providerEventId: objectId(at) }) as const);
    const objects = listed.map(({ path: at, tag }): [string, string | null] => [at, tag]);
    const isMoved = changed.length + gone.length > 0;
    const tag = look === undefined ? {} : ctagIn(look, path);
    const next = writeToken({ objects, ...tag, ...notedIn(notes), zone: token.zone, again: isMoved });
    yield { changes, full: false, nextToken: next };
  }

  /**
   * Polls, and servers without sync-collection, look at the tags of all calendars first. The look of another calendar's poll will
   * do where the engine says so.
   */
  async function lookFirst(
    session: ProviderSession,
    token: ResumeToken,
    known: PullKnowledge | undefined,
  ): Promise<AccountLook | undefined> {
    if (session.isBackground !== true && token.sync !== undefined) return undefined;
    return looks.look(session, known?.sharedSince ?? now());
  }

  return async function* pull(session, calendar, text, known) {
    if (text === null) return yield* pullAll(session, calendar);
    let token = readToken(text);
    const notes = newNotes(token);
    const look = await lookFirst(session, token, known);
    const path = pathOfId(calendar.id);
    const isOfZone = token.zone === calendar.timeZone;
    if (!isOfZone || (token.unsure === true && (await personOf(session)).isKnown)) {
      // By their tags these objects are known, and would stay as they were read. Floating times are in the calendar's zone.
      notes.unsure = false;
      yield* readPages(session, calendar, pathsOf(await calls.list(session, path)), notes);
      token = { ...token, zone: calendar.timeZone, again: true };
    } else if (token.late !== undefined) {
      yield* readLate(session, calendar, [...notes.tries.keys()], notes);
      token = { ...token, again: true };
    }
    const tag = look?.ctags.get(path);
    if (look !== undefined && tag !== undefined && tag === token.ctag && token.again !== true) {
      return yield { changes: [], full: false, nextToken: text, completeAt: look.at };
    }
    const { sync } = token;
    if (sync === undefined) return yield* pullListed(session, calendar, { token, look, known, notes });
    return yield* pullSynced(session, calendar, { token: { ...token, sync }, look, known, notes });
  };
}

/** Notes of the readings of a pull, for later ones. */
interface Notes {
  /** Whether objects were read while the addresses of the account were unknown. */
  unsure: boolean;
  readonly late: Set<string>;
  /** For objects that were late before this pull, the pulls that have failed to read them. */
  readonly tries: ReadonlyMap<string, number>;
}

/** Pulls that read an object again which the server fails to hand out; after them it is one that cannot be read. */
const LATE_TRIES = 4;
/** Most objects that are read again so. */
const MAX_LATE = 100;

function newNotes({ unsure = false, late }: Pick<ResumeToken, 'unsure' | 'late'> = {}): Notes {
  return { unsure, late: new Set(), tries: new Map(late) };
}

/** Notes objects whose refusal may be a fault of the server that passes: some answer so to an object that they cannot read, for good. */
function noteLate({ late }: Notes, { found, refused }: ReadObjects): void {
  for (const path of found.keys()) late.delete(path);
  for (const [path, { reason }] of refused) if (reason === 'unavailable' && late.size < MAX_LATE) late.add(path);
}

function notedIn({ unsure, late, tries }: Notes): Pick<ResumeToken, 'unsure' | 'late'> {
  const again = [...late].flatMap((path): readonly [string, number][] => {
    const failed = (tries.get(path) ?? 0) + 1;
    return failed > LATE_TRIES ? [] : [[path, failed]];
  });
  return { ...(unsure ? { unsure } : {}), ...(again.length > 0 ? { late: again } : {}) };
}

const pathsOf = (objects: readonly ListedObject[]): readonly string[] => objects.map(({ path }) => path);

interface PageOptions {
  readonly person: AccountPerson;
  readonly calendar: CalendarRef;
  readonly full: boolean;
}

/** Maps the objects of a page. */
function* changesIn(paths: readonly string[], read: ReadObjects, options: PageOptions): Steps<readonly EventChange[]> {
  const changes: EventChange[] = [];
  for (const path of paths) for (const change of yield* changesAt(path, read, options)) changes.push(change);
  return changes;
}

function* changesAt(
  path: string,
  { found, refused }: ReadObjects,
  { person, calendar, full }: PageOptions,
): Steps<readonly EventChange[]> {
  const id = objectId(path);
  const refusal = refused.get(path);
  if (refusal !== undefined) return [refusedObject(id, refusal)];
  const object = found.get(path);
  if (!full) return yield* changesOf(id, object, person, calendar);
  return object === undefined ? [] : yield* readObjectChanges(object, person, calendar);
}

interface Increment {
  readonly token: ResumeToken;
  readonly look: AccountLook | undefined;
  readonly known: PullKnowledge | undefined;
  readonly notes: Notes;
}

function ctagOf({ ctag }: ResumeToken): Pick<ResumeToken, 'ctag'> {
  return ctag === undefined ? {} : { ctag };
}

function ctagIn({ ctags }: AccountLook, path: string): Pick<ResumeToken, 'ctag'> {
  const ctag = ctags.get(path);
  return ctag === undefined ? {} : { ctag };
}

/** Leaves out objects that the mirror has in this version. SOGo gives one tag to different versions. */
async function withoutKnown(
  calendarPath: string,
  changed: readonly ListedObject[],
  known: PullKnowledge | undefined,
): Promise<readonly ListedObject[]> {
  if (known === undefined || changed.length === 0 || ignoresConditions(calendarPath)) return changed;
  const tags = await known.tagsOf(changed.map(({ path }) => objectId(path)));
  return changed.filter(({ path, tag }) => tag === null || tags.get(objectId(path)) !== tag);
}

/** Lists every object by sync-collection, else by PROPFIND. */
async function listAll(
  calls: ObjectCalls,
  session: ProviderSession,
  path: string,
): Promise<{ readonly objects: readonly ListedObject[]; readonly sync: string | undefined }> {
  const objects = new Map<string, ListedObject>();
  const asked = new Set<string | null>();
  const bounds = createListingBounds();
  let token: string | null = null;
  try {
    // A server that leaves objects out, and does not get on, has no whole list to give.
    while (!asked.has(token)) {
      asked.add(token);
      const found: ObjectChanges = await calls.sync(session, path, token);
      for (const object of found.changed) objects.set(object.path, object);
      for (const gone of found.removed) objects.delete(gone);
      if (found.token === undefined) break;
      if (!found.isTruncated) return { objects: [...objects.values()], sync: found.token };
      if (!bounds.mayGoOn(found, objects.size)) break;
      token = found.token;
    }
  } catch (error) {
    if (!isAboutRequest(error)) throw error;
  }
  return { objects: await calls.list(session, path), sync: undefined };
}

/**
 * Asks for changes. A dead token has many faces: 403, 409, 412, 415, 418, 500, 501 and 507.
 * @throws ProviderError sync-token-expired
 */
async function syncSince(
  calls: ObjectCalls,
  session: ProviderSession,
  path: string,
  token: string,
): Promise<ObjectChanges> {
  try {
    return await calls.sync(session, path, token);
  } catch (error) {
    if (!isAboutRequest(error)) throw error;
    // A server that is down fails here too, and its answer is then the one that counts.
    if (!(ProviderError.isInstance(error) && error.reason === 'sync-token-expired')) await calls.list(session, path);
    throw new ProviderError('sync-token-expired', 'the server refuses the sync token', { cause: error });
  }
}
