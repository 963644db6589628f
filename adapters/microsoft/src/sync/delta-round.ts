import { ProviderError, type ProviderSession } from 'kalends/ports';
import { type DeltaItem, deltaPage } from '../events/event-wire.ts';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';

/** An object of a delta round that is not removed. */
export interface TouchedObject {
  readonly id: string;
  /** The master of the object's series, which may be the object itself; a single event's own id. */
  readonly groupId: string;
  /** A slot of a series without an exception. */
  readonly isPlain: boolean;
  readonly tag: string | undefined;
}

/** Objects that a delta round touched. An id may occur in several places, and more than once. */
export interface TouchedObjects {
  /** Ids of series masters. */
  readonly seriesIds: ReadonlySet<string>;
  /** Ids of single events. */
  readonly eventIds: ReadonlySet<string>;
  /** The objects of these series and events. */
  readonly objects: readonly TouchedObject[];
  /** Ids reported as removed: deleted, or merely outside the window now; of events, masters or occurrences alike. */
  readonly removedIds: ReadonlySet<string>;
}

/** A round read to its end. */
interface DeltaRound extends TouchedObjects {
  /** The link of the next round, relative to the root. */
  readonly link: string;
}

/** More pages than any calendar has: an endless feed must not occupy a worker for ever. */
const MAX_PAGES = 100_000;

/**
 * Reads a delta round to its end and collects the objects it touched.
 * @throws ProviderError sync-token-expired
 */
export async function readDeltaRound(
  graph: GraphClient,
  session: ProviderSession,
  start: Pick<GraphRequest, 'path' | 'query'>,
  pageSize: number,
): Promise<DeltaRound> {
  const round = {
    seriesIds: new Set<string>(),
    eventIds: new Set<string>(),
    removedIds: new Set<string>(),
    objects: [],
  };
  const link = await walkDeltaRound(graph, session, start, pageSize, (item) => sort(round, item));
  return { ...round, link };
}

/**
 * Reads a delta round to its end, page by page; resolves with the link of the next round, relative to the root.
 * @throws ProviderError sync-token-expired
 */
export async function walkDeltaRound(
  graph: GraphClient,
  session: ProviderSession,
  start: Pick<GraphRequest, 'path' | 'query'>,
  pageSize: number,
  visit: (item: DeltaItem) => void,
): Promise<string> {
  const prefer = [`odata.maxpagesize=${pageSize}`];
  let request: GraphRequest = { method: 'GET', ...start, prefer };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await graph.call(session, request, deltaPage);
    for (const item of page.value) if (item !== undefined) visit(item);
    const next = page['@odata.nextLink'];
    if (next) {
      request = { method: 'GET', path: graph.pathOfLink(next), prefer };
      continue;
    }
    const deltaLink = page['@odata.deltaLink'];
    if (!deltaLink) throw new ProviderError('malformed', 'a delta round of Graph ended without a link');
    return graph.pathOfLink(deltaLink);
  }
  throw new ProviderError('malformed', 'a delta round of Graph does not end');
}

function sort(
  round: {
    readonly seriesIds: Set<string>;
    readonly eventIds: Set<string>;
    readonly removedIds: Set<string>;
    readonly objects: TouchedObject[];
  },
  item: DeltaItem,
): void {
  if (item['@removed']) {
    round.removedIds.add(item.id);
    return;
  }
  const { id, seriesMasterId, type } = item;
  const tag = item['@odata.etag'] ?? undefined;
  round.objects.push({ id, groupId: seriesMasterId || id, isPlain: type === 'occurrence', tag });
  if (item.seriesMasterId) round.seriesIds.add(item.seriesMasterId);
  else if (item.type === 'seriesMaster') round.seriesIds.add(item.id);
  else round.eventIds.add(item.id);
}
