import type { Attributes } from '@opentelemetry/api';
import { inSpan } from '../telemetry/tracing.ts';

/** Form of the ids that `createId` makes. What a caller sends in their place may be anything, a token included. */
const ACCOUNT_ID = /^acc_\w{22}$/;

/** Readiness probes call it each second, outside of any trace. A bad state is in the log and at /readyz. */
const UNTRACED: ReadonlySet<string> = new Set(['kalends.dataKeys.check']);

type Method = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Returns the same services with each call in a span `kalends.<service>.<method>` that carries the ids of its subject; calls of
 * probes have none.
 */
export function traceServices<Services extends object>(services: Services): Services {
  const traced = Object.entries(services).map(([name, service]) => [name, traceService(name, service as object)]);
  return Object.fromEntries(traced) as Services;
}

function traceService(name: string, service: object): object {
  const methods = Object.entries(service).map(([method, work]) => {
    if (typeof work !== 'function') return [method, work];
    const span = `kalends.${name}.${method}`;
    const run: Method = (...parameters) => (work as Method).apply(service, parameters);
    const traced: Method = (...parameters) => inSpan(span, { attributes: idsOf(parameters) }, () => run(...parameters));
    return [method, UNTRACED.has(span) ? run : traced];
  });
  return Object.fromEntries(methods);
}

/** Reads the ids from the parameters: methods for callers begin with the caller and the account. */
function idsOf([caller, accountId]: readonly unknown[]): Attributes {
  if (typeof caller !== 'object' || caller === null || !('applicationId' in caller)) return {};
  const application = { 'kalends.application_id': String(caller.applicationId) };
  return typeof accountId === 'string' && ACCOUNT_ID.test(accountId)
    ? { ...application, 'kalends.account_id': accountId }
    : application;
}
