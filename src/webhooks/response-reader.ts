import type { Dispatcher } from '../network/index.ts';

const EXCERPT_BYTES = 1024;

/** The part of a response that has been read. */
export interface SeenResponse {
  /** Null when the receiver has not answered. */
  readonly status: number | null;
  readonly retryAfter: string | readonly string[] | undefined;
  /** First kilobyte of the body. */
  readonly excerpt: string;
  /** Error that ended the response early. */
  readonly error: unknown;
  /** Whether the deadline passed first. */
  readonly isTooLate: boolean;
}

/**
 * Reads status, Retry-After and the first kilobyte of one response, then releases the connection. A response that breaks off
 * counts as far as it was read: a status is an answer even if the body never ends. Reports exactly once.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #report: (response: SeenResponse) => void;
  /** Set once the request has been sent. */
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: SeenResponse['retryAfter'];
  #chunks: Buffer[] | undefined;
  #length = 0;
  #isReported = false;

  constructor(report: (response: SeenResponse) => void) {
    this.#report = report;
  }

  /** Reports at once and aborts the request in any state. */
  giveUp(): void {
    this.#end(undefined, true);
    this.#controller?.abort(GIVEN_UP);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isReported) controller.abort(GIVEN_UP);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Informational (1xx): the response is still to come.
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = headers['retry-after'];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks ??= [];
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < EXCERPT_BYTES) return;
    this.#end(undefined);
    // Closes the connection too, so that the rest of a long body is not read.
    controller.abort(READ_ENOUGH);
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#end(error);
  }

  #end(error: unknown, isTooLate = false): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#report({
      status: this.#status,
      retryAfter: this.#retryAfter,
      excerpt: excerptOf(this.#chunks),
      error,
      isTooLate,
    });
    this.#chunks = undefined;
  }
}

/** Created once: each new error would capture a stack. */
const GIVEN_UP = new Error('The receiver did not answer in time.');
const READ_ENOUGH = new Error('The beginning of the response is enough.');

function excerptOf(chunks: readonly Buffer[] | undefined): string {
  if (chunks === undefined) return '';
  // PostgreSQL rejects NUL in a text.
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
}
