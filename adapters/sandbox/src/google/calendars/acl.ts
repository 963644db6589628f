import type { Hono } from 'hono';
import { badRequest, notFound, required } from '../api/google-error.ts';
import { isObject, readString } from '../api/json.ts';
import { type ApiEnv, admit, readBody } from '../api/route-env.ts';
import type { Json } from '../api/wire.ts';
import { etagOf, findMailbox, type GoogleContext } from '../google-context.ts';
import { ACCESS_ROLES, type AccessRole, type StoredCalendar } from '../google-state.ts';
import { accessCalendar, addListEntry, setRole } from './calendar-access.ts';

const PATH = '/calendars/:calendarId/acl';

/** Adds access control by person (`user:` rules). Sharing with a mailbox of this sandbox also adds the calendar to its list. */
export function addAclRoutes(routes: Hono<ApiEnv>): void {
  routes.get(PATH, admit('readAcl'), (c) => {
    const { calendar } = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
    const items = Object.entries(calendar.acl).map(([email, role]) => render(calendar, email, role));
    return c.json({
      kind: 'calendar#acl',
      etag: etagOf(calendar.revision),
      items,
      nextSyncToken: String(calendar.revision),
    });
  });
  routes.post(PATH, admit('writeAcl'), async (c) => {
    const { calendar } = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
    const body = await readBody(c);
    const scope = body['scope'];
    const email = isObject(scope) && scope['type'] === 'user' ? readString(scope, 'value') : undefined;
    if (email === undefined) throw badRequest('Invalid scope value.');
    return c.json(give(c.var.google, calendar, email.toLowerCase(), readRole(body)));
  });
  routes.get(`${PATH}/:ruleId`, admit('readAcl'), (c) => {
    const { calendar } = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
    const { email, role } = ruleOf(calendar, c.req.param('ruleId'));
    return c.json(render(calendar, email, role));
  });
  for (const method of ['patch', 'put'] as const) {
    routes[method](`${PATH}/:ruleId`, admit('writeAcl'), async (c) => {
      const { calendar } = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
      const { email } = ruleOf(calendar, c.req.param('ruleId'));
      return c.json(give(c.var.google, calendar, email, readRole(await readBody(c))));
    });
  }
  routes.delete(`${PATH}/:ruleId`, admit('writeAcl'), (c) => {
    const { calendar } = accessCalendar(c.var.google, c.var.caller, c.req.param('calendarId'), 'owner');
    const { email } = ruleOf(calendar, c.req.param('ruleId'));
    if (email === calendar.dataOwner) throw badRequest('The data owner keeps access.');
    give(c.var.google, calendar, email, 'none');
    return c.body(null, 204);
  });
}

function readRole(body: Json): AccessRole | 'none' {
  const name = readString(body, 'role');
  if (name === undefined) throw required('Missing role.');
  const role = name === 'none' ? name : ACCESS_ROLES.find((known) => known === name);
  if (role === undefined) throw badRequest('Invalid value for: role');
  return role;
}

function ruleOf(calendar: StoredCalendar, ruleId: string): { readonly email: string; readonly role: AccessRole } {
  const email = ruleId.replace(/^user:/, '').toLowerCase();
  const role = calendar.acl[email];
  if (role === undefined) throw notFound();
  return { email, role };
}

function give(context: GoogleContext, calendar: StoredCalendar, email: string, role: AccessRole | 'none'): Json {
  const mailbox = findMailbox(context, email);
  if (mailbox !== undefined) {
    setRole(context, calendar, mailbox, role);
    const entry = mailbox.calendarList[calendar.id];
    if (role !== 'none' && (entry === undefined || entry.deleted)) addListEntry(context, mailbox, calendar);
  } else if (role === 'none') delete calendar.acl[email];
  else calendar.acl[email] = role;
  context.kernel.touched();
  return render(calendar, email, role);
}

function render(calendar: StoredCalendar, email: string, role: AccessRole | 'none'): Json {
  return {
    kind: 'calendar#aclRule',
    etag: etagOf(calendar.revision),
    id: `user:${email}`,
    scope: { type: 'user', value: email },
    role,
  };
}
