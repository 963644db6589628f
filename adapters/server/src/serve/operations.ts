import { createHash, timingSafeEqual } from 'node:crypto';
import type { Peer } from '@kalends/http/node';
import type { DataKeyService } from 'kalends';
import type { Clock, DatabaseTrouble, HealthStore } from 'kalends/ports';
import { systemClock, zoneDataVersion } from 'kalends/runtime';
import { askNow } from './ask-now.ts';
import type { Metrics } from './metrics.ts';

export interface OperationsOptions {
  readonly health: Pick<HealthStore, 'inspect'>;
  readonly dataKeys: Pick<DataKeyService, 'check'>;
  readonly metrics: Metrics;
  /** Bearer tokens for `/metrics` and for the reason in `/readyz`. @default none: both answer requests from this machine alone */
  readonly metricsTokens?: readonly string[];
  /** Tells whether the process is stopping. */
  readonly isDraining: () => boolean;
  /** Measures how long the database takes. @default the system's */
  readonly clock?: Clock;
}

/** Whether a process should get requests. */
interface Readiness {
  readonly isReady: boolean;
  /** Why it should get none, or why one that serves is to be replaced. */
  readonly reason?: string | undefined;
  /** Databases, of several, whose accounts it cannot serve, with why: it serves the others. */
  readonly troubles?: readonly DatabaseTrouble[];
}

const UNREACHABLE = 'the database does not answer';

/** Creates the handler of `/healthz`, `/readyz` and `/metrics`; it resolves with undefined for any other path. */
export function createOperations(
  options: OperationsOptions,
): (request: Request, peer: Peer) => Promise<Response | undefined> {
  const { metrics, metricsTokens = [] } = options;
  return async (request, peer) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    switch (new URL(request.url).pathname) {
      case '/healthz':
        return json(200, { status: 'alive' });
      case '/readyz': {
        const { isReady, reason, troubles = [] } = await readiness(options);
        const databases = Object.fromEntries(troubles.map(({ database, problem }) => [database, problem]));
        const details = {
          ...(reason === undefined ? {} : { reason }),
          ...(troubles.length === 0 ? {} : { databases }),
        };
        return json(isReady ? 200 : 503, {
          status: isReady ? 'ready' : 'not ready',
          ...(isOperator(request, peer, metricsTokens) ? details : {}),
        });
      }
      case '/metrics':
        if (!isOperator(request, peer, metricsTokens)) return refused(metricsTokens);
        return new Response(await metrics.serialize(readiness(options).then(({ isReady }) => isReady)), {
          headers: headersOf(metrics.contentType),
        });
      default:
        return undefined;
    }
  };
}

function refused(metricsTokens: readonly string[]): Response {
  if (metricsTokens.length === 0) {
    const text = 'Without KALENDS_METRICS_TOKEN, /metrics answers only requests from this machine.\n';
    return new Response(text, { status: 403, headers: headersOf('text/plain; charset=utf-8') });
  }
  return new Response('/metrics needs the token of KALENDS_METRICS_TOKEN as a bearer token.\n', {
    status: 401,
    headers: { ...headersOf('text/plain; charset=utf-8'), 'www-authenticate': 'Bearer realm="kalends"' },
  });
}

async function readiness(options: OperationsOptions): Promise<Readiness> {
  const { health, dataKeys, isDraining, clock = systemClock } = options;
  if (isDraining()) return unready('the process is stopping');
  const now = <Result>(ask: () => Promise<Result>) => askNow(clock, ask).catch(() => undefined);
  const state = await now(() => health.inspect());
  if (state === undefined) return unready(UNREACHABLE);
  const { troubles = [], zoneData } = state;
  if (state.fault !== null) return unready(state.fault, troubles);
  if (!state.isMigrated) return unready('the database lacks migrations of this version of kalends', troubles);
  const own = zoneDataVersion();
  const otherZones = `this process has tz data ${own}, but the database expects ${zoneData}`;
  if (zoneData !== null && own > zoneData) {
    return unready(`${otherZones}: run "kalends migrate" with the newer one`, troubles);
  }
  const secrets = await now(() => dataKeys.check());
  if (secrets === undefined) return unready(UNREACHABLE, troubles);
  // The engine has logged the reason once.
  if (secrets.opens !== 'all')
    return unready('the configuration does not fit the database; the log says why', troubles);
  // This is so of all older processes at once: they serve until newer ones have taken their place.
  const serving = { isReady: true, troubles };
  if (state.hasLaterMigrations) return { ...serving, reason: `a later version migrated the database: ${REPLACE}` };
  return zoneData === null || own === zoneData ? serving : { ...serving, reason: `${otherZones}: ${REPLACE}` };
}

const REPLACE = 'replace this process soon';

const unready = (reason: string, troubles?: readonly DatabaseTrouble[]): Readiness => ({
  isReady: false,
  reason,
  ...(troubles === undefined ? {} : { troubles }),
});
/** Headers of proxies: a proxy on this machine may have a client on another. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Tells whether a request has a token; where none is set, whether it comes from this machine and through no proxy. */
function isOperator({ headers }: Request, { remoteAddress = '' }: Peer, metricsTokens: readonly string[]): boolean {
  if (metricsTokens.length === 0) {
    return LOOPBACK.test(remoteAddress) && !FORWARDED.some((name) => headers.has(name));
  }
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const sent = digest(headers.get('authorization') ?? '');
  // Each is compared, whichever is right.
  return metricsTokens.filter((token) => timingSafeEqual(sent, digest(`Bearer ${token}`))).length > 0;
}

const LOOPBACK = /^(::1|(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

function json(status: number, body: object): Response {
  return new Response(`${JSON.stringify(body)}\n`, { status, headers: headersOf('application/json') });
}

function headersOf(contentType: string): Record<string, string> {
  return { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
}
