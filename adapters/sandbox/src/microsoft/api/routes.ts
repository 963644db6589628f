import {
  type CalendarAccess,
  defaultAccess,
  getAccess,
  getAnswerable,
  getItem,
  listAccess,
} from '../calendars/access.ts';
import {
  deleteCalendar,
  getCalendar,
  listCalendarGroups,
  listCalendars,
  listGroupCalendars,
  patchCalendar,
  postCalendar,
} from '../calendars/calendars.ts';
import { createCategory, getMailboxSettings, getMe, listCategories, translateIds } from '../calendars/mailbox.ts';
import { getSchedule } from '../calendars/schedule.ts';
import { listAttachments } from '../events/attachments.ts';
import { listCalendarView, listExceptions, listInstances } from '../events/calendar-view.ts';
import {
  answerEvent,
  cancelEvent,
  createEvent,
  deleteEvent,
  getEvent,
  listEvents,
  updateEvent,
} from '../events/events.ts';
import { objectIdOf } from '../identity.ts';
import { listDelta } from '../sync/delta.ts';
import {
  createSubscription,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  reauthorizeSubscription,
  renewSubscription,
} from '../sync/subscriptions.ts';
import { accessDenied, GraphError } from './graph-error.ts';
import type { GraphRequest } from './graph-request.ts';

type Answer = Response | Promise<Response>;

const noSuchSegment = (path: string): GraphError =>
  new GraphError(400, 'BadRequest', `Resource not found for the segment '${path}'.`);

const notAllowed = (): GraphError =>
  new GraphError(405, 'Request_BadRequest', 'Specified HTTP method is not allowed for the request target.');

/** `events/delta` is in Graph's beta, and in the metadata of v1.0 (msgraph-metadata#608). */
const noEventsDelta = (): GraphError =>
  new GraphError(400, 'ErrorInvalidRequest', "Change tracking is not supported against 'microsoft.graph.event'.");

/** Picks the handler of a method. @throws GraphError 405 */
function byMethod(graph: GraphRequest, handlers: Readonly<Record<string, () => Answer>>): Answer {
  const handler = handlers[graph.method];
  if (!handler) throw notAllowed();
  return handler();
}

/** Scopes that allow a method on a path, when the caller's grant has one of them. @throws GraphError 403 */
function requireScope(graph: GraphRequest, names: readonly string[]): void {
  const granted = new Set(graph.scopes.map((scope) => scope.toLowerCase()));
  if (!names.some((name) => granted.has(name.toLowerCase()))) throw accessDenied();
}

const READING = ['Calendars.Read', 'Calendars.ReadWrite', 'Calendars.Read.Shared', 'Calendars.ReadWrite.Shared'];
const WRITING = ['Calendars.ReadWrite', 'Calendars.ReadWrite.Shared'];

function requireCalendarScope(graph: GraphRequest): void {
  const isReading = graph.method === 'GET' || graph.rawPath.endsWith('getSchedule');
  requireScope(graph, isReading ? READING : WRITING);
}

const ANSWERS = { accept: 'accepted', tentativelyAccept: 'tentativelyAccepted', decline: 'declined' } as const;

/** The event actions of `…/events/{id}/…`; `access` is null below /me/events. */
function eventRoute(
  graph: GraphRequest,
  access: CalendarAccess | null,
  id: string,
  action: string | undefined,
): Answer {
  if (action === 'accept' || action === 'tentativelyAccept' || action === 'decline') {
    const answerable = getAnswerable(graph, access, id);
    return byMethod(graph, { POST: () => answerEvent(graph, answerable, ANSWERS[action]) });
  }
  const found = getItem(graph, access, id);
  switch (action) {
    case undefined:
      return byMethod(graph, {
        GET: () => getEvent(graph, found),
        PATCH: () => updateEvent(graph, found, id),
        DELETE: () => deleteEvent(graph, found),
      });
    case 'instances':
      return byMethod(graph, { GET: () => listInstances(graph, found) });
    case 'attachments':
      return byMethod(graph, { GET: () => listAttachments(graph, found) });
    case 'exceptionOccurrences':
      return byMethod(graph, { GET: () => listExceptions(graph, found) });
    case 'cancel':
      return byMethod(graph, { POST: () => cancelEvent(graph, found) });
    case 'permanentDelete':
      return byMethod(graph, { POST: () => deleteEvent(graph, found) });
    default:
      throw noSuchSegment(action);
  }
}

/** Routes the paths below a calendar. */
function calendarRoute(graph: GraphRequest, access: CalendarAccess, path: readonly string[]): Answer {
  const [collection, second, action] = path;
  if (collection === undefined) {
    return byMethod(graph, {
      GET: () => getCalendar(graph, access),
      PATCH: () => patchCalendar(graph, access),
      DELETE: () => deleteCalendar(graph, access),
    });
  }
  if (collection === 'events' && second === undefined) {
    return byMethod(graph, {
      GET: () => listEvents(graph, [access]),
      POST: () => createEvent(graph, access),
    });
  }
  if (collection === 'events' && second === 'delta') throw noEventsDelta();
  if (collection === 'events') return eventRoute(graph, access, second!, action);
  if (collection === 'calendarView' && second === undefined) {
    return byMethod(graph, { GET: () => listCalendarView(graph, access) });
  }
  if (collection === 'calendarView' && second === 'delta') {
    return byMethod(graph, { GET: () => listDelta(graph, access) });
  }
  if (collection === 'getSchedule') return byMethod(graph, { POST: () => getSchedule(graph) });
  if (collection === 'permanentDelete') return byMethod(graph, { POST: () => deleteCalendar(graph, access) });
  throw noSuchSegment(collection);
}

function myEventsRoute(graph: GraphRequest, [id, action]: readonly string[]): Answer {
  if (id === 'delta') return calendarRoute(graph, defaultAccess(graph), ['events', 'delta']);
  if (id !== undefined) return eventRoute(graph, null, id, action);
  return byMethod(graph, {
    GET: () =>
      listEvents(
        graph,
        listAccess(graph).filter(({ link }) => link.role === 'owner'),
      ),
    POST: () => createEvent(graph, defaultAccess(graph)),
  });
}

function calendarsRoute(graph: GraphRequest, [id, ...rest]: readonly string[]): Answer {
  if (id !== undefined) return calendarRoute(graph, getAccess(graph, id), rest);
  return byMethod(graph, { GET: () => listCalendars(graph), POST: () => postCalendar(graph) });
}

function outlookRoute(graph: GraphRequest, [name]: readonly string[]): Answer {
  requireScope(graph, ['MailboxSettings.Read', 'MailboxSettings.ReadWrite']);
  if (name !== 'masterCategories') throw noSuchSegment(name ?? 'outlook');
  return byMethod(graph, { GET: () => listCategories(graph), POST: () => createCategory(graph) });
}

function calendarGroupsRoute(graph: GraphRequest, [group, segment = 'calendarGroups']: readonly string[]) {
  if (group === undefined) return byMethod(graph, { GET: () => listCalendarGroups(graph) });
  if (segment === 'calendars') return byMethod(graph, { GET: () => listGroupCalendars(graph, group) });
  throw noSuchSegment(segment);
}

function meRoute(graph: GraphRequest, [name, ...rest]: readonly string[]): Answer {
  switch (name) {
    case undefined:
      requireScope(graph, ['User.Read', 'User.ReadWrite', 'User.ReadBasic.All']);
      return byMethod(graph, { GET: () => getMe(graph) });
    case 'mailboxSettings':
      requireScope(graph, ['MailboxSettings.Read', 'MailboxSettings.ReadWrite']);
      return byMethod(graph, { GET: () => getMailboxSettings(graph) });
    case 'outlook':
      return outlookRoute(graph, rest);
    case 'translateExchangeIds':
      return byMethod(graph, { POST: () => translateIds(graph) });
  }
  requireCalendarScope(graph);
  switch (name) {
    case 'calendars':
      return calendarsRoute(graph, rest);
    case 'calendar':
      return calendarRoute(graph, defaultAccess(graph), rest);
    case 'calendarView':
      return calendarRoute(graph, defaultAccess(graph), ['calendarView', ...rest]);
    case 'events':
      return myEventsRoute(graph, rest);
    case 'calendarGroups':
      return calendarGroupsRoute(graph, rest);
    default:
      throw noSuchSegment(name);
  }
}

function subscriptionsRoute(graph: GraphRequest, [id, action]: readonly string[]): Answer {
  requireScope(graph, READING);
  if (id === undefined) {
    return byMethod(graph, { GET: () => listSubscriptions(graph), POST: () => createSubscription(graph) });
  }
  if (action === 'reauthorize') return byMethod(graph, { POST: () => reauthorizeSubscription(graph, id) });
  return byMethod(graph, {
    GET: () => getSubscription(graph, id),
    PATCH: () => renewSubscription(graph, id),
    DELETE: () => deleteSubscription(graph, id),
  });
}

/**
 * Answers a Graph request by its path below `/v1.0/`, in either spelling of keys and functions:
 * `calendars/{id}` or `calendars('{id}')`, `delta` or `delta()`.
 * @throws GraphError
 */
export function routeGraph(graph: GraphRequest): Answer {
  const plain = graph.rawPath.replace(/\('([^']*)'\)/g, '/$1').replace(/(?:microsoft\.graph\.)?delta(\(\))?$/, 'delta');
  const [first, ...rest] = plain
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  if (first === 'subscriptions') return subscriptionsRoute(graph, rest);
  if (first === 'me') return meRoute(graph, rest);
  if (first === 'users' && rest.length > 0) {
    const [user = '', ...below] = rest;
    const { email } = graph.mailbox;
    if (user.toLowerCase() !== email.toLowerCase() && user !== objectIdOf(email)) throw accessDenied();
    return meRoute(graph, below);
  }
  throw noSuchSegment(first ?? '');
}
