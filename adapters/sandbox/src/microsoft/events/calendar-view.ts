import { GraphError, invalidRequest } from '../api/graph-error.ts';
import { type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { listAnswer, readProjection } from '../api/odata.ts';
import type { CalendarAccess, Located } from '../calendars/access.ts';
import { viewerOf } from '../calendars/access.ts';
import { meets, occurrencesIn, spanOf } from '../series/series.ts';
import type { StoredCalendar } from '../state.ts';
import { DAY_MS, readQueryInstant } from '../times.ts';
import { eventView, fieldsOf, filterable, type Item, idOf } from './event-view.ts';
import { exceptionItems, projectedView } from './projected-view.ts';

/** A half-open range of instants. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const LONGEST_RANGE_DAYS = 1825;

/** @throws GraphError 400 for a missing, reversed or too long range */
export function readWindow(query: URLSearchParams): Window {
  const from = readQueryInstant(query.get('startDateTime'), 'startDateTime');
  const to = readQueryInstant(query.get('endDateTime'), 'endDateTime');
  if (to < from) {
    throw new GraphError(400, 'ErrorInvalidParameter', 'The EndDateTime must be later than the StartDateTime.');
  }
  if (to - from > LONGEST_RANGE_DAYS * DAY_MS) {
    throw new GraphError(
      400,
      'ErrorCalendarViewRangeTooBig',
      `Requested duration between the StartDateTime and EndDateTime exceeds the maximum of ${LONGEST_RANGE_DAYS} days.`,
    );
  }
  return { from, to };
}

/** Lists single events, occurrences and exceptions of a calendar in a window, without masters. */
export function itemsIn(calendar: StoredCalendar, { from, to }: Window): Item[] {
  return Object.values(calendar.events).flatMap((event): Item[] => {
    if (event.series) return occurrencesIn(event, from, to).map((occurrence) => ({ event, occurrence }));
    return meets(spanOf(event.fields), from, to) ? [{ event, occurrence: null }] : [];
  });
}

function byStart(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: spanOf(fieldsOf(item)).startAt, id: idOf(item, false) }))
    .sort((left, right) => left.at - right.at || (left.id < right.id ? -1 : 1))
    .map(({ item }) => item);
}

function expandedAnswer(graph: GraphRequest, access: CalendarAccess, items: readonly Item[]): Response {
  const projection = readProjection(graph.query);
  const viewer = viewerOf(graph, access);
  const { select } = projection;
  // A quirk of expanded lists: the meeting is blank unless isOnlineMeeting was selected as well.
  const isBlank = select?.has('onlineMeeting') && !select.has('isOnlineMeeting');
  const answer = listAnswer(
    graph,
    byStart(items),
    (item) => filterable(item, eventView(viewer, item)),
    (item) => {
      const view = projectedView(viewer, item, projection, false);
      return isBlank ? { ...view, onlineMeeting: null } : view;
    },
  );
  return jsonAnswer(graph, answer);
}

/** GET /calendarView. */
export function listCalendarView(graph: GraphRequest, access: CalendarAccess): Response {
  return expandedAnswer(graph, access, itemsIn(access.calendar, readWindow(graph.query)));
}

/** GET /events/{id}/exceptionOccurrences, where an expanded master continues. */
export function listExceptions(graph: GraphRequest, { access, item }: Located): Response {
  return expandedAnswer(graph, access, item.occurrence ? [] : exceptionItems(item.event));
}

/** GET /events/{id}/instances. */
export function listInstances(graph: GraphRequest, { access, item }: Located): Response {
  const window = readWindow(graph.query);
  const { event, occurrence } = item;
  if (!event.series || occurrence) throw invalidRequest('Instances can only be listed of a series master.');
  const items = occurrencesIn(event, window.from, window.to).map((each) => ({ event, occurrence: each }));
  return expandedAnswer(graph, access, items);
}
