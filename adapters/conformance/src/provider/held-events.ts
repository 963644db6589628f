import assert from 'node:assert/strict';
import type {
  CalendarRef,
  EventChange,
  EventContent,
  EventPage,
  Provider,
  ProviderEvent,
  ProviderSession,
} from 'kalends/ports';

/** Source of pulled events. */
export interface FeedPlace {
  readonly provider: Provider;
  readonly session: ProviderSession;
  readonly calendar: CalendarRef;
}

/** Records of a client that has applied every change of a feed, by key. */
export type HeldEvents = Map<string, ProviderEvent>;

/** Returns the part in which two reads of one event must agree: all but its tags and the time of its last change. */
export interface ShownEvent {
  readonly isCancelled: boolean;
  readonly isOrganizer: boolean;
  readonly content: Omit<EventContent, 'updatedAt'> | null;
}

/** Returns the key of a record: its id, or the slot of an exception, whose id is up to the provider. */
export function keyOf({ providerEventId, seriesId, recurrenceId }: ProviderEvent): string {
  if (seriesId === null || recurrenceId === null) return providerEventId;
  return `${seriesId} ${recurrenceId.kind === 'date' ? recurrenceId.date : recurrenceId.startMs}`;
}

/**
 * Pulls from `token` (null: everything), applies the pages to the held records and checks the rules of every pull. Records that a full
 * pull leaves out are dropped.
 */
export async function holdEvents(
  place: FeedPlace,
  token: string | null,
  held: HeldEvents = new Map(),
): Promise<{ readonly held: HeldEvents; readonly token: string; readonly changes: readonly EventChange[] }> {
  const { provider, session, calendar } = place;
  const pages: EventPage[] = [];
  const listed: HeldEvents = new Map();
  for await (const page of provider.events.pull(session, calendar, token)) {
    pages.push(page);
    const { calendarTimeZone = calendar.timeZone } = page;
    assert.equal(calendarTimeZone, calendar.timeZone, 'the zone that a page names is the calendar’s');
    await applyChanges(place, held, page.changes);
    await applyChanges(place, listed, page.changes);
  }
  const last = pages.at(-1);
  assert.ok(last !== undefined, 'a pull has at least one page');
  assert.equal(typeof last.nextToken, 'string', 'the last page has the resume point');
  for (const page of pages.slice(0, -1))
    assert.equal(page.nextToken, undefined, 'only the last page has a resume point');
  if (token === null) for (const page of pages) assert.equal(page.full, true, 'a pull of everything is full');
  if (last.full) for (const key of held.keys()) if (!listed.has(key)) held.delete(key);
  return { held, token: last.nextToken as string, changes: pages.flatMap((page) => page.changes) };
}

/** Applies changes as the port defines them: an object that cannot be read stays as it is. */
export async function applyChanges(place: FeedPlace, held: HeldEvents, changes: readonly EventChange[]): Promise<void> {
  for (const change of changes) {
    if (change.kind === 'event') held.set(keyOf(change.event), change.event);
    else if (change.kind === 'deleted') drop(held, change.providerEventId);
    else if (change.kind === 'series') {
      drop(held, change.master.providerEventId);
      for (const event of [change.master, ...change.exceptions]) held.set(keyOf(event), event);
    } else if (change.kind === 'reread') {
      const found = await place.provider.events.get(place.session, place.calendar, change.providerEventId);
      assert.ok(!found.some(({ kind }) => kind === 'reread'), 'get says what became of an event');
      await applyChanges(place, held, found);
    }
  }
}

/** Removes an event and the exceptions of its series. */
function drop(held: HeldEvents, providerEventId: string): void {
  for (const [key, { seriesId }] of held) if (key === providerEventId || seriesId === providerEventId) held.delete(key);
}

/** Returns the held records in comparable form. Cancelled occurrences compare equal with or without content. */
export function shownEvents(held: HeldEvents): Readonly<Record<string, ShownEvent>> {
  return Object.fromEntries(
    [...held].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, event]) => [key, shownEvent(event)]),
  );
}

export function shownEvent({ isCancelled, isOrganizer, content, seriesId }: ProviderEvent): ShownEvent {
  if (isCancelled && seriesId !== null) return { isCancelled, isOrganizer: false, content: null };
  return { isCancelled, isOrganizer, content: content === null ? null : contentShown(content) };
}

export function contentShown(content: EventContent): Omit<EventContent, 'updatedAt'> {
  const { updatedAt: _updatedAt, ...rest } = content;
  return rest;
}
