import type { Clock, Logger, Telemetry } from 'kalends/ports';
import { failSpan, inSpan } from 'kalends/runtime';
import { describeCauses, isFault } from './failure-cause.ts';
import { problemResponse } from './problem-response.ts';
import type { RequestNotes } from './request-notes.ts';

/** Methods that become labels of metrics; clients may invent any number of others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Creates the function that answers a request within a span, logs and measures it, and adds the headers of its notes. */
export function observeRequests({
  clock,
  logger,
  telemetries,
}: {
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly telemetries: readonly Telemetry[];
}): (request: Request, notes: RequestNotes, answer: () => Promise<Response>) => Promise<Response> {
  const measured = async (method: string, notes: RequestNotes, answer: () => Promise<Response>): Promise<Response> => {
    const startedAt = clock.now();
    const response = await answer().catch((error: unknown) => {
      notes.verdict.error = error;
      return problemResponse(error, notes.requestId);
    });
    const always = { 'x-request-id': notes.requestId, 'x-content-type-options': 'nosniff' };
    for (const [name, value] of Object.entries({ ...notes.headers, ...always })) {
      response.headers.set(name, value);
    }
    const durationMs = clock.now() - startedAt;
    const { status } = response;
    const {
      requestId,
      route = 'none',
      verdict: { error },
    } = notes;
    const fields = { requestId, method, route, status, durationMs };
    if (status < 500) logger?.info('request', fields);
    else logger?.[isFault(error) ? 'error' : 'warn']('request failed', { ...fields, error: describeCauses(error) });
    const labels = { route, method: METHODS.has(method) ? method : 'other', status: String(status) };
    for (const telemetry of telemetries) {
      telemetry.observe('kalends_http_request_duration_seconds', labels, durationMs / 1_000);
    }
    return response;
  };

  return ({ method, headers }, notes, answer) =>
    inSpan(method, { kind: 'server', headers, attributes: { 'http.request.method': method } }, async (span) => {
      const response = await measured(method, notes, answer);
      if (notes.route !== undefined) {
        span.updateName(`${method} ${notes.route}`);
        span.setAttribute('http.route', notes.route);
      }
      span.setAttribute('http.response.status_code', response.status);
      span.setAttribute('kalends.request_id', notes.requestId);
      if (response.status >= 500) failSpan(span, { code: String(response.status) });
      return response;
    });
}
