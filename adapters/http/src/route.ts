import type { Caller, Engine, ErrorCode } from 'kalends';
import type { Clock } from 'kalends/ports';
import type { z } from 'zod';

/** One request, parsed and admitted. `Who` is the caller as the routes of its table know it. */
export interface Call<Who = Caller> {
  readonly engine: Engine;
  /** Meaningful on every route that is not open. */
  readonly caller: Who;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined when the request had no body. */
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly request: Request;
  /** The client's network address; undefined when it is unknown, or many clients share it. */
  readonly address: string | undefined;
  readonly clock: Clock;
  /** Ends answers that have no end by themselves. */
  readonly stopping: AbortSignal | undefined;
  /** Asks again whether the caller is admitted, for such answers. */
  readonly isAdmitted: () => Promise<boolean>;
  /**
   * Written by open routes: a failure that the status does not show, or a genuine notification; and the error behind an answer that is
   * no problem document.
   */
  readonly verdict: { isFailure?: boolean; isGenuine?: boolean; error?: unknown };
}

/** A JSON answer: an object or an array, never null. */
export interface Answer {
  readonly status?: 200 | 201 | 202;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Lets callers keep an answer with an ETag, and revalidate it each time with If-None-Match. */
export const REVALIDATE = 'private, no-cache';

/**
 * Requests that a route admits. `key`: x-api-key is required. `open`: not required, but a key that is sent must be valid.
 * `token`: the admin token, or whatever else `authorize` accepts, is required.
 */
export type Access = 'key' | 'open' | 'token';

/** An error code with another status than `ERROR_STATUS` has for it. */
export interface UnusualError {
  readonly code: ErrorCode;
  readonly status: number;
}

/** One route: its address, its documentation and its call. */
export interface Route<Who = Caller> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Path in OpenAPI form, `{name}` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly access: Access;
  /** Query parameters, for the description: the call validates them. None when absent; `pass`: any. */
  readonly query?: z.ZodObject | 'pass';
  readonly body?: { readonly schema: z.ZodType; readonly required: boolean };
  /** Whether keys that may only read can call it, although it is no GET. */
  readonly onlyReads?: boolean;
  /** Whether the body is an iCalendar file, which the call reads from the request. */
  readonly takesFile?: boolean;
  /** Fields of a form of ours that a browser sends here, as `application/x-www-form-urlencoded`; the call reads it. */
  readonly form?: z.ZodObject;
  /** Whether answers contain secrets: they have no etag and are never stored. */
  readonly isSecret?: boolean;
  /** Whether the answer is a stream of Server-Sent Events, each with a value of its schema. */
  readonly isStream?: boolean;
  /** Media type of the answers. @default JSON, or that of a stream of events */
  readonly mediaType?: 'text/calendar' | 'text/html';
  /** Whether the answers are a file, whose name `Content-Disposition` tells. */
  readonly sendsFile?: boolean;
  /** Whether the answers have an ETag, as those to reads with a key have without it. */
  readonly sendsEtag?: boolean;
  /** Whether the answers tell the age of the mirror in headers. */
  readonly tellsAge?: boolean;
  readonly takesIfMatch?: boolean;
  readonly takesIdempotencyKey?: boolean;
  readonly answers: readonly {
    readonly status: 200 | 201 | 202 | 302 | 303;
    readonly description: string;
    readonly schema?: z.ZodType;
    /** @default that of the route */
    readonly mediaType?: 'text/plain';
  }[];
  /** Error codes beyond those of every route, each with its status where that is not the code's usual one. */
  readonly errors: readonly (ErrorCode | UnusualError)[];
  readonly handle: (call: Call<Who>) => Promise<Answer | Response>;
}

/** A route without its call. */
export type Described = Omit<Route, 'handle'>;

/** Tells whether the answers of a route have an ETag: those to reads with a key do, except of secrets. */
export function hasEtag({ method, access, isSecret, sendsEtag }: Described): boolean {
  return sendsEtag === true || (method === 'get' && access === 'key' && isSecret !== true);
}

/** Tells whether a route honours If-None-Match: reads with an ETag do. */
export function isConditional(route: Described): boolean {
  return route.method === 'get' && hasEtag(route);
}

/** Returns a path parameter of a matched route. */
export function parameter({ params }: Pick<Call, 'params'>, name: string): string {
  return params[name] ?? '';
}

/** Returns the body as the engine's method takes it. The method validates it, and refuses one of another shape. */
export function bodyOf<Body>({ body }: { readonly body: unknown }): Body {
  return body as Body;
}
