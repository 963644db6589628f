import type { Fetch } from './call.ts';
import { systemNow } from './runtime/index.ts';

/** Where the path of kalends begins: the host, or the path before it, may have a part that is named v1 too. */
const BEGINNING =
  /\/v1\/(?:availability|bookings|calendarSubscriptions|calendars|endUserAccounts|events|feeds|freeBusy|holds|webhookEndpoints)(?=[/?]|$)/;
/** Paths whose answers are checked. Others may have what no log should: tokens of accounts, secrets of webhooks, addresses of feeds. */
const CHECKED = /^\/v1\/(?:calendars|events)\//;
/** Part of a path that is a secret. The id of the hold before it tells bookings apart. */
const SECRET = /^(\/v1\/(?:bookings\/[^./?]+\.|feeds\/))[^/?]+/;

let last = 0;

/** Returns the time. No two moments are equal, also of several clients that write one log, so that their order is certain. */
function now(): number {
  last = Math.max(systemNow(), last + 0.001);
  return last;
}

/**
 * Returns a `fetch` for `createClient` that also records each request and its answer as a line of JSON, for `kalends check-history`.
 * Lines come in order of the answers, without keys, headers and the tokens of bookings, but with the contents of the calendars: the
 * bodies of answers about calendars and events, and no others. The caller adds the line ends. Requests of other addresses are not recorded.
 * An error of `write` rejects the call.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl, apiKey, fetch: recordHistory((line) => console.log(line)) });
 * ```
 */
export function recordHistory(write: (line: string) => void, fetch: Fetch = globalThis.fetch): Fetch {
  return async (url, init) => {
    const found = BEGINNING.exec(url);
    if (found === null) return await fetch(url, init);
    const path = url.slice(found.index).replace(SECRET, '$1…');
    const idempotencyKey = new Headers(init.headers).get('idempotency-key') ?? undefined;
    const { method = 'GET' } = init;
    const sentAt = now();
    const record = (answer: object) =>
      write(JSON.stringify({ sentAt, answeredAt: now(), method, url: path, idempotencyKey, ...answer }));
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(url, init);
      if (CHECKED.test(path)) body = await jsonOf(response);
    } catch (error) {
      record({});
      throw error;
    }
    record({ status: response.status, body });
    return response;
  };
}

/** Returns the JSON of an answer, whose body stays unread; undefined when it is none. @throws when the connection breaks */
async function jsonOf(response: Response): Promise<unknown> {
  if (!/\bjson\b/.test(response.headers.get('content-type') ?? '')) return undefined;
  const text = await response.clone().text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
