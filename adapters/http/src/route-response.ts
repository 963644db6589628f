import { bytesOf } from './bytes-response.ts';
import { etagOf, notModified } from './conditional-request.ts';
import { type Answer, type Described, isConditional, REVALIDATE } from './route.ts';

/** Turns a route's answer into a response, or into a 304 where the client holds it already. */
export function routeResponse(request: Request, route: Described, answer: Answer | Response): Response {
  const response = answer instanceof Response ? answer : jsonResponse(route, answer);
  return isConditional(route) ? notModified(request, response) : response;
}

function jsonResponse(route: Described, { status = 200, body, headers }: Answer): Response {
  const text = JSON.stringify(body);
  const caching: Readonly<Record<string, string>> = isConditional(route)
    ? { 'cache-control': REVALIDATE, etag: headers?.['etag'] ?? etagOf(text) }
    : { 'cache-control': 'no-store' };
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...caching, ...headers } });
}

/** Returns the length of a response's body, which stays unread. */
export async function lengthOf(response: Response): Promise<number> {
  return bytesOf(response)?.byteLength ?? (await response.clone().arrayBuffer()).byteLength;
}
