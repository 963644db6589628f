import type { Authorize, HandlerOptions } from '@kalends/http';

/**
 * Answers requests below `sandbox/` of the dashboard, for people who are signed in: the controls of a demo's sandbox. Gets the
 * path after `sandbox` (`/clock`).
 */
export type DemoControls = (request: Request, path: string) => Promise<Response>;

/** Options of createDashboard: exactly one of `authorize` and `token`, and those of createAdminHandler. */
export interface DashboardOptions extends Omit<HandlerOptions, 'rateLimit' | 'failureLimit'> {
  /** Path of the dashboard, below the mount. @default "/dashboard" */
  readonly path?: string;
  /**
   * The host's own sign-in: returns who makes a request, or undefined for a person who is not an administrator. It is asked at
   * each request, and the dashboard then has no sign-in of its own.
   */
  readonly authorize?: Authorize;
  /** Page of the host at which people sign in, linked where `authorize` refuses them. @default none */
  readonly signInUrl?: string;
  /** The admin tokens that sign people in. A session ends when its token is no longer one of them. */
  readonly token?: string | readonly string[];
  /** Absolute URL of the API page, for links. @default no link */
  readonly docsUrl?: string;
  /** Present in a demo: the dashboard then shows a page for its sandbox. @default none */
  readonly demo?: DemoControls;
}
