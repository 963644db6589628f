import type { RequestLog } from './control/request-log.ts';
import type { FaultBook } from './kernel/fault-book.ts';
import type { CalDavSandbox, ProviderName, ProviderSandbox, SandboxClock } from './kernel/kernel.ts';
import type { NotificationQueue } from './kernel/notification-queue.ts';
import type { Listening } from './listen.ts';

/** All providers in one server, with a control API. */
export interface Sandbox {
  /** Answers any request; over HTTP use `listen`. @throws ConnectionReset when a fault breaks the connection */
  fetch(request: Request): Promise<Response>;
  /** Serves over HTTP, by default on a free port of 127.0.0.1. */
  listen(options?: { readonly port?: number; readonly hostname?: string }): Promise<Listening>;
  readonly google: ProviderSandbox;
  readonly microsoft: ProviderSandbox;
  readonly caldav: CalDavSandbox;
  readonly clock: SandboxClock;
  readonly faults: FaultBook;
  readonly notifications: NotificationQueue;
  readonly requests: RequestLog;
  /** A valid bearer token of a mailbox, for acting as that person. @throws ControlError for an unknown mailbox */
  accessToken(input: { readonly provider: ProviderName; readonly email: string }): Promise<string>;
  /** Deletes all state: mailboxes, clients, tokens, faults, recorded requests; the clock runs normally again. */
  reset(): void;
  /** Saves unsaved changes, as each answer and each direct change does by itself. */
  save(): void;
  /** Stops every listener, gives up queued notifications and saves. */
  close(): Promise<void>;
}
