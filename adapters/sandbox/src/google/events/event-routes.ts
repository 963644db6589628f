import type { Context, Hono } from 'hono';
import { GoogleError, notFound, required } from '../api/google-error.ts';
import { readBooleanParameter, readIntegerParameter } from '../api/parameters.ts';
import { type ApiEnv, admit, readBody } from '../api/route-env.ts';
import type { Json } from '../api/wire.ts';
import { type AccessedCalendar, accessCalendar, notModified } from '../calendars/calendar-access.ts';
import { etagOf } from '../google-context.ts';
import type { AccessRole } from '../google-state.ts';
import { openChannel } from '../sync/channels.ts';
import { listEvents, listInstances } from '../sync/event-list.ts';
import { readEventQuery } from '../sync/event-query.ts';
import { renderEvent } from './event-render.ts';
import { type FoundEvent, findEvent } from './event-store.ts';
import { changeEvent, deleteEvent, type EventWrite, importEvent, insertEvent, moveEvent } from './event-writes.ts';

type C = Context<ApiEnv>;

const EVENTS = '/calendars/:calendarId/events';
const SEND_UPDATES = ['all', 'externalOnly', 'none'];

export function addEventRoutes(routes: Hono<ApiEnv>): void {
  routes.get(EVENTS, admit('readEvents'), (c) => {
    const access = accessed(c, 'freeBusyReader');
    const query = readEventQuery(c.var.google, parametersOf(c));
    const entry = c.var.caller.mailbox.calendarList[access.calendar.id];
    return c.json(listEvents(c.var.google, access, entry, query));
  });
  routes.post(EVENTS, admit('writeEvents'), async (c) => {
    const access = accessed(c, 'writerWithoutPrivateAccess');
    const body = await readEventBody(c);
    return answer(c, access, { event: insertEvent(c.var.google, writeOf(c, access), body), slot: undefined });
  });
  routes.post(`${EVENTS}/import`, admit('writeEvents'), async (c) => {
    const access = accessed(c, 'writerWithoutPrivateAccess');
    const body = await readEventBody(c);
    return answer(c, access, { event: importEvent(c.var.google, writeOf(c, access), body), slot: undefined });
  });
  routes.post(`${EVENTS}/watch`, admit('readEvents'), watchEvents);
  routes.get(`${EVENTS}/:eventId`, admit('readEvents'), (c) => {
    const access = accessed(c, 'freeBusyReader');
    const found = findEvent(access.calendar, c.req.param('eventId'));
    if (found === undefined) throw notFound();
    return notModified(c.req.raw, found.event.revision) ?? answer(c, access, found);
  });
  for (const method of ['patch', 'put'] as const) {
    routes[method](`${EVENTS}/:eventId`, admit('writeEvents'), async (c) => {
      const access = accessed(c, 'writerWithoutPrivateAccess');
      const body = await readEventBody(c);
      const found = changeEvent(c.var.google, writeOf(c, access), c.req.param('eventId'), body, method);
      return answer(c, access, found);
    });
  }
  routes.delete(`${EVENTS}/:eventId`, admit('writeEvents'), (c) => {
    const access = accessed(c, 'writerWithoutPrivateAccess');
    deleteEvent(c.var.google, writeOf(c, access), c.req.param('eventId'));
    return c.body(null, 204);
  });
  routes.post(`${EVENTS}/:eventId/move`, admit('writeEvents'), (c) => {
    const access = accessed(c, 'writerWithoutPrivateAccess');
    const destinationId = parametersOf(c).get('destination');
    if (destinationId === null) throw required('Required parameter: destination');
    const destination = accessCalendar(c.var.google, c.var.caller, destinationId, 'writerWithoutPrivateAccess');
    const moved = moveEvent(c.var.google, writeOf(c, access), c.req.param('eventId'), destination.calendar);
    return answer(c, destination, { event: moved, slot: undefined });
  });
  routes.get(`${EVENTS}/:eventId/instances`, admit('readEvents'), (c) => {
    const access = accessed(c, 'freeBusyReader');
    const parameters = parametersOf(c);
    const query = readEventQuery(c.var.google, parameters);
    return c.json(listInstances(c.var.google, access, c.req.param('eventId'), query, parameters.get('originalStart')));
  });
}

/** Calendars that Google fills itself have no push. */
async function watchEvents(c: C): Promise<Response> {
  const { calendar } = accessed(c, 'freeBusyReader');
  if (calendar.kind === 'holiday') {
    throw new GoogleError(
      400,
      'pushNotSupportedForRequestedResource',
      'Push notifications are not supported by this resource.',
    );
  }
  const uri = `${c.var.root}/calendar/v3/calendars/${encodeURIComponent(calendar.id)}/events?alt=json`;
  const body = await readBody(c);
  return c.json(await openChannel(c.var.google, c.var.caller, body, { name: `events:${calendar.id}`, uri }));
}

function accessed(c: C, minimum: AccessRole): AccessedCalendar {
  return accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId') ?? '', minimum);
}

/** Reads the body of a write: labels count only under `eventLabelVersion=1`, which ignores colours in turn. */
async function readEventBody(c: C): Promise<Json> {
  const version = readIntegerParameter(parametersOf(c), 'eventLabelVersion', 0) ?? 0;
  const { colorId, eventLabelId, ...others } = await readBody(c);
  if (version === 0) return colorId === undefined ? others : { ...others, colorId };
  return eventLabelId === undefined ? others : { ...others, eventLabelId };
}

function parametersOf(c: C): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

function writeOf(c: C, { calendar }: AccessedCalendar): EventWrite {
  const parameters = parametersOf(c);
  const sendUpdates = parameters.get('sendUpdates');
  if (sendUpdates !== null && !SEND_UPDATES.includes(sendUpdates)) {
    throw new GoogleError(
      400,
      'invalid',
      `Invalid value '${sendUpdates}'. Values must be one of: [all, externalOnly, none]`,
      {
        location: 'sendUpdates',
      },
    );
  }
  readBooleanParameter(parameters, 'supportsAttachments');
  const conferenceVersion = readIntegerParameter(parameters, 'conferenceDataVersion', 0) ?? 0;
  return { calendar, caller: c.var.caller, request: c.req.raw, conferenceVersion, sendUpdates };
}

function answer(c: C, { calendar, role }: AccessedCalendar, found: FoundEvent): Response {
  const parameters = parametersOf(c);
  const view = {
    calendar,
    role,
    timeZone: parameters.get('timeZone') ?? undefined,
    maxAttendees: readIntegerParameter(parameters, 'maxAttendees', 1),
  };
  return c.json(renderEvent(found.event, view, found.slot), 200, { etag: etagOf(found.event.revision) });
}
