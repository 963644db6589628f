import type { KalendsError } from './errors.ts';

/** Answer to a browser request of the authorization flow. */
export interface AuthorizationRedirect {
  readonly location: string;
  /** Set-Cookie header values. */
  readonly cookies: readonly string[];
  /** True when the request itself was at fault: neither the engine nor the provider failed. */
  readonly isRefused: boolean;
}

/** Contents of our own page, on which a person signs in at a provider without OAuth. */
export interface SignInForm {
  /** Kind of the credentials that it asks for. */
  readonly kind: 'password' | 'bearer' | 'url';
  readonly providerType: string;
  /** Name of the application that the mailbox is connected to. */
  readonly applicationName: string;
  /** Where a submitted form may lead the browser. */
  readonly redirectUrl: string;
  /** Host of a provider that has one server; null when the person names it. */
  readonly serverHost: string | null;
  /** To be sent back with the form. */
  readonly state: string;
  /** As typed before; empty at first. Secrets are never given back. */
  readonly serverUrl: string;
  readonly username: string;
  /** Why the form is shown again; null at first. */
  readonly problem: KalendsError | null;
}

export interface AuthorizationService {
  /**
   * Starts an authorization and returns where to send the browser. `providerPath` is the last path segment (the provider's
   * key in lower case). `cookieHeader` is the request's Cookie header: a browser keeps at most eight flows open, and the
   * oldest ones beyond that end.
   * @throws KalendsError InvalidRedirectUrl (show a page, never redirect), NotFound for an unknown application or
   * provider, InvalidRequest for a state of more than 1,024 characters
   */
  begin(
    applicationId: string,
    providerPath: string,
    query: Readonly<Record<string, string>>,
    cookieHeader: string | null,
  ): Promise<AuthorizationRedirect>;
  /**
   * Handles the provider's redirect back. Failures of a known flow redirect to the application with `error`,
   * `error_description` and `state`. @throws KalendsError InvalidRequest for an unknown, used or expired state, or a foreign browser
   */
  callback(
    providerPath: string,
    query: Readonly<Record<string, string>>,
    cookieHeader: string | null,
  ): Promise<AuthorizationRedirect>;
  /** Returns the page of a provider without OAuth. `query` has `state`, and `loginHint`. @throws KalendsError as `callback` does */
  showSignIn(
    providerPath: string,
    query: Readonly<Record<string, string>>,
    cookieHeader: string | null,
  ): Promise<SignInForm>;
  /**
   * Takes the submitted page: proves the credentials by a real request, connects the account and returns where to send the browser, or
   * returns the page again with the problem. `form` has `state`, and `serverUrl`, `username` and `password`, or `cancel`. `address` is
   * the person's network address, against which failures count. @throws KalendsError as `callback` does
   */
  signIn(
    providerPath: string,
    form: Readonly<Record<string, string>>,
    cookieHeader: string | null,
    address?: string | undefined,
  ): Promise<AuthorizationRedirect | SignInForm>;
}
