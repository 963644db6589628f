import { randomKey } from './runtime/index.ts';

/** The platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A `fetch` that keeps a rate. */
export interface PacedFetch extends Fetch {
  /** Waits for a turn, and resolves with the `fetch` to use at once. @throws the reason of the signal once it is aborted */
  waitForTurn(signal: AbortSignal | undefined): Promise<Fetch>;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Most milliseconds for the whole answer of one attempt, from 1 to 2147483647; others reject with a RangeError. @default that of the client */
  readonly timeoutMs?: number;
  /** Most further attempts, a whole number from 0 on; others reject with a RangeError. @default that of the client */
  readonly retries?: number;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of a creation. */
export interface CreateOptions extends CallOptions {
  /** A repetition within 24 hours with the same key and body returns the first one's result. @default a random key for each call */
  readonly idempotencyKey?: string;
}

/** Answer to a write that has no result of its own. */
export interface Success {
  readonly success: boolean;
}

/** One call of the interface. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Fields of the query: texts, numbers and booleans; undefined ones are left out. */
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the call may be sent again when it is unknown whether it was carried out. @default true for GET, PUT and DELETE without If-Match */
  readonly isRepeatable?: boolean;
  /** Result of a deletion whose repetition finds nothing to delete, after an attempt that may have been carried out. */
  readonly whenGone?: unknown;
  /** An iCalendar file, sent in place of a JSON body. */
  readonly file?: string | Uint8Array | undefined;
  /** Reads the answer as iCalendar, a text, instead of JSON. */
  readonly isText?: boolean;
  /** Whether the JSON of a success is an answer to this call. @default any object or array */
  readonly isAnswer?: (json: object) => boolean;
  readonly options?: CallOptions | undefined;
}

/** Sends a call and reads its JSON; undefined for a 304, the answer to If-None-Match alone. @throws ClientError */
export type Send = <Result>(call: Call) => Promise<Result>;

/** Returns `/v1/…` with each part encoded: ids are the providers' own and may contain any character. */
export function pathOf(...parts: readonly string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`;
}

/** @throws RangeError for an id that URLs cannot have: the path would be that of something else, such as a list in place of its record */
export function requireIds(path: string): void {
  const isId = (part: string) => !['', '.', '..'].includes(part);
  if (!path.slice(1).split('/').every(isId)) throw new RangeError(`${path}: ids must not be empty, "." or ".."`);
}

export function isObject(json: unknown): json is object {
  return typeof json === 'object' && json !== null;
}

/** Returns the fields that are given, as texts. */
export function given(fields: object): [string, string][] {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.map(([name, value]) => [name, String(value)]);
}

export function read(path: string, options?: CallOptions, query?: object): Call {
  return { method: 'GET', path, query, options };
}

/** Returns the creation of an object under an Idempotency-Key, so that a repetition creates no second one. */
export function creation(path: string, body: object, created: CreateOptions = {}, query?: object): Call {
  const { idempotencyKey = randomKey(), ...options } = created;
  const headers = { 'idempotency-key': idempotencyKey };
  return { method: 'POST', path, query, body, headers, isRepeatable: true, options };
}

export function deletion(path: string, options?: CallOptions, query?: object): Call {
  return { method: 'DELETE', path, query, options, whenGone: { success: true } };
}
