import type { GraphRequest } from '../api/graph-request.ts';
import { type CalendarAccess, viewerOf } from '../calendars/access.ts';
import type { Window } from '../events/calendar-view.ts';
import { eventView, fallsInto, type Item, idOf, occurrenceStub } from '../events/event-view.ts';
import { shareOf } from '../identity.ts';
import { findOccurrence, meets, type Occurrence, occurrencesIn, seriesOf, spanOf } from '../series/series.ts';
import type { MicrosoftSettings, StoredEvent } from '../state.ts';
import type { DeltaPosition } from './delta-token.ts';

/** One line of a round: where it stands in the order of changes, and what it says. */
export interface Entry {
  readonly position: DeltaPosition;
  readonly render: () => object;
}

/** The changes of a round: items changed after `since`, and removed after `removalsSince`. */
export interface Round {
  readonly graph: GraphRequest;
  readonly access: CalendarAccess;
  readonly window: Window;
  readonly since: number;
  readonly removalsSince: number;
  readonly settings: MicrosoftSettings;
}

const removed = (round: Round, item: Item, reason: 'deleted' | 'changed'): object => ({
  '@odata.type': '#microsoft.graph.event',
  id: idOf(item, round.graph.prefer.immutableIds),
  '@removed': { reason },
});

function entry(event: StoredEvent, seq: number, part: string, render: () => object): Entry {
  return { position: [seq, event.key, part], render };
}

const whole = (round: Round, item: Item): object => ({
  '@odata.type': '#microsoft.graph.event',
  ...eventView(viewerOf(round.graph, round.access), item),
});

function singleEntries(round: Round, event: StoredEvent): Entry[] {
  const item: Item = { event, occurrence: null };
  if (meets(spanOf(event.fields), round.window.from, round.window.to)) {
    return [entry(event, event.seq, '', () => whole(round, item))];
  }
  // Items merely outside the window are reported as removed, whether or not they ever were inside.
  if (event.seq <= round.removalsSince) return [];
  return [entry(event, event.seq, '', () => removed(round, item, 'changed'))];
}

function slotEntry(round: Round, occurrence: Occurrence): Entry {
  const event = occurrence.master;
  const item: Item = { event, occurrence };
  if (!occurrence.exception) {
    return entry(event, event.seq, occurrence.date, () => occurrenceStub(item, round.graph.prefer));
  }
  const seq = Math.max(event.seq, occurrence.exception.seq);
  return entry(event, seq, occurrence.date, () => whole(round, item));
}

/** The id of a slot that is no longer there. */
function goneSlot(event: StoredEvent, date: string): Item {
  const { fields } = event;
  return { event, occurrence: { master: event, date, fields, exception: null, originalStartAt: 0 } };
}

/** Deleted slots. Some of these deletions are never reported, as users of the real service found. */
function cancelledEntries(round: Round, event: StoredEvent): Entry[] {
  return Object.entries(seriesOf(event).cancelled).flatMap(([date, { seq }]) => {
    const item = goneSlot(event, date);
    if (seq <= round.removalsSince || fallsInto(item, round.settings.missedOccurrenceDeletions, 'missed')) return [];
    return [entry(event, Math.max(event.seq, seq), date, () => removed(round, item, 'deleted'))];
  });
}

function movedOutEntries(round: Round, event: StoredEvent, inside: ReadonlySet<string>): Entry[] {
  return Object.entries(seriesOf(event).exceptions).flatMap(([date, { seq }]) => {
    if (inside.has(date) || seq <= round.removalsSince || !findOccurrence(event, date)) return [];
    return [entry(event, Math.max(event.seq, seq), date, () => removed(round, goneSlot(event, date), 'changed'))];
  });
}

/** The master comes when it changed itself; otherwise it may come or not. */
function masterEntries(round: Round, event: StoredEvent, isInside: boolean): Entry[] {
  const item: Item = { event, occurrence: null };
  const isOwnChange = round.since > 0 && event.seq > round.since;
  if (!isOwnChange && fallsInto(item, round.settings.omittedDeltaMasters, `master ${event.touchedSeq}`)) return [];
  if (isInside) return [entry(event, event.touchedSeq, 'master', () => whole(round, item))];
  if (event.touchedSeq <= round.removalsSince) return [];
  return [entry(event, event.touchedSeq, 'master', () => removed(round, item, 'changed'))];
}

function seriesEntries(round: Round, event: StoredEvent): Entry[] {
  const occurrences = occurrencesIn(event, round.window.from, round.window.to);
  const inside = new Set(occurrences.map(({ date }) => date));
  return [
    ...masterEntries(round, event, inside.size > 0),
    ...occurrences.map((occurrence) => slotEntry(round, occurrence)),
    ...movedOutEntries(round, event, inside),
    ...cancelledEntries(round, event),
  ];
}

/** A deleted event with its slots in the window, and those that had gone or moved away since the client last looked. */
function tombstoneEntries(round: Round, event: StoredEvent, seq: number): Entry[] {
  const gone = entry(event, seq, '', () => removed(round, { event, occurrence: null }, 'deleted'));
  if (!event.series) return [gone];
  const dates = new Set(occurrencesIn(event, round.window.from, round.window.to).map(({ date }) => date));
  for (const [date, change] of Object.entries({ ...event.series.exceptions, ...event.series.cancelled })) {
    if (change.seq > round.removalsSince) dates.add(date);
  }
  const slots = [...dates].map((date) =>
    entry(event, seq, date, () => removed(round, goneSlot(event, date), 'deleted')),
  );
  return [gone, ...slots];
}

/** An event with what it adds to a round; every entry stands between its two change numbers, both included. */
export interface Source {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly entries: () => Entry[];
}

function twiceByChance(round: Round, entries: readonly Entry[]): Entry[] {
  const share = round.settings.repeatedDeltaEntities;
  return entries.flatMap((each) => {
    const [seq, key, part] = each.position;
    if (share === 0 || shareOf(`repeated ${seq} ${key} ${part}`) >= share) return [each];
    return [each, { ...each, position: [seq, key, `${part}~`] as const }];
  });
}

/** Returns the entries of calendarView/delta. */
export function viewSources(round: Round): Source[] {
  const { events, tombstones } = round.access.calendar;
  const living = Object.values(events).map((event) => ({
    firstSeq: event.seq,
    lastSeq: event.touchedSeq,
    entries: () => twiceByChance(round, event.series ? seriesEntries(round, event) : singleEntries(round, event)),
  }));
  const gone = tombstones
    .filter(({ seq }) => seq > round.removalsSince)
    .map(({ event, seq }) => ({
      firstSeq: seq,
      lastSeq: seq,
      entries: () => twiceByChance(round, tombstoneEntries(round, event, seq)),
    }));
  return [...living, ...gone];
}
