import type { ConnectionError, TimeoutError } from './errors.ts';

/** One attempt of a call. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
  /** A hook may add to them, for instance `traceparent`. */
  readonly headers: Record<string, string>;
  /** From 1. */
  readonly attempt: number;
}

/** Observers of requests, for tracing, logs and metrics. An error of one rejects the call. */
export interface ClientHooks {
  /** Called before each attempt. */
  readonly onRequest?: (request: RequestInfo) => void;
  /** Called after each answer, whatever its status. `durationMs` includes the body. */
  readonly onResponse?: (
    answer: RequestInfo & {
      readonly status: number;
      readonly requestId: string | undefined;
      readonly durationMs: number;
    },
  ) => void;
  /** Called after each attempt that got no answer. */
  readonly onFailure?: (
    failure: RequestInfo & { readonly error: ConnectionError | TimeoutError; readonly durationMs: number },
  ) => void;
}
