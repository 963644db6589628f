import { accessDenied, GraphError } from '../api/graph-error.ts';
import { type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import type { CalendarAccess } from '../calendars/access.ts';
import { readWindow } from '../events/calendar-view.ts';
import { type Entry, type Round, type Source, viewSources } from './delta-entries.ts';
import { type DeltaPosition, type DeltaToken, encodeDeltaToken, readDeltaToken } from './delta-token.ts';

const REFUSED = ['$select', '$expand', '$filter', '$orderby', '$search'];

function refuseOptions(graph: GraphRequest): void {
  if (!REFUSED.some((name) => graph.query.has(name))) return;
  throw new GraphError(
    400,
    'ErrorInvalidUrlQuery',
    "The following parameters are not supported with change tracking over the 'CalendarView' resource: '$orderby, $filter, $select, $expand, $search'.",
  );
}

function comparePositions(left: DeltaPosition, right: DeltaPosition): number {
  if (left[0] !== right[0]) return left[0] - right[0];
  if (left[1] !== right[1]) return left[1] < right[1] ? -1 : 1;
  return left[2] === right[2] ? 0 : left[2] < right[2] ? -1 : 1;
}

/** The first entries after a position, in order. Sources are opened only as far as the page needs them. */
function firstPage(
  sources: readonly Source[],
  since: number,
  after: DeltaPosition | null,
  size: number,
): { readonly page: readonly Entry[]; readonly hasMore: boolean } {
  const from = after?.[0] ?? 0;
  const open = sources
    .filter(({ lastSeq }) => lastSeq > since && lastSeq >= from)
    .sort((left, right) => left.firstSeq - right.firstSeq);
  const found: Entry[] = [];
  for (const [at, source] of open.entries()) {
    const entries = source.entries();
    found.push(
      ...entries.filter(
        ({ position }) => position[0] > since && (after === null || comparePositions(position, after) > 0),
      ),
    );
    const nextSeq = open[at + 1]?.firstSeq ?? Number.POSITIVE_INFINITY;
    if (found.length > size && found.filter(({ position }) => position[0] < nextSeq).length > size) break;
  }
  found.sort((left, right) => comparePositions(left.position, right.position));
  return { page: found.slice(0, size), hasMore: found.length > size };
}

const DEFAULT_PAGE = 10;
function firstToken(graph: GraphRequest, access: CalendarAccess): DeltaToken {
  return {
    calendarKey: access.calendar.key,
    window: readWindow(graph.query),
    since: 0,
    removalsSince: access.calendar.seq,
    after: null,
    issuedAt: graph.world.kernel.clock.now(),
  };
}

/** Fails as the service does for good on some calendars, where a control says so. @throws GraphError */
function refuseCalendar({ world, query }: GraphRequest, { calendar }: CalendarAccess): void {
  switch (world.state.settings.deltaRefusal) {
    case 'none':
      return;
    case 'secondPage':
      // Delegated rooms: microsoft-graph-docs#3997.
      if (query.has('$skiptoken')) throw accessDenied();
      return;
    case 'endlessSeries':
      // microsoft-graph-docs#6499, #3657.
      if (Object.values(calendar.events).some(({ series }) => series?.recurrence.range.type === 'noEnd')) {
        throw new GraphError(504, 'UnknownError', 'The operation timed out.');
      }
      return;
    case 'always':
      // microsoft-graph-docs#9912.
      throw new GraphError(503, 'ErrorInternalServerTransientError', 'The service is unavailable.');
  }
}

function linkWith(graph: GraphRequest, name: '$skiptoken' | '$deltatoken', token: DeltaToken): string {
  return `${graph.root}/v1.0/${graph.rawPath}?${name}=${encodeDeltaToken(token)}`;
}

/**
 * A page of calendarView/delta. Entries are walked in the order of their changes, so an item that
 * changes during a round comes again at its end and none is lost between two pages.
 * @throws GraphError 410 for a dead token, 400 for query options
 */
export function listDelta(graph: GraphRequest, access: CalendarAccess): Response {
  refuseOptions(graph);
  refuseCalendar(graph, access);
  const given = graph.query.get('$skiptoken') ?? graph.query.get('$deltatoken');
  const token = given === null ? firstToken(graph, access) : readDeltaToken(graph.world, given);
  if (token.calendarKey !== access.calendar.key) {
    throw new GraphError(400, 'ErrorInvalidParameter', 'The token belongs to another resource.');
  }
  const { window, since, removalsSince, after } = token;
  const round: Round = { graph, access, window, since, removalsSince, settings: graph.world.state.settings };
  const sources = viewSources(round);
  const size = Math.max(1, graph.prefer.maxPageSize ?? DEFAULT_PAGE);
  const { page, hasMore } = firstPage(sources, since, after, size);
  const issuedAt = graph.world.kernel.clock.now();
  const { seq } = access.calendar;
  const link = hasMore
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
