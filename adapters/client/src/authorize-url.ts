import type { AuthorizeQuery } from './model/queries.ts';
import { withoutTrailingSlash } from './without-trailing-slash.ts';

export interface AuthorizeUrlOptions extends AuthorizeQuery {
  /** Address of the service with its API path segment: `https://calendar.example.com/api`. */
  readonly baseUrl: string;
  /** Id of the application, `app_…`. */
  readonly applicationId: string;
  /** `providerType` of the accounts: `PROVIDER_A`. */
  readonly providerType: string;
}

/**
 * Returns the URL that a person's browser opens to connect a mailbox.
 * `loginHint` names the mailbox that must be used, `redirectUrl` must be registered for the application, and `state`
 * comes back unchanged.
 *
 * @example
 * ```ts
 * authorizeUrl({ baseUrl, applicationId, providerType: 'PROVIDER_A', externalId: 'user-7', state: 'c2V0dGluZ3M=' });
 * ```
 */
export function authorizeUrl({ baseUrl, applicationId, providerType, ...query }: AuthorizeUrlOptions): string {
  const path = `/v1/oauth/authorize/${encodeURIComponent(applicationId)}/${encodeURIComponent(providerType.toLowerCase())}`;
  const url = new URL(`${withoutTrailingSlash(baseUrl)}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
