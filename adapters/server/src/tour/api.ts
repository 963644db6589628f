import { TourFailure } from './narrator.ts';

// The tour reads answers as an untyped client does, as JSON of any shape.
export type Json = { readonly [name: string]: unknown };

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** Calls of the interface over plain HTTP. */
export interface Api {
  call(
    method: string,
    path: string,
    options?: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly key?: string | null;
    },
  ): Promise<ApiAnswer>;
  /** Calls, and returns the body. @throws TourFailure unless the status is the expected one (by default any 2xx) */
  expect(method: string, path: string, body?: unknown, status?: number): Promise<Json>;
  readonly baseUrl: string;
}

export function createApi(baseUrl: string, apiKey: string): Api {
  const call: Api['call'] = async (method, path, options = {}) => {
    const key = options.key === undefined ? apiKey : options.key;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined
        ? {}
        : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const body = text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Json) : { text };
    return { status: response.status, headers: response.headers, body };
  };
  return {
    baseUrl,
    call,
    async expect(method, path, body, status) {
      const answer = await call(method, path, { body });
      const fits = status === undefined ? answer.status >= 200 && answer.status < 300 : answer.status === status;
      if (!fits) throw new TourFailure(`${method} ${path} answered ${answer.status}`, answer.body);
      return answer.body;
    },
  };
}

/** Returns the list in `data`. */
export function items(page: Json): readonly Json[] {
  if (!Array.isArray(page.data)) throw new TourFailure('the answer has no list in "data"', page);
  return page.data as readonly Json[];
}

/** Reads all pages of a list, and the sync token of the last. */
export async function listAll(api: Api, path: string, query: Readonly<Record<string, string>>) {
  const all: Json[] = [];
  let parameters = new URLSearchParams(query);
  for (;;) {
    const page = await api.expect('GET', `${path}?${parameters}`);
    all.push(...items(page));
    if (typeof page.nextPageToken !== 'string') return { items: all, syncToken: String(page.nextSyncToken) };
    parameters = new URLSearchParams({ pageToken: page.nextPageToken });
  }
}

/** Encodes a path segment or query value. */
export const encoded = (value: unknown) => encodeURIComponent(String(value));
