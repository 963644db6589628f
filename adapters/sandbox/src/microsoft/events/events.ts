import { z } from 'zod';
import { GraphError, invalidRequest } from '../api/graph-error.ts';
import { emptyAnswer, type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { listAnswer, readProjection } from '../api/odata.ts';
import {
  type CalendarAccess,
  getItem,
  type Located,
  requireEdit,
  requireMatch,
  viewerOf,
} from '../calendars/access.ts';
import { checkBoundary, planSeries } from '../series/series-write.ts';
import { findMailbox, type StoredCalendar, type StoredEvent } from '../state.ts';
import { maybeTouchAgain, newChangeKey, recordCreated, recordUpdated } from '../sync/changes.ts';
import { windowsNameOf, zoneOf } from '../times.ts';
import { type EventBody, parseBody, parseEventBody, timeSlot } from './event-body.ts';
import { changedFields, EMPTY_FIELDS, readTimeSlot, requireTimes } from './event-fields.ts';
import { eventView, filterable, type Item } from './event-view.ts';
import { mailAttendees } from './mail.ts';
import { type Answer, deleteItem, distributeMeeting, respond, writeFields } from './meetings.ts';
import { withOnlineMeeting } from './online-meeting.ts';
import { projectedView } from './projected-view.ts';

/** Lists single events and masters of a calendar, unexpanded, in the order of their creation. */
export function listEvents(graph: GraphRequest, places: readonly CalendarAccess[]): Response {
  const projection = readProjection(graph.query);
  const items = places.flatMap((access) =>
    Object.values(access.calendar.events).map((event) => ({ access, item: { event, occurrence: null } as Item })),
  );
  items.sort((left, right) => left.item.event.createdAt - right.item.event.createdAt);
  const answer = listAnswer(
    graph,
    items,
    ({ access, item }) => filterable(item, eventView(viewerOf(graph, access), item)),
    ({ access, item }) => projectedView(viewerOf(graph, access), item, projection, false),
  );
  return jsonAnswer(graph, answer);
}

export function getEvent(graph: GraphRequest, { access, item }: Located): Response {
  return jsonAnswer(graph, projectedView(viewerOf(graph, access), item, readProjection(graph.query), true));
}

const zoneLabel = (graph: GraphRequest, name: string): string =>
  graph.world.state.settings.zoneNaming === 'windows' ? windowsNameOf(zoneOf(name)) : name;

function organizerOf(graph: GraphRequest, calendar: StoredCalendar): { name: string; address: string } {
  const owner = findMailbox(graph.world.state, calendar.ownerEmail) ?? graph.mailbox;
  return { name: owner.name, address: owner.email };
}

function newEvent(graph: GraphRequest, calendar: StoredCalendar, body: EventBody): StoredEvent {
  const { world } = graph;
  const written = { ...EMPTY_FIELDS, ...changedFields(body, EMPTY_FIELDS) };
  const online = withOnlineMeeting(world, calendar, written, {
    isOnlineMeeting: body.isOnlineMeeting,
    provider: body.onlineMeetingProvider,
  });
  const { fields, series } = planSeries(world.state.settings, null, online, body.recurrence);
  return {
    key: world.kernel.randomText(24),
    uid: world.kernel.randomText(40, '0123456789abcdef'),
    fields,
    organizer: organizerOf(graph, calendar),
    isOrganizer: true,
    originalStartTimeZone: zoneLabel(graph, fields.start.timeZone),
    originalEndTimeZone: zoneLabel(graph, fields.end.timeZone),
    transactionId: body.transactionId ?? null,
    createdAt: world.kernel.clock.now(),
    modifiedAt: world.kernel.clock.now(),
    changeKey: newChangeKey(world),
    seq: 0,
    touchedSeq: 0,
    series,
  };
}

/** POST: for a recent transaction id, answers with the event created under it. */
export function createEvent(graph: GraphRequest, access: CalendarAccess): Response {
  requireEdit(access);
  const { world } = graph;
  const { calendar } = access;
  const body = parseEventBody(graph.body);
  requireTimes(body);
  const rememberedFrom = world.kernel.clock.now() - world.state.settings.transactionLifeMs;
  const known = body.transactionId
    ? Object.values(calendar.events).find(
        (event) => event.transactionId === body.transactionId && event.createdAt > rememberedFrom,
      )
    : undefined;
  const event = known ?? newEvent(graph, calendar, body);
  if (!known) {
    recordCreated(world, calendar, event);
    distributeMeeting(world, event, []);
    mailAttendees(world, event, null, event.fields);
  }
  const view = eventView(viewerOf(graph, access), { event, occurrence: null });
  if (!known) maybeTouchAgain(world, calendar, event);
  return jsonAnswer(graph, view, 201);
}

function patchWhole(graph: GraphRequest, calendar: StoredCalendar, event: StoredEvent, body: EventBody): void {
  const { world } = graph;
  const before = event.fields;
  const ruleBefore = event.series?.recurrence;
  const changed = { ...before, ...changedFields(body, before) };
  const online = withOnlineMeeting(world, calendar, changed, {
    isOnlineMeeting: body.isOnlineMeeting,
    provider: body.onlineMeetingProvider,
  });
  const { fields, series } = planSeries(world.state.settings, event, online, body.recurrence);
  event.fields = fields;
  event.series = series;
  if (body.start) event.originalStartTimeZone = zoneLabel(graph, fields.start.timeZone);
  if (body.end) event.originalEndTimeZone = zoneLabel(graph, fields.end.timeZone);
  recordUpdated(world, calendar, event);
  distributeMeeting(world, event, before.attendees);
  const isReshaped = JSON.stringify(series?.recurrence) !== JSON.stringify(ruleBefore);
  mailAttendees(world, event, before, fields, isReshaped);
}

function patchSlot(graph: GraphRequest, calendar: StoredCalendar, item: Item, body: EventBody): void {
  const { world } = graph;
  const { event, occurrence } = item;
  if (!occurrence) throw new TypeError('the item is not a slot of a series');
  if (body.recurrence) throw invalidRequest('Recurrence can only be set on a single event or a series master.');
  const changed = changedFields(body, occurrence.fields);
  if (changed.start || changed.end) checkBoundary(occurrence, { ...occurrence.fields, ...changed });
  const fields = withOnlineMeeting(
    world,
    calendar,
    { ...occurrence.fields, ...changed },
    { isOnlineMeeting: body.isOnlineMeeting, provider: body.onlineMeetingProvider },
  );
  const { isOnlineMeeting, onlineMeetingProvider, joinUrl, meetingDueAt } = fields;
  const online =
    isOnlineMeeting === occurrence.fields.isOnlineMeeting
      ? {}
      : { isOnlineMeeting, onlineMeetingProvider, joinUrl, meetingDueAt, body: fields.body };
  writeFields(world, calendar, item, { ...changed, ...online });
  distributeMeeting(world, event, event.fields.attendees);
  mailAttendees(world, event, occurrence.fields, { ...occurrence.fields, ...changed, ...online });
}

/** @throws GraphError 409 while Exchange is busy with a new item, where a control says so (mguessan/davmail#491) */
function requireSettled({ world }: GraphRequest, { event }: Item): void {
  const { conflictsAfterCreationMs } = world.state.settings;
  if (world.kernel.clock.now() >= event.createdAt + conflictsAfterCreationMs) return;
  throw new GraphError(409, 'ErrorIrresolvableConflict', 'The send or update operation could not be performed.');
}

/** PATCH of an event, a master or one occurrence, which becomes an exception. */
export function updateEvent(graph: GraphRequest, { access, item }: Located, id: string): Response {
  requireEdit(access);
  requireSettled(graph, item);
  requireMatch(graph, item);
  const body = parseEventBody(graph.body);
  if (body.transactionId !== undefined && body.transactionId !== item.event.transactionId) {
    throw invalidRequest('The transactionId of an event cannot be changed.');
  }
  if (item.occurrence) patchSlot(graph, access.calendar, item, body);
  else patchWhole(graph, access.calendar, item.event, body);
  const written = getItem(graph, access, id).item;
  const view = eventView(viewerOf(graph, access), written);
  if (!written.occurrence) maybeTouchAgain(graph.world, access.calendar, item.event);
  return jsonAnswer(graph, view);
}

export function deleteEvent(graph: GraphRequest, { access, item }: Located): Response {
  requireEdit(access);
  requireSettled(graph, item);
  requireMatch(graph, item);
  deleteItem(graph.world, access.calendar, item);
  return emptyAnswer(204);
}

const cancelBody = z.object({ comment: z.string().nullish(), Comment: z.string().nullish() });

/** POST /cancel: deletes the event, for the organizer only. */
export function cancelEvent(graph: GraphRequest, { access, item }: Located): Response {
  requireEdit(access);
  parseBody(cancelBody, graph.body, 'microsoft.graph.cancel');
  if (!item.event.isOrganizer) {
    throw invalidRequest("Your request can't be completed. You need to be an organizer to cancel a meeting.");
  }
  deleteItem(graph.world, access.calendar, item);
  return emptyAnswer(202);
}

const answerBody = z.object({
  comment: z.string().nullish(),
  sendResponse: z.boolean().nullish(),
  proposedNewTime: timeSlot.nullish(),
});

/** Lower-cases the first letter of action parameters: the service reads either. */
function lowerCamel(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [`${name[0]?.toLowerCase()}${name.slice(1)}`, value]),
  );
}

/** POST /accept, /tentativelyAccept, /decline. */
export function answerEvent(graph: GraphRequest, { access, item }: Located, answer: Answer): Response {
  requireEdit(access);
  const options = parseBody(answerBody, lowerCamel(graph.body), 'microsoft.graph.accept');
  if (answer === 'accepted' && options.proposedNewTime) {
    throw invalidRequest('A new time cannot be proposed while accepting.');
  }
  const { proposedNewTime, ...rest } = options;
  respond(graph.world, access.calendar, item, answer, {
    ...rest,
    ...(proposedNewTime ? { proposedNewTime: readTimeSlot(proposedNewTime) } : {}),
  });
  return emptyAnswer(202);
}
