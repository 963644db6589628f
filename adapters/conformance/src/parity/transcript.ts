/** Everything that one run of the suite exchanged with a provider, without a secret, an address or a text. */
export interface Transcript {
  readonly provider: string;
  /** Epoch milliseconds of the start. */
  readonly recordedAt: number;
  /** Placeholders of the account and of the calendar that the run used. */
  readonly account: { readonly email: Json; readonly calendar: Json };
  readonly cases: readonly PlayedCase[];
}

/** One case of the suite, with its requests in the order in which they began. */
export interface PlayedCase {
  readonly name: string;
  /** Kind and place of the failure, never its message; null for a case that passed. */
  readonly failure: string | null;
  readonly exchanges: readonly Exchange[];
}

/** A request and its answer. */
export interface Exchange {
  /** Method and path pattern, such as `PATCH /calendars/{id}/events/{id}`. */
  readonly operation: string;
  /** Milliseconds from the start of the recording to that of the request. A replay's clock shows these times. */
  readonly at: number;
  /** Number of the group of requests that overlapped in time. */
  readonly group: number;
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: Json;
  /** 0 when no answer came. */
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: Json;
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a body: JSON, a form as an object, or any other text as itself; null for none. */
export function parseBody(text: string, contentType: string | null): Json {
  if (text === '') return null;
  if (contentType?.includes('x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
