import type { Caller, Engine, ErrorCode } from 'kalends';
import type { z } from 'zod';

/** One request, read and authenticated. */
export interface Call {
  readonly engine: Engine;
  /** Present on every route that needs a key. */
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined when the request had no body. */
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly request: Request;
  /** Noted by open routes: a failure that the answer's status does not tell, or that a provider has sent this. */
  readonly verdict: { isFailure?: boolean; isGenuine?: boolean };
}

/** A JSON answer; `null` bodies are never sent, so that every answer is an object or an array. */
export interface Answer {
  readonly status?: 200 | 201;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Callers may keep answers that have an ETag, and revalidate them each time with If-None-Match. */
export const REVALIDATE = 'private, no-cache';

/** One row of the interface: how it is reached, what is documented of it, what it calls. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** OpenAPI form, `{name}` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `key`: x-api-key is required. `open`: not required, but a key that is sent must be valid. */
  readonly access: 'key' | 'open';
  /** Query parameters; a route without takes none. `pass`: whatever the provider sends. */
  readonly query?: z.ZodObject | 'pass';
  readonly body?: { readonly schema: z.ZodType; readonly required: boolean };
  /** Answers hold secrets: they have no etag and are never stored. */
  readonly isSecret?: boolean;
  readonly takesIfMatch?: boolean;
  readonly takesIdempotencyKey?: boolean;
  readonly answers: readonly {
    readonly status: 200 | 201 | 202 | 302;
    readonly description: string;
    readonly schema?: z.ZodType;
  }[];
  /** Codes beyond those that every route shares. */
  readonly errors: readonly ErrorCode[];
  readonly handle: (call: Call) => Promise<Answer | Response>;
}

/** Whether a route honours If-None-Match: those that read something with a key, secrets excepted. */
export function isConditional({ method, access, isSecret }: Pick<Route, 'method' | 'access' | 'isSecret'>): boolean {
  return method === 'get' && access === 'key' && isSecret !== true;
}

/** A path parameter of a matched route. */
export function parameter(call: Call, name: string): string {
  return call.params[name] ?? '';
}
