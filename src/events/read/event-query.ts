import { z } from 'zod';
import { invalid } from '../../errors.ts';
import {
  type EventListQuery,
  eventListQuery,
  FORBIDDEN_KEY_MESSAGE,
  findForbiddenKey,
  type OccurrenceListQuery,
  occurrenceListQuery,
  PAGE_SIZE,
  parseInput,
} from '../../model/index.ts';
import { DAY_MS } from '../../zones/index.ts';
import { queryInstant, requireZone } from '../times/input-time.ts';
import type { EventFilters, ExpandedFilters } from './event-filters.ts';

/** The widest window that is expanded. */
const MAX_WINDOW_MS = 1830 * DAY_MS;

export type EventOrder = 'startDateTime' | 'updatedDateTime';

/** A list query, validated but not yet resolved against a calendar or a token. */
export interface ListRequest {
  readonly query: z.output<typeof eventListQuery>;
  readonly limit: number | undefined;
  readonly displayZone: string | undefined;
}

/** Validates the query of an event list. @throws KalendsError InvalidRequest */
export function parseListQuery(query: EventListQuery): ListRequest {
  return listRequest(parseInput(eventListQuery, query));
}

/** Validates the query of the occurrences of one event: a list that is expanded. @throws KalendsError InvalidRequest */
export function parseOccurrenceQuery(query: OccurrenceListQuery): ListRequest {
  return listRequest({ ...parseInput(occurrenceListQuery, query), expandRecurrences: true });
}

function listRequest(query: z.output<typeof eventListQuery>): ListRequest {
  const { limit, pageSize, timeZone } = query;
  if (limit !== undefined && pageSize !== undefined && limit !== pageSize) {
    throw invalid('pageSize', 'must equal limit, which is the same parameter');
  }
  const displayZone = timeZone === undefined ? undefined : requireZone('timeZone', timeZone);
  return { query, limit: limit ?? pageSize, displayZone };
}

/** Page size of a request, with the default of event lists. */
export const DEFAULT_LIMIT = PAGE_SIZE.events.default;

/**
 * The filters of a query that carries no token. Times without an offset are in the display zone, else in the calendar's.
 * @throws KalendsError InvalidRequest
 */
export function compileFilters(
  { query, displayZone }: ListRequest,
  calendarZone: string,
  groupId?: string,
): EventFilters {
  const zone = displayZone ?? calendarZone;
  const window = query.expandRecurrences === true ? requiredWindow(query, zone) : undefined;
  if (query.orderBy !== undefined && window === undefined) {
    throw invalid('orderBy', 'is only available with expandRecurrences=true');
  }
  const given = { ...givenFilters(query, zone), ...(groupId === undefined ? {} : { groupId }) };
  const filters: EventFilters =
    window === undefined ? { from: null, to: null, ...given, expand: false } : { ...given, ...window, expand: true };
  checkWindow(filters);
  return filters;
}

const expandedWindow = z.object({ startDateTime: z.string(), endDateTime: z.string() });

/** The window of an expanded list, which must be given. */
function requiredWindow(query: ListRequest['query'], zone: string): Pick<ExpandedFilters, 'from' | 'to'> {
  const { startDateTime, endDateTime } = parseInput(expandedWindow, query);
  return { from: windowStart(startDateTime, zone), to: windowEnd(endDateTime, zone) };
}

function windowStart(text: string, zone: string): number {
  return queryInstant('startDateTime', text, zone, 'up');
}

function windowEnd(text: string, zone: string): number {
  return queryInstant('endDateTime', text, zone, 'down');
}

function checkWindow({ from, to, expand }: EventFilters): void {
  if (from === null || to === null) return;
  if (to < from) throw invalid('endDateTime', 'must not be before startDateTime');
  if (expand && to - from > MAX_WINDOW_MS)
    throw invalid('endDateTime', 'must be at most 1830 days after startDateTime');
}

/** Filters of those parameters that a query has; times resolved in `zone`. */
export function givenFilters(query: ListRequest['query'], zone: string): Partial<Omit<ExpandedFilters, 'expand'>> {
  const { startDateTime, endDateTime, updatedAfter, search, isCancelled, isAllDay, eventTypes } = query;
  const times = { startDateTime, endDateTime, updatedAfter };
  const written = Object.fromEntries(Object.entries(times).filter(([, text]) => text !== undefined));
  return {
    ...(startDateTime === undefined ? {} : { from: windowStart(startDateTime, zone) }),
    ...(endDateTime === undefined ? {} : { to: windowEnd(endDateTime, zone) }),
    ...(updatedAfter === undefined ? {} : { updatedAfter: queryInstant('updatedAfter', updatedAfter, zone, 'down') }),
    ...(search === undefined || search === '' ? {} : { search }),
    ...(isCancelled === undefined ? {} : { isCancelled }),
    ...(isAllDay === undefined ? {} : { isAllDay }),
    ...(eventTypes === undefined ? {} : { eventTypes: [...new Set(eventTypes.split(','))].sort() }),
    ...metadataOf(query.metadataFilters),
    ...(Object.keys(written).length === 0 ? {} : { written }),
  };
}

const metadataSchema = z.record(z.string(), z.string());

function metadataOf(text: string | undefined): Pick<EventFilters, 'metadata'> {
  if (text === undefined) return {};
  const json = parseJson(text);
  if (findForbiddenKey(json) !== undefined) throw invalid('metadataFilters', FORBIDDEN_KEY_MESSAGE);
  const parsed = metadataSchema.safeParse(json);
  if (!parsed.success) throw invalid('metadataFilters', 'must be a JSON object whose values are strings');
  return Object.keys(parsed.data).length === 0 ? {} : { metadata: parsed.data };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
