import { createHash } from 'node:crypto';
import { KalendsError } from '../errors.ts';
import type { Clock, CollectionKey, CollectionState, MirrorStore } from '../ports/index.ts';
import { type TokenSealer, zoneDataVersion } from '../runtime/index.ts';

/**
 * Of the two kinds of lists. Raised, once for each version, whenever the same stored versions give other answers: tokens of another
 * view expire. `test/mirror/views.test.ts` notices most changes.
 */
export const VIEWS = { events: 2, calendars: 1 } as const;
const DAY_MS = 86_400_000;

/** A revision of a collection in one history. */
export interface SealedRevision {
  readonly revision: number;
  readonly tag: string;
}

/** Content of a sync token: its holder knows the query's answer as of a revision. */
export interface SyncPoint<Query> {
  readonly query: Query;
  /** With its zone, where reads take that from the token. */
  readonly at: SealedRevision & { readonly timeZone?: string };
  /** Digest of what its holder has of the answer; only where the list was asked for it. */
  readonly digest?: string;
}

/** Content of a page token: the start of an answer's next page. */
export interface PagePoint<Query> extends SyncPoint<Query> {
  readonly position: unknown;
  readonly limit: number;
  /** For pages of a sync result: the revision it starts from, and the hash of its sync token. */
  readonly since?: SealedRevision & { readonly timeZone: string; readonly tokenHash: string };
  /** Whether the last page compares its digest with that of a full read. */
  readonly verify?: true;
}

/** Seals and opens the tokens of one kind of list. */
export interface ViewTokens<Query> {
  sealSync(key: CollectionKey, point: SyncPoint<Query>): string;
  sealPage(key: CollectionKey, point: PagePoint<Query>): string;
  /**
   * Returns the weak entity tag of a page. It changes with everything that the page and the validity of its token depend on,
   * and daily, or twice in a shorter lifetime: a client that got "not modified" for longer would hold an expired token.
   */
  etagOf(key: CollectionKey, point: PagePoint<Query>): string;
  /** @throws KalendsError InvalidSyncToken (of another collection too), SyncTokenExpired */
  openSync(key: CollectionKey, token: string): SyncPoint<Query>;
  /** @throws KalendsError InvalidPageToken, SyncTokenExpired */
  openPage(key: CollectionKey, token: string): PagePoint<Query>;
}

export interface ViewTokenDeps {
  readonly sync: TokenSealer;
  readonly page: TokenSealer;
  readonly clock: Clock;
  readonly lifetimeMs: number;
}

interface Sealed<Point> {
  readonly place: readonly [string, string, string | null];
  readonly view: string;
  readonly issuedAt: number;
  readonly point: Point;
}

/** Creates the tokens of one kind of list over its two sealers. */
export function createViewTokens<Query>({ sync, page, clock, lifetimeMs }: ViewTokenDeps): ViewTokens<Query> {
  const seal = <Point>(sealer: TokenSealer, key: CollectionKey, point: Point): string => {
    const sealed: Sealed<Point> = {
      place: placeOf(key),
      view: `${viewOf(key)}.${zoneDataVersion()}`,
      issuedAt: clock.now(),
      point,
    };
    return sealer.seal(sealed);
  };
  const isAlive = (key: CollectionKey, { view, issuedAt }: Sealed<unknown>) =>
    isPresentView(key, view) && clock.now() - issuedAt < lifetimeMs;
  const periodMs = Math.min(DAY_MS, lifetimeMs / 2);
  return {
    sealSync: (key, point) => seal(sync, key, point),
    sealPage: (key, point) => seal(page, key, point),
    etagOf(key, point) {
      const period = Math.floor(clock.now() / periodMs);
      return `W/"${page.fingerprint([placeOf(key), viewOf(key), zoneDataVersion(), period, point])}"`;
    },
    openSync(key, token) {
      // Trusted: only this module seals with this sealer.
      const sealed = sync.open(token) as Sealed<SyncPoint<Query>> | undefined;
      if (sealed === undefined || !isSamePlace(sealed.place, key)) {
        throw foreignToken('InvalidSyncToken', 'syncToken');
      }
      if (!isAlive(key, sealed)) throw expiredToken();
      return sealed.point;
    },
    openPage(key, token) {
      const sealed = page.open(token) as Sealed<PagePoint<Query>> | undefined;
      if (sealed === undefined || !isSamePlace(sealed.place, key)) {
        throw foreignToken('InvalidPageToken', 'pageToken');
      }
      if (!isAlive(key, sealed)) throw expiredToken();
      return sealed.point;
    },
  };
}

/** Returns a short hash of a sync token, to recognise it in page tokens. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 16);
}

/**
 * Returns the zone as of a sealed revision, after checking that the revision belongs to this history and has not been purged.
 * Reads check the purge line again.
 * @param state the collection's recent state
 * @throws KalendsError SyncTokenExpired
 */
export async function requireRevision(
  mirror: MirrorStore,
  key: CollectionKey,
  { revision, tag }: SealedRevision,
  state: CollectionState | undefined,
): Promise<string> {
  if (state === undefined || revision > state.revision || revision < state.purgedBelow) throw expiredToken();
  const logged = revision === state.revision ? state : await mirror.findRevision(key, revision);
  if (logged === undefined || logged.tag !== tag) throw expiredToken();
  return logged.timeZone;
}

/**
 * Returns the zone of a sealed revision if its token says it, and it is still the collection's: then nothing need be read for it.
 * Whether the revision belongs to this history is checked by the read that begins with its tag.
 */
export function zoneOfUnmoved(
  { revision, timeZone }: SyncPoint<unknown>['at'],
  state: CollectionState | undefined,
): string | undefined {
  if (state === undefined || revision >= state.revision || revision < state.purgedBelow) return undefined;
  return timeZone === state.timeZone ? timeZone : undefined;
}

/**
 * Returns the text by which the interface names a revision, or a part of the changes that made it. A history that was
 * restored from a backup, and goes on otherwise, has other texts for the same numbers.
 */
export function revisionText({ revision, tag }: SealedRevision, part?: number): string {
  return `${revision}${part === undefined ? '' : `.${part}`}-${tag.slice(0, 8)}`;
}

/** Returns the present revision of a collection. */
export function revisionOf({ revision, tag }: CollectionState): SealedRevision {
  return { revision, tag };
}

function foreignToken(code: 'InvalidSyncToken' | 'InvalidPageToken', path: string): KalendsError {
  const message = 'is not a token of this list';
  return new KalendsError(code, `${path}: ${message}`, { details: [{ path, message }] });
}

function expiredToken(): KalendsError {
  return new KalendsError('SyncTokenExpired', 'The token has expired. Start again without a token.');
}

/** Tokens sealed before 2026-11-27 have a part more in the middle: the version of the provider's mapping. */
function isPresentView(key: CollectionKey, view: string): boolean {
  const parts = view.split('.');
  return parts[0] === String(viewOf(key)) && parts.at(-1) === zoneDataVersion();
}

function viewOf({ calendarId }: CollectionKey): number {
  return calendarId === null ? VIEWS.calendars : VIEWS.events;
}

function placeOf({ applicationId, accountId, calendarId }: CollectionKey): Sealed<never>['place'] {
  return [applicationId, accountId, calendarId];
}

function isSamePlace(place: Sealed<never>['place'], key: CollectionKey): boolean {
  return placeOf(key).every((part, index) => part === place[index]);
}
