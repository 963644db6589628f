import { DecoratorHandler, type Dispatcher } from './undici.ts';

/** Bytes of one response that may wait to be read. Readers keep up; a response beyond it is not read at all. */
const UNREAD_LIMIT = 16 * 1_048_576;

type Controller = Dispatcher.DispatchController;

/**
 * Interceptor that never asks a connection to wait. undici 7 throws out of the process when a peer ends a connection that waits
 * (https://github.com/nodejs/undici/issues/5360, mended in versions that need Node.js 22). A response is cut when too much of it
 * is unread.
 */
export const unpausedResponses: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new UnpausedHandler(handler));

interface ResponseHandler {
  onResponseStart(...response: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void;
  onResponseData(controller: Controller, chunk: Buffer): void;
}

/** Its published type lacks the methods that it passes on. */
const Decorator = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => ResponseHandler;

class UnpausedHandler extends Decorator {
  /** Null while the reader keeps up. */
  #unread: number | null = null;

  override onResponseStart(...[controller, ...response]: Parameters<ResponseHandler['onResponseStart']>): void {
    super.onResponseStart(this.#unpaused(controller), ...response);
  }

  override onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#unread !== null) this.#unread += chunk.length;
    if (this.#unread !== null && this.#unread > UNREAD_LIMIT) {
      controller.abort(new Error(`More than ${UNREAD_LIMIT} bytes of the response wait to be read.`));
      return;
    }
    super.onResponseData(this.#unpaused(controller), chunk);
  }

  /** The controller for the reader: a pause begins the count, and a resumption ends it. */
  #unpaused(controller: Controller): Controller {
    return {
      get aborted() {
        return controller.aborted;
      },
      get paused() {
        return false;
      },
      get reason() {
        return controller.reason;
      },
      abort: (reason) => controller.abort(reason),
      pause: () => {
        this.#unread ??= 0;
      },
      resume: () => {
        this.#unread = null;
      },
    };
  }
}
