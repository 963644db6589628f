import type { Dispatcher } from 'undici';

const EXCERPT_BYTES = 1024;

/** What has been seen of the answer to a POST. */
export interface SeenResponse {
  /** Null when none has come. */
  readonly status: number | null;
  readonly retryAfter: string | readonly string[] | undefined;
  /** The first kilobyte of the body. */
  readonly excerpt: string;
  /** What ended it before its end. */
  readonly error: unknown;
  /** Whether it was given up. */
  readonly isTooLate: boolean;
}

/**
 * Reads the answer of one request as far as it is of use, then lets the connection go. What has been seen when it breaks off
 * counts: a status is an answer even if its body never ends. Tells what it has seen once.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #tell: (response: SeenResponse) => void;
  /** Of the request, once it is on its way. */
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | null = null;
  #retryAfter: SeenResponse['retryAfter'];
  #chunks: Buffer[] | undefined;
  #length = 0;
  #isTold = false;

  constructor(tell: (response: SeenResponse) => void) {
    this.#tell = tell;
  }

  /** Tells at once, and ends the request wherever it is. */
  giveUp(): void {
    this.#end(undefined, true);
    this.#controller?.abort(GIVEN_UP);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isTold) controller.abort(GIVEN_UP);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Informational: the answer itself is still to come.
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
    // Ends the connection too; nothing more of a long answer is read.
    controller.abort(READ_ENOUGH);
  }

  onResponseEnd(): void {
    this.#end(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#end(error);
  }

  #end(error: unknown, isTooLate = false): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#tell({
      status: this.#status,
      retryAfter: this.#retryAfter,
      excerpt: excerptOf(this.#chunks),
      error,
      isTooLate,
    });
    this.#chunks = undefined;
  }
}

/** Made once: an error of its own for each would cost its stack. */
const GIVEN_UP = new Error('The receiver did not answer in time.');
const READ_ENOUGH = new Error('The beginning of the answer is enough.');

function excerptOf(chunks: readonly Buffer[] | undefined): string {
  if (chunks === undefined) return '';
  // PostgreSQL takes no NUL in a text.
  return Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
}
