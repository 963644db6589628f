import { callerOf, throttled, unauthorized } from './authentication.ts';
import type { CalDavContext } from './caldav-context.ts';
import { hasQuirk } from './caldav-context.ts';
import { deleteCalendar, mkcalendar, proppatch } from './methods/calendar-methods.ts';
import { deleteObject, getObject, putObject } from './methods/object-methods.ts';
import { propfind } from './methods/propfind.ts';
import { report } from './methods/report.ts';
import { type DavCall, findResource } from './resources.ts';
import { DavError } from './wire/dav-error.ts';

const METHODS = 'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCALENDAR, REPORT';

/** Answers one request. `root` is the URL of the server's root. */
export async function answerDav(context: CalDavContext, request: Request, root: string): Promise<Response> {
  const { pathname } = new URL(request.url);
  const base = new URL(root).pathname.replace(/\/$/, '');
  if (pathname === '/.well-known/caldav') return new Response(null, { status: 301, headers: { location: `${base}/` } });
  const caller = callerOf(context, request);
  if (caller === undefined) return unauthorized();
  const limited = throttled(context);
  if (limited !== undefined) return limited;
  const body = await request.text();
  // The front takes the root away, and hrefs in bodies have it.
  const outer = new Request(`${new URL(root).origin}${base}${pathname}`, {
    method: request.method,
    headers: request.headers,
  });
  try {
    return run({ context, caller, request: outer, body, base }, pathname);
  } catch (error) {
    if (error instanceof DavError) return error.toResponse();
    throw error;
  }
}

function run(call: DavCall, path: string): Response {
  const { method } = call.request;
  if (method === 'OPTIONS') return options(call.context);
  const resource = findResource(call, path);
  switch (method) {
    case 'PROPFIND':
      return propfind(call, resource);
    case 'REPORT':
      return report(call, resource);
    case 'PROPPATCH':
      return proppatch(call, resource);
    case 'MKCALENDAR':
      return mkcalendar(call, resource);
    case 'GET':
    case 'HEAD':
      if (resource.kind === 'object') return getObject(call, resource);
      throw new DavError(resource.kind === 'free' ? 404 : 405);
    case 'PUT':
      if (resource.kind === 'object') return putObject(call, resource);
      throw new DavError(resource.kind === 'free' ? 409 : 405);
    case 'DELETE':
      if (resource.kind === 'object') return deleteObject(call, resource);
      if (resource.kind === 'calendar') return deleteCalendar(call, resource);
      throw new DavError(resource.kind === 'free' ? 404 : 403);
    default:
      return new Response(null, { status: 405, headers: { allow: METHODS } });
  }
}

function options(context: CalDavContext): Response {
  const scheduling = hasQuirk(context, 'noScheduling') ? '' : ', calendar-auto-schedule';
  const dav = `1, 3, access-control, calendar-access${scheduling}`;
  return new Response(null, { status: 200, headers: { dav, allow: METHODS } });
}
