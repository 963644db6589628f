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
    const message = 'is not supported by this request';
    throw new KalendsError('InvalidRequest', `Idempotency-Key: ${message}`, {
      details: [{ path: 'Idempotency-Key', message }],
    });
  }
  const query = readQuery(new URL(request.url), route.query !== undefined);
  const body = route.body === undefined ? undefined : await readJsonBody(request, maxBodyBytes);
  if (route.body?.required && body === undefined) {
    throw new KalendsError('InvalidRequest', 'the request needs a JSON body');
  }
  return {
    request,
    query,
    body,
    ifMatch: route.takesIfMatch ? (headers.get('if-match') ?? undefined) : undefined,
    idempotencyKey: route.takesIdempotencyKey ? idempotencyKey : undefined,
  };
}

/** Reads the body of a request to an open route before its turn: a slow body must not hold the turn. */
async function withReadBody(request: Request, route: Described): Promise<Request> {
  if (route.access !== 'open' || request.body === null) return request;
  const { url, method, headers } = request;
  const body = await readBytes(request, MAX_NOTIFICATION_BYTES);
  return new Request(url, { method, headers, ...(body.length === 0 ? {} : { body }) });
}
