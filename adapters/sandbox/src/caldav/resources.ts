import type { CalDavContext } from './caldav-context.ts';
import { findMailbox, hasQuirk } from './caldav-context.ts';
import type { Mailbox, Role, StoredCalendar, StoredObject } from './caldav-state.ts';
import { DavError } from './wire/dav-error.ts';

/** A request, past its authentication. */
export interface DavCall {
  readonly context: CalDavContext;
  readonly caller: Mailbox;
  readonly request: Request;
  readonly body: string;
  /** Path of the server's root, without a final slash: hrefs begin with it. */
  readonly base: string;
}

/** A calendar as one person has it in the home. */
export interface CalendarResource {
  readonly kind: 'calendar';
  readonly slug: string;
  readonly role: Role;
  readonly calendar: StoredCalendar;
}

export interface ObjectResource {
  readonly kind: 'object';
  readonly parent: CalendarResource;
  readonly name: string;
  /** Undefined where nothing is yet. */
  readonly object: StoredObject | undefined;
}

export type Resource =
  | { readonly kind: 'root' | 'home' | 'inbox' | 'outbox' }
  | { readonly kind: 'principal'; readonly person: Mailbox }
  /** A calendar that is not there: only MKCALENDAR can use it. */
  | { readonly kind: 'free'; readonly slug: string }
  | CalendarResource
  | ObjectResource;

const encoded = (segment: string): string => encodeURIComponent(segment);

/** Paths of one person's resources, below the origin. */
export function hrefsOf(base: string, { email }: Pick<Mailbox, 'email'>) {
  const home = `${base}/calendars/${encoded(email)}/`;
  return {
    root: `${base}/`,
    principal: `${base}/principals/${encoded(email)}/`,
    home,
    inbox: `${home}inbox/`,
    outbox: `${home}outbox/`,
    calendar: (slug: string) => `${home}${encoded(slug)}/`,
    object: (slug: string, name: string) => `${home}${encoded(slug)}/${encoded(name)}`,
  };
}

/** Returns the path of a resource, as answers write it. */
export function hrefOf({ base, caller }: DavCall, resource: Resource): string {
  const hrefs = hrefsOf(base, resource.kind === 'principal' ? resource.person : caller);
  if (resource.kind === 'object') return hrefs.object(resource.parent.slug, resource.name);
  return resource.kind === 'calendar' || resource.kind === 'free'
    ? hrefs.calendar(resource.slug)
    : hrefs[resource.kind];
}

/** Finds the resource of a path below the server's root. @throws DavError 403 for another person's, 404 for none */
export function findResource(call: Pick<DavCall, 'context' | 'caller'>, path: string): Resource {
  const [area, owner, slug, name, ...rest] = segmentsOf(path);
  if (area === undefined) return { kind: 'root' };
  if ((area !== 'principals' && area !== 'calendars') || owner === undefined || rest.length > 0)
    throw new DavError(404);
  const person = findMailbox(call.context, owner);
  const isOpen = area === 'principals' && hasQuirk(call.context, 'openPrincipals');
  if (person === undefined || (person !== call.caller && !isOpen)) throw new DavError(403, 'need-privileges');
  if (area === 'principals') {
    if (slug !== undefined) throw new DavError(404);
    return { kind: 'principal', person };
  }
  if (slug === undefined) return { kind: 'home' };
  if ((slug === 'inbox' || slug === 'outbox') && name === undefined) return { kind: slug };
  const parent = calendarAt(call, slug);
  if (name === undefined) return parent ?? { kind: 'free', slug };
  if (parent === undefined) throw new DavError(404);
  const object = Object.hasOwn(parent.calendar.objects, name) ? parent.calendar.objects[name] : undefined;
  return { kind: 'object', parent, name, object };
}

function calendarAt(
  { context, caller }: Pick<DavCall, 'context' | 'caller'>,
  slug: string,
): CalendarResource | undefined {
  const link = Object.hasOwn(caller.links, slug) ? caller.links[slug] : undefined;
  const calendar = link === undefined ? undefined : context.state.calendars[link.calendarId];
  if (link === undefined || calendar === undefined) return undefined;
  return { kind: 'calendar', slug, role: link.role, calendar };
}

/** Finds the resource of an href in a request: a path, or a URL at this server. */
export function findHref(call: DavCall, href: string): Resource {
  const { pathname, origin } = new URL(href.trim(), call.request.url);
  const isBelow = pathname.startsWith(`${call.base}/`) && origin === new URL(call.request.url).origin;
  if (!isBelow) throw new DavError(404);
  return findResource(call, pathname.slice(call.base.length));
}

/** @throws DavError 403 where the person may only read */
export function requireWrite({ role }: CalendarResource): void {
  if (role === 'reader') throw new DavError(403, 'need-privileges');
}

function segmentsOf(path: string): string[] {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw new DavError(400, undefined, { message: 'the path has a broken escape' });
  }
}
