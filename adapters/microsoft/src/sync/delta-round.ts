import { ProviderError, type ProviderSession } from 'kalends/ports';
import { type DeltaItem, deltaPage } from '../events/event-wire.ts';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';

/** An object of a delta round as its last mention shows it. */
export interface TouchedObject {
  readonly id: string;
  /** The master of the object's series, which may be the object itself; a single event's own id. */
  readonly groupId: string;
  /** A slot of a series without an exception. */
  readonly isPlain: boolean;
  /** Undefined for a removed object. */
  readonly tag: string | undefined;
}

/** Objects that a delta round touched. */
export interface TouchedObjects {
  /** Ids of series masters, also of some that are removed. */
  readonly seriesIds: ReadonlySet<string>;
  /** Ids of single events that are not removed. */
  readonly eventIds: ReadonlySet<string>;
  /** The objects of these series and events, each once. */
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
  const items = new Map<string, DeltaItem>();
  const link = await walkDeltaRound(graph, session, start, pageSize, (item) => {
    // The last mention of an object wins; that of a removal does not name the series.
    items.set(item.id, item['@removed'] ? { ...items.get(item.id), ...item } : item);
  });
  return { ...sorted(items.values()), link };
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

function sorted(items: Iterable<DeltaItem>): TouchedObjects {
  const seriesIds = new Set<string>();
  const eventIds = new Set<string>();
  const removedIds = new Set<string>();
  const objects: TouchedObject[] = [];
  for (const item of items) {
    const { id, seriesMasterId, type } = item;
    const isRemoved = Boolean(item['@removed']);
    if (isRemoved) removedIds.add(id);
    if (seriesMasterId) seriesIds.add(seriesMasterId);
    else if (isRemoved) continue;
    else if (type === 'seriesMaster') seriesIds.add(id);
    else eventIds.add(id);
    const tag = isRemoved ? undefined : (item['@odata.etag'] ?? undefined);
    objects.push({ id, groupId: seriesMasterId || id, isPlain: type === 'occurrence' && !isRemoved, tag });
  }
  return { seriesIds, eventIds, objects, removedIds };
}
