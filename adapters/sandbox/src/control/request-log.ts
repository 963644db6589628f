import type { ProviderName } from '../kernel/kernel.ts';

/** One request that a provider server answered, as it was seen on the wire. */
export interface RecordedRequest {
  /** Rises by one per request. */
  readonly number: number;
  /** On the sandbox's clock. */
  readonly at: number;
  readonly provider: ProviderName;
  readonly method: string;
  /** Below the server's root, still percent-encoded. */
  readonly path: string;
  /** Including the question mark; empty when there is none. */
  readonly query: string;
  /** Lower-case names; the authorization header is left out. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  /** The kind of the fault that hit this request, null for none. */
  readonly fault: string | null;
}

/** The latest requests, and how many there were of each kind. */
export interface RequestLog {
  add(request: Omit<RecordedRequest, 'number'>): void;
  /** Oldest first. `after` is a number: only later ones. */
  list(filter?: {
    readonly provider?: string;
    readonly after?: number;
    readonly limit?: number;
  }): readonly RecordedRequest[];
  /** Requests per provider, method and path pattern, such as `google GET /calendar/v3/calendars/{id}/events`. */
  counts(): Readonly<Record<string, number>>;
  clear(): void;
}

const COLLECTIONS = new Set([
  'calendars',
  'events',
  'calendarList',
  'calendarGroups',
  'calendarView',
  'instances',
  'subscriptions',
  'users',
  'acl',
  'settings',
]);
const VERBS = new Set(['watch', 'import', 'delta', 'me', 'quickAdd', 'stop']);

/** Bodies of this many characters together are kept; long lists of large calendars would fill the memory otherwise. */
const BODY_BUDGET = 40_000_000;

export function createRequestLog(kept = 1_000, bodyBudget = BODY_BUDGET): RequestLog {
  let bodies = 0;
  let requests: RecordedRequest[] = [];
  let counts: Record<string, number> = {};
  let number = 0;
  return {
    add(request) {
      number += 1;
      requests.push({ ...request, number });
      bodies += sizeOf(request);
      while (requests.length > kept || (bodies > bodyBudget && requests.length > 1)) {
        const oldest = requests.shift();
        if (oldest !== undefined) bodies -= sizeOf(oldest);
      }
      const key = `${request.provider} ${request.method} ${patternOf(request.path)}`;
      counts[key] = (counts[key] ?? 0) + 1;
    },
    list(filter = {}) {
      const { provider, after = 0, limit = kept } = filter;
      return requests
        .filter((request) => request.number > after && (provider === undefined || request.provider === provider))
        .slice(-limit);
    },
    counts: () => ({ ...counts }),
    clear() {
      requests = [];
      bodies = 0;
      counts = {};
    },
  };
}

function sizeOf(request: Omit<RecordedRequest, 'number'>): number {
  return request.requestBody.length + request.responseBody.length;
}

/** A path with the ids after collection names replaced by `{id}`. */
export function patternOf(path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => (COLLECTIONS.has(segments[index - 1] ?? '') && !VERBS.has(segment) ? '{id}' : segment))
    .join('/');
}
