import { type Context, Hono } from 'hono';
import { addAclRoutes } from '../calendars/acl.ts';
import { accessCalendar, checkIfMatch, notModified } from '../calendars/calendar-access.ts';
import {
  changeEntry,
  getEntry,
  insertEntry,
  listCalendarList,
  removeEntry,
  renderEntry,
} from '../calendars/calendar-list.ts';
import {
  changeCalendar,
  clearCalendar,
  deleteCalendar,
  insertCalendar,
  renderCalendar,
} from '../calendars/calendars.ts';
import { colorsAnswer } from '../calendars/colors.ts';
import { answerFreeBusy } from '../calendars/free-busy.ts';
import { getSetting, listSettings } from '../calendars/settings.ts';
import { addEventRoutes } from '../events/event-routes.ts';
import { etagOf } from '../google-context.ts';
import { openChannel, stopChannel } from '../sync/channels.ts';
import { readBooleanParameter } from './parameters.ts';
import { type ApiEnv, admit, readBody } from './route-env.ts';

/** Creates the routes of Calendar API v3 below `/calendar/v3`. */
export function createApiRoutes(): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  addCalendarListRoutes(routes);
  addCalendarRoutes(routes);
  addAclRoutes(routes);
  addEventRoutes(routes);
  routes.post('/channels/stop', admit('anyCalendar'), async (c) => {
    stopChannel(c.var.google, c.var.caller, await readBody(c));
    return c.body(null, 204);
  });
  routes.post('/freeBusy', admit('readFreeBusy'), async (c) =>
    c.json(answerFreeBusy(c.var.google, c.var.caller, await readBody(c)) as object),
  );
  routes.get('/colors', admit('anyCalendar'), (c) => c.json(colorsAnswer() as object));
  routes.get('/users/me/settings', admit('readSettings'), (c) => c.json(listSettings(c.var.caller.mailbox)));
  routes.get('/users/me/settings/:id', admit('readSettings'), (c) =>
    c.json(getSetting(c.var.caller.mailbox, c.req.param('id'))),
  );
  return routes;
}

function addCalendarListRoutes(routes: Hono<ApiEnv>): void {
  const path = '/users/me/calendarList';
  const rgb = (c: Context<ApiEnv>): boolean =>
    readBooleanParameter(new URL(c.req.url).searchParams, 'colorRgbFormat') ?? false;
  routes.get(path, admit('readCalendarList'), (c) =>
    c.json(listCalendarList(c.var.google, c.var.caller, new URL(c.req.url).searchParams)),
  );
  routes.post(path, admit('writeCalendarList'), async (c) => {
    const entry = insertEntry(c.var.google, c.var.caller, await readBody(c), rgb(c));
    return c.json(renderEntry(c.var.google, c.var.caller.mailbox, entry));
  });
  routes.post(`${path}/watch`, admit('readCalendarList'), async (c) => {
    const { email } = c.var.caller.mailbox;
    const resource = { name: `calendarList:${email}`, uri: `${c.var.root}/calendar/v3${path}?alt=json` };
    return c.json(await openChannel(c.var.google, c.var.caller, await readBody(c), resource));
  });
  routes.get(`${path}/:calendarId`, admit('readCalendarList'), (c) => {
    const entry = getEntry(c.var.google, c.var.caller, c.req.param('calendarId'));
    return (
      notModified(c.req.raw, entry.revision) ??
      c.json(renderEntry(c.var.google, c.var.caller.mailbox, entry), 200, { etag: etagOf(entry.revision) })
    );
  });
  for (const method of ['patch', 'put'] as const) {
    routes[method](`${path}/:calendarId`, admit('writeCalendarList'), async (c) => {
      const entry = getEntry(c.var.google, c.var.caller, c.req.param('calendarId'));
      const body = await readBody(c);
      checkIfMatch(c.req.raw, entry.revision);
      changeEntry(c.var.google, c.var.caller, entry, body, { method, rgb: rgb(c) });
      return c.json(renderEntry(c.var.google, c.var.caller.mailbox, entry));
    });
  }
  routes.delete(`${path}/:calendarId`, admit('writeCalendarList'), (c) => {
    const entry = getEntry(c.var.google, c.var.caller, c.req.param('calendarId'));
    checkIfMatch(c.req.raw, entry.revision);
    removeEntry(c.var.google, c.var.caller, entry);
    return c.body(null, 204);
  });
}

function addCalendarRoutes(routes: Hono<ApiEnv>): void {
  const path = '/calendars/:calendarId';
  routes.post('/calendars', admit('writeCalendar'), async (c) =>
    c.json(renderCalendar(insertCalendar(c.var.google, c.var.caller, await readBody(c)))),
  );
  routes.get(path, admit('readCalendar'), (c) => {
    const { calendar } = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'freeBusyReader');
    return (
      notModified(c.req.raw, calendar.revision) ??
      c.json(renderCalendar(calendar), 200, { etag: etagOf(calendar.revision) })
    );
  });
  for (const method of ['patch', 'put'] as const) {
    routes[method](path, admit('writeCalendar'), async (c) => {
      const access = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
      const body = await readBody(c);
      checkIfMatch(c.req.raw, access.calendar.revision);
      changeCalendar(c.var.google, access, body, method);
      return c.json(renderCalendar(access.calendar));
    });
  }
  routes.delete(path, admit('writeCalendar'), (c) => {
    const access = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
    checkIfMatch(c.req.raw, access.calendar.revision);
    deleteCalendar(c.var.google, c.var.caller, access);
    return c.body(null, 204);
  });
  routes.post(`${path}/clear`, admit('writeCalendar'), (c) => {
    const access = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
    clearCalendar(c.var.google, access);
    return c.body(null, 204);
  });
}
