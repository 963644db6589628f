import { ProviderError, type ProviderSession, readObjectLater, separateUnreadable } from 'kalends/ports';
import type { GraphClient, GraphRequest } from '../transport/graph-client.ts';
import { checkListedEvent, checkMaster, checkSlot } from './check-event.ts';
import { listPages } from './event-pages.ts';
import {
  type ListedEvent,
  SELECTED_FIELDS,
  uncheckedEvent,
  uncheckedEventPage,
  type WireEvent,
  type WireMaster,
} from './event-wire.ts';
import { EXPAND_KEPT, isCut } from './kept-properties.ts';
import { asMeant } from './suspended-pattern.ts';

/** Servers that were found to refuse options inside an expansion. */
const refusesNestedOptions = new WeakSet<GraphClient>();

/** Deleted slots and exceptions come only when selected, the latter although they are expanded (microsoft-graph-docs#9887). */
const MASTER_FIELDS = [...SELECTED_FIELDS, 'cancelledOccurrences', 'exceptionOccurrences'].join(',');
const WHOLE_EXCEPTIONS = `exceptionOccurrences($select=${SELECTED_FIELDS.join(',')};$expand=${EXPAND_KEPT})`;
const BARE_EXCEPTIONS = 'exceptionOccurrences';

/** Access to one calendar's events, for reading a series. */
interface SeriesAccess {
  readonly graph: GraphClient;
  readonly session: ProviderSession;
  pathOf(id: string): string;
  readonly prefer: readonly string[];
  /** Returns one event with its slot; undefined when Graph has none under the id. */
  find(id: string): Promise<WireEvent | undefined>;
}

/** Returns a master under its true pattern, with all exceptions in their slots; undefined when it is gone. */
export async function findSeriesMaster(access: SeriesAccess, id: string): Promise<WireMaster | undefined> {
  const { graph } = access;
  if (!refusesNestedOptions.has(graph)) {
    try {
      return await readMaster(access, id, WHOLE_EXCEPTIONS);
    } catch (error) {
      if (!(ProviderError.isInstance(error) && error.reason === 'invalid')) throw error;
    }
  }
  const master = await readMaster(access, id, BARE_EXCEPTIONS);
  // This success shows that the options were at fault, not the request.
  refusesNestedOptions.add(graph);
  return master;
}

async function readMaster(access: SeriesAccess, id: string, exceptions: string): Promise<WireMaster | undefined> {
  const { graph, session, prefer } = access;
  const query = { $select: MASTER_FIELDS, $expand: `${EXPAND_KEPT},${exceptions}` };
  const request: GraphRequest = { method: 'GET', path: access.pathOf(id), query, prefer };
  let unchecked: unknown;
  try {
    unchecked = await graph.call(session, request, uncheckedEvent);
  } catch (error) {
    if (ProviderError.isInstance(error) && error.reason === 'not-found') return undefined;
    throw error;
  }
  const master = checkMaster(unchecked);
  const found: ListedEvent[] = [...(master.exceptionOccurrences ?? []), ...(master.unreadableExceptions ?? [])];
  const link = master['exceptionOccurrences@odata.nextLink'];
  if (link) {
    const rest: GraphRequest = { method: 'GET', path: graph.pathOfLink(link), prefer };
    const pages = listPages(graph, session, rest, uncheckedEventPage);
    for await (const page of pages) found.push(...page.map(checkListedEvent));
  }
  const { readable, unreadable } = separateUnreadable(await inTheirSlots(access, master.id, found, exceptions));
  return asMeant({ ...master, exceptionOccurrences: [...readable], unreadableExceptions: unreadable });
}

/** Reads exceptions again that came without their slot or our whole properties; those that are gone meanwhile are dropped. */
async function inTheirSlots(
  { find }: SeriesAccess,
  seriesId: string,
  exceptions: readonly ListedEvent[],
  expansion: string,
): Promise<readonly ListedEvent[]> {
  const found: ListedEvent[] = [];
  for (const exception of exceptions) {
    if ('kind' in exception) {
      found.push({ ...exception, seriesId });
      continue;
    }
    const { id } = exception;
    const isWhole =
      expansion === WHOLE_EXCEPTIONS && exception.originalStart && !isCut(exception.singleValueExtendedProperties);
    const whole = isWhole ? exception : await readObjectLater({ providerEventId: id, seriesId }, () => find(id));
    if (whole !== undefined) found.push(checkSlot(whole, seriesId));
  }
  return found;
}
