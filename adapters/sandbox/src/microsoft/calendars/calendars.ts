import type { Calendar } from '@microsoft/microsoft-graph-types';
import { z } from 'zod';
import { accessDenied, GraphError, invalidRequest, itemNotFound } from '../api/graph-error.ts';
import { emptyAnswer, type GraphRequest, jsonAnswer } from '../api/graph-request.ts';
import { listAnswer, project, readProjection } from '../api/odata.ts';
import { extendedPropertyList, parseBody } from '../events/event-body.ts';
import { mergeExtendedProperties } from '../events/extended-properties.ts';
import { findMailbox } from '../state.ts';
import { newChangeKey, notifyCalendar } from '../sync/changes.ts';
import { type CalendarAccess, listAccess } from './access.ts';
import { createCalendar } from './create-calendar.ts';

const COLORS = [
  'auto',
  'lightBlue',
  'lightGreen',
  'lightOrange',
  'lightGray',
  'lightYellow',
  'lightTeal',
  'lightPink',
  'lightBrown',
  'lightRed',
  'maxColor',
] as const;

const ignored = z.unknown().optional();

const calendarBody = z.strictObject({
  name: z.string().min(1).optional(),
  color: z.enum(COLORS).optional(),
  singleValueExtendedProperties: extendedPropertyList.nullish(),
  allowedOnlineMeetingProviders: ignored,
  canEdit: ignored,
  canShare: ignored,
  canViewPrivateItems: ignored,
  changeKey: ignored,
  defaultOnlineMeetingProvider: ignored,
  hexColor: ignored,
  id: ignored,
  isDefaultCalendar: ignored,
  isRemovable: ignored,
  isTallyingResponses: ignored,
  owner: ignored,
});

function calendarView(graph: GraphRequest, { calendar, link }: CalendarAccess): Calendar {
  const owner = findMailbox(graph.world.state, calendar.ownerEmail) ?? graph.mailbox;
  const isOwner = link.role === 'owner';
  const providers = isOwner ? calendar.allowedOnlineMeetingProviders : [];
  return {
    id: link.id,
    name: isOwner || !calendar.isDefault ? calendar.name : owner.name,
    color: link.color as Calendar['color'],
    hexColor: '',
    isDefaultCalendar: isOwner && calendar.isDefault,
    changeKey: calendar.changeKey,
    canShare: isOwner,
    canViewPrivateItems: isOwner,
    canEdit: link.role !== 'reader',
    allowedOnlineMeetingProviders: providers as Calendar['allowedOnlineMeetingProviders'],
    defaultOnlineMeetingProvider: (providers[0] ?? 'unknown') as Calendar['defaultOnlineMeetingProvider'],
    isTallyingResponses: isOwner && calendar.isDefault,
    isRemovable: !(isOwner && calendar.isDefault),
    owner: { name: owner.name, address: owner.email },
  };
}

function shown(graph: GraphRequest, access: CalendarAccess): object {
  const { select, expand } = readProjection(graph.query);
  const filter = expand.get('singleValueExtendedProperties')?.filter;
  const found = filter ? Object.values(access.calendar.extendedProperties).filter((property) => filter(property)) : [];
  const view = {
    ...calendarView(graph, access),
    ...(found.length > 0 ? { singleValueExtendedProperties: found } : {}),
  };
  return project(view, select, expand.keys());
}

/** GET /me/calendars, shared ones included. */
export function listCalendars(graph: GraphRequest): Response {
  const answer = listAnswer(
    graph,
    listAccess(graph),
    (access) => calendarView(graph, access),
    (access) => shown(graph, access),
  );
  return jsonAnswer(graph, answer);
}

export const getCalendar = (graph: GraphRequest, access: CalendarAccess): Response =>
  jsonAnswer(graph, shown(graph, access));

function isNameTaken(graph: GraphRequest, name: string, except: string | null): boolean {
  return listAccess(graph).some(
    ({ calendar, link }) => link.role === 'owner' && calendar.key !== except && calendar.name === name,
  );
}

const nameTaken = (): GraphError =>
  new GraphError(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');

/** POST /me/calendars. With the control `setCalendarIdQuirk` the answered id is one that soon finds nothing. */
export function postCalendar(graph: GraphRequest): Response {
  const body = parseBody(calendarBody, graph.body, 'microsoft.graph.calendar');
  const { name } = body;
  if (name === undefined) throw invalidRequest('The name of the calendar is required.');
  if (isNameTaken(graph, name, null)) throw nameTaken();
  const calendar = createCalendar(graph.world, {
    ownerEmail: graph.mailbox.email,
    name,
    isDefault: false,
    color: body.color ?? 'auto',
  });
  calendar.extendedProperties = mergeExtendedProperties({}, body.singleValueExtendedProperties ?? []);
  const link = graph.mailbox.calendarLinks.at(-1)!;
  const view = shown(graph, { calendar, link });
  return jsonAnswer(graph, link.temporaryId === null ? view : { ...view, id: link.temporaryId }, 201);
}

/** PATCH: name and properties belong to the owner, the colour to each mailbox. */
export function patchCalendar(graph: GraphRequest, access: CalendarAccess): Response {
  const body = parseBody(calendarBody, graph.body, 'microsoft.graph.calendar');
  const { calendar, link } = access;
  const changesCalendar = body.name !== undefined || body.singleValueExtendedProperties;
  if (changesCalendar && link.role !== 'owner') throw accessDenied();
  if (body.name !== undefined && body.name !== calendar.name) {
    if (calendar.isDefault) throw invalidRequest('The default calendar cannot be renamed.');
    if (isNameTaken(graph, body.name, calendar.key)) throw nameTaken();
    calendar.name = body.name;
  }
  if (body.singleValueExtendedProperties) {
    calendar.extendedProperties = mergeExtendedProperties(
      calendar.extendedProperties,
      body.singleValueExtendedProperties,
    );
  }
  if (body.color !== undefined) link.color = body.color;
  calendar.changeKey = newChangeKey(graph.world);
  notifyCalendar(graph.world, calendar, 'updated');
  graph.world.kernel.touched();
  return jsonAnswer(graph, shown(graph, access));
}

/** DELETE: by the owner it removes the calendar for all mailboxes, by another mailbox for that one. */
export function deleteCalendar(graph: GraphRequest, { calendar, link }: CalendarAccess): Response {
  const { state, kernel } = graph.world;
  if (link.role === 'owner' && calendar.isDefault) {
    throw new GraphError(403, 'ErrorCannotDeleteObject', 'The default calendar cannot be deleted.');
  }
  const isOwner = link.role === 'owner';
  notifyCalendar(graph.world, calendar, 'deleted');
  for (const mailbox of Object.values(state.mailboxes)) {
    if (!isOwner && mailbox !== graph.mailbox) continue;
    const at = mailbox.calendarLinks.findIndex(({ calendarKey }) => calendarKey === calendar.key);
    if (at >= 0) mailbox.calendarLinks.splice(at, 1);
  }
  if (isOwner) delete state.calendars[calendar.key];
  for (const subscription of Object.values(state.subscriptions)) {
    const isGone = isOwner || subscription.email === graph.mailbox.email.toLowerCase();
    if (isGone && subscription.calendarKey === calendar.key) delete state.subscriptions[subscription.id];
  }
  kernel.touched();
  return emptyAnswer(204);
}

const MY_CALENDARS = 'my-calendars';
const OTHER_CALENDARS = 'other-calendars';

/** GET /me/calendarGroups: one group for the mailbox's own calendars, one for those of others. */
export function listCalendarGroups(graph: GraphRequest): Response {
  const groups = [
    { id: MY_CALENDARS, name: 'My Calendars', classId: '0006f0b7-0000-0000-c000-000000000046', changeKey: 'AAA=' },
    {
      id: OTHER_CALENDARS,
      name: 'Other Calendars',
      classId: '0006f0b8-0000-0000-c000-000000000046',
      changeKey: 'AAA=',
    },
  ];
  return jsonAnswer(
    graph,
    listAnswer(
      graph,
      groups,
      (group) => group,
      (group) => group,
    ),
  );
}

/** GET /me/calendarGroups/{id}/calendars. @throws GraphError 404 */
export function listGroupCalendars(graph: GraphRequest, groupId: string): Response {
  if (groupId !== MY_CALENDARS && groupId !== OTHER_CALENDARS) throw itemNotFound();
  const members = listAccess(graph).filter(({ link }) => (link.role === 'owner') === (groupId === MY_CALENDARS));
  const answer = listAnswer(
    graph,
    members,
    (access) => calendarView(graph, access),
    (access) => shown(graph, access),
  );
  return jsonAnswer(graph, answer);
}
