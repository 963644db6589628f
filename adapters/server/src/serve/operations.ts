import { createHash, timingSafeEqual } from 'node:crypto';
import type { HealthStore } from 'kalends/ports';
import { withPatience } from 'kalends/runtime';
import { zoneDataVersion } from 'kalends/zones';
import type { Metrics } from './metrics.ts';

export interface OperationsOptions {
  readonly health: HealthStore;
  readonly metrics: Metrics;
  /** What `/metrics` asks for as a bearer token. @default nothing */
  readonly adminToken?: string | undefined;
  /** Whether the process is on its way out. */
  readonly isDraining: () => boolean;
}

/** Why a process should get no requests, undefined when it may. */
type Unreadiness = string | undefined;

/** A database that is asked this long counts as unreachable. */
const PATIENCE_MS = 3_000;

/** `/healthz`, `/readyz` and `/metrics`; undefined for other paths. */
export function createOperations(options: OperationsOptions): (request: Request) => Promise<Response | undefined> {
  const { metrics, adminToken } = options;
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    switch (new URL(request.url).pathname) {
      case '/healthz':
        return json(200, { status: 'alive' });
      case '/readyz': {
        const reason = await unreadiness(options);
        return reason === undefined ? json(200, { status: 'ready' }) : json(503, { status: 'not ready', reason });
      }
      case '/metrics':
        if (!isAllowed(request, adminToken)) {
          return new Response('The bearer token of the operator is needed.\n', {
            status: 401,
            headers: { 'www-authenticate': 'Bearer realm="kalends"' },
          });
        }
        return new Response(await metrics.print(), {
          headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
        });
      default:
        return undefined;
    }
  };
}

async function unreadiness({ health, isDraining }: OperationsOptions): Promise<Unreadiness> {
  if (isDraining()) return 'the process is stopping';
  // Requests would have to wait for what this would wait for.
  const asked = withPatience({ limitMs: 0 }, () => health.inspect());
  const state = await inTime(asked).catch(() => undefined);
  if (state === undefined) return 'the database does not answer';
  if (!state.isMigrated) return 'the database was migrated by another version of kalends';
  const own = zoneDataVersion();
  if (state.zoneData !== null && state.zoneData !== own) {
    return `this process has tz data ${own}, the database expects ${state.zoneData}; see "kalends migrate"`;
  }
  return undefined;
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('It took too long.')), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function isAllowed(request: Request, adminToken: string | undefined): boolean {
  if (adminToken === undefined) return true;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const sent = request.headers.get('authorization') ?? '';
  return timingSafeEqual(digest(sent), digest(`Bearer ${adminToken}`));
}

function json(status: number, body: object): Response {
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}
