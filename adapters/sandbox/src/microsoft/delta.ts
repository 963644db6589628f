import { type CalendarAccess, viewerOf } from './access.ts';
import { readWindow, type Window } from './calendar-view.ts';
import { type DeltaPosition, type DeltaToken, encodeDeltaToken, readDeltaToken } from './delta-token.ts';
import { eventView, fallsInto, type Item, idOf, occurrenceStub, typeOf } from './event-view.ts';
import { GraphError } from './graph-error.ts';
import { type GraphRequest, jsonAnswer } from './graph-request.ts';
import { findOccurrence, meets, type Occurrence, occurrencesIn, seriesOf, spanOf } from './series.ts';
import type { MicrosoftSettings, StoredEvent } from './state.ts';
import { parseDay } from './times.ts';

/** One line of a round: where it stands in the order of changes, and what it says. */
interface Entry {
  readonly position: DeltaPosition;
  readonly render: () => object;
}

/** What a round is about: everything changed after `since`, and everything gone after `removalsSince`. */
interface Round {
  readonly graph: GraphRequest;
  readonly access: CalendarAccess;
  readonly window: Window;
  readonly since: number;
  readonly removalsSince: number;
  readonly settings: MicrosoftSettings;
}

const REFUSED = ['$select', '$expand', '$filter', '$orderby', '$search'];

function refuseOptions(graph: GraphRequest): void {
  if (!REFUSED.some((name) => graph.query.has(name))) return;
  throw new GraphError(
    400,
    'ErrorInvalidUrlQuery',
    "The following parameters are not supported with change tracking over the 'CalendarView' resource: '$orderby, $filter, $select, $expand, $search'.",
  );
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
    return [entry(event, seq, date, () => removed(round, item, 'deleted'))];
  });
}

function movedOutEntries(round: Round, event: StoredEvent, inside: ReadonlySet<string>): Entry[] {
  return Object.entries(seriesOf(event).exceptions).flatMap(([date, { seq }]) => {
    if (inside.has(date) || seq <= round.removalsSince || !findOccurrence(event, date)) return [];
    return [entry(event, seq, date, () => removed(round, goneSlot(event, date), 'changed'))];
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

function tombstoneEntries(round: Round): Entry[] {
  return round.access.calendar.tombstones.flatMap(({ event, seq }) => {
    if (seq <= round.removalsSince) return [];
    const gone = entry(event, seq, '', () => removed(round, { event, occurrence: null }, 'deleted'));
    if (!event.series) return [gone];
    const slots = occurrencesIn(event, round.window.from, round.window.to).map((occurrence) =>
      entry(event, seq, occurrence.date, () => removed(round, { event, occurrence }, 'deleted')),
    );
    return [gone, ...slots];
  });
}

function viewEntries(round: Round): Entry[] {
  const living = Object.values(round.access.calendar.events)
    .filter((event) => event.touchedSeq > round.since)
    .flatMap((event) => (event.series ? seriesEntries(round, event) : singleEntries(round, event)));
  const { repeatedDeltaEntities } = round.settings;
  return [...living, ...tombstoneEntries(round)].flatMap((each) => {
    const [seq, key, part] = each.position;
    const item = goneOrLiving(round, key, part);
    const isRepeated = item && fallsInto(item, repeatedDeltaEntities, `repeated ${seq}`);
    return isRepeated ? [each, { ...each, position: [seq, key, `${part}~`] as const }] : [each];
  });
}

function goneOrLiving(round: Round, key: string, part: string): Item | null {
  const event = round.access.calendar.events[key];
  if (!event) return null;
  return event.series && parseDay(part) !== undefined ? goneSlot(event, part) : { event, occurrence: null };
}

/** The bare lines of `events/delta`: single events and masters, unexpanded. */
function inventoryEntries(round: Round): Entry[] {
  const line = (item: Item): object => {
    const { id, start, end, '@odata.etag': etag } = eventView(viewerOf(round.graph, round.access), item);
    return { '@odata.type': '#microsoft.graph.event', '@odata.etag': etag, id, type: typeOf(item), start, end };
  };
  const living = Object.values(round.access.calendar.events)
    .filter((event) => event.series !== null || spanOf(event.fields).endAt > round.window.from)
    .map((event) => entry(event, event.touchedSeq, '', () => line({ event, occurrence: null })));
  const gone = round.access.calendar.tombstones
    .filter(({ seq }) => seq > round.removalsSince)
    .map(({ event, seq }) => entry(event, seq, '', () => removed(round, { event, occurrence: null }, 'deleted')));
  return [...living, ...gone];
}

function comparePositions(left: DeltaPosition, right: DeltaPosition): number {
  if (left[0] !== right[0]) return left[0] - right[0];
  if (left[1] !== right[1]) return left[1] < right[1] ? -1 : 1;
  return left[2] === right[2] ? 0 : left[2] < right[2] ? -1 : 1;
}

const DEFAULT_PAGE = 10;
const ALL_TIME: Window = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

function firstToken(graph: GraphRequest, access: CalendarAccess, kind: DeltaToken['kind']): DeltaToken {
  const from = graph.query.get('startDateTime');
  const window =
    kind === 'view'
      ? readWindow(graph.query)
      : from === null
        ? ALL_TIME
        : { ...ALL_TIME, from: readWindow(new URLSearchParams({ startDateTime: from, endDateTime: from })).from };
  return {
    kind,
    calendarKey: access.calendar.key,
    window,
    since: 0,
    removalsSince: access.calendar.seq,
    after: null,
    issuedAt: graph.world.kernel.clock.now(),
  };
}

function linkWith(graph: GraphRequest, name: '$skiptoken' | '$deltatoken', token: DeltaToken): string {
  return `${graph.root}/v1.0/${graph.rawPath}?${name}=${encodeDeltaToken(token)}`;
}

/**
 * A page of calendarView/delta or events/delta. Entries are walked in the order of their changes, so an item that
 * changes during a round comes again at its end and none is lost between two pages.
 * @throws GraphError 410 for a dead token, 400 for query options
 */
export function listDelta(graph: GraphRequest, access: CalendarAccess, kind: DeltaToken['kind']): Response {
  refuseOptions(graph);
  const given = graph.query.get('$skiptoken') ?? graph.query.get('$deltatoken');
  const token = given === null ? firstToken(graph, access, kind) : readDeltaToken(graph.world, given);
  if (token.kind !== kind || token.calendarKey !== access.calendar.key) {
    throw new GraphError(400, 'ErrorInvalidParameter', 'The token belongs to another resource.');
  }
  const { window, since, removalsSince, after } = token;
  const round: Round = { graph, access, window, since, removalsSince, settings: graph.world.state.settings };
  const entries = (kind === 'view' ? viewEntries(round) : inventoryEntries(round))
    .filter(({ position }) => position[0] > since && (after === null || comparePositions(position, after) > 0))
    .sort((left, right) => comparePositions(left.position, right.position));
  const page = entries.slice(0, Math.max(1, graph.prefer.maxPageSize ?? DEFAULT_PAGE));
  const issuedAt = graph.world.kernel.clock.now();
  const { seq } = access.calendar;
  const link =
    page.length < entries.length
      ? { '@odata.nextLink': linkWith(graph, '$skiptoken', { ...token, after: page.at(-1)!.position, issuedAt }) }
      : {
          '@odata.deltaLink': linkWith(graph, '$deltatoken', {
            ...token,
            since: seq,
            removalsSince: seq,
            after: null,
            issuedAt,
          }),
        };
  return jsonAnswer(graph, {
    '@odata.context': `${graph.root}/v1.0/$metadata#Collection(event)`,
    value: page.map(({ render }) => render()),
    ...link,
  });
}
