import { KalendsError } from 'kalends';
import { readBytes, readJsonBody, readQuery } from './request-input.ts';
import type { Call, Described } from './route.ts';

const DEFAULT_MAX_BODY_BYTES = 262_144;
/** Far above the size of a provider's notifications. */
const MAX_NOTIFICATION_BYTES = 262_144;

/**
 * Parses the request of a matched route.
 * @throws KalendsError InvalidRequest, PayloadTooLarge or UnsupportedMediaType
 */
export async function readCall(
  sent: Request,
  route: Described,
  maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
): Promise<Pick<Call, 'request' | 'query' | 'body' | 'ifMatch' | 'idempotencyKey'>> {
  const request = await withReadBody(sent, route);
  const { headers } = request;
  const idempotencyKey = headers.get('idempotency-key') ?? undefined;
  // A caller that sends the key relies on it to repeat the request safely.
  if (idempotencyKey !== undefined && route.method === 'post' && route.takesIdempotencyKey !== true) {
    throw unsupported('Idempotency-Key');
  }
  const ifMatch = headers.get('if-match') ?? undefined;
  // RFC 9110, 13.1.1: nothing may be done under a condition that may be false. With `*` it holds of all that is found.
  const isConditional = ifMatch !== undefined && ifMatch.trim() !== '*';
  if (isConditional && route.method !== 'get' && route.takesIfMatch !== true) throw unsupported('If-Match');
  const query = readQuery(new URL(request.url), route.query !== undefined);
  const body = route.body === undefined ? undefined : await readJsonBody(request, maxBodyBytes);
  if (route.body?.required && body === undefined) {
    throw new KalendsError('InvalidRequest', 'the request needs a JSON body');
  }
  return {
    request,
    query,
    body,
    ifMatch: route.takesIfMatch ? ifMatch : undefined,
    idempotencyKey: route.takesIdempotencyKey ? idempotencyKey : undefined,
  };
}

function unsupported(header: string): KalendsError {
  const message = 'is not supported by this request';
  return new KalendsError('InvalidRequest', `${header}: ${message}`, { details: [{ path: header, message }] });
}

/** Reads the body of a request to an open route before its turn: a slow body must not hold the turn. */
async function withReadBody(request: Request, route: Described): Promise<Request> {
  if (route.access !== 'open' || request.body === null) return request;
  const { url, method, headers } = request;
  const body = await readBytes(request, MAX_NOTIFICATION_BYTES);
  return new Request(url, { method, headers, ...(body.length === 0 ? {} : { body }) });
}
