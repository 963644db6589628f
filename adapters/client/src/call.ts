/** The platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Most milliseconds for the whole answer of one attempt. @default that of the client */
  readonly timeoutMs?: number;
  /** Most further attempts. @default that of the client */
  readonly retries?: number;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of a creation. */
export interface CreateOptions extends CallOptions {
  /** A repetition within 24 hours with the same key and body returns the first one's result. @default a random key for each call */
  readonly idempotencyKey?: string;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One call of the interface. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the call may be sent again when it is unknown whether it was carried out. @default true for GET, PUT and DELETE without If-Match */
  readonly isRepeatable?: boolean;
  /** Result of a deletion whose first answer was lost and whose repetition finds nothing to delete. */
  readonly whenGone?: unknown;
  readonly options?: CallOptions | undefined;
}

/** Sends a call and reads its JSON; undefined for a 304, the answer to If-None-Match alone. @throws ClientError */
export type Send = <Result>(call: Call) => Promise<Result>;

/** Returns `/v1/…` with each part encoded: ids are the providers' own and may contain any character. */
export function pathOf(...parts: readonly string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`;
}

/** Returns the fields that are given. */
export function given<Value>(fields: Readonly<Record<string, Value | undefined>>): [string, Value][] {
  return Object.entries(fields).filter((entry): entry is [string, Value] => entry[1] !== undefined);
}
