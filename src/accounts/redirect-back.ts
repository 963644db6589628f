import { KalendsError, ProviderError } from '../ports/index.ts';
import { MissingRefreshToken } from './account-connection.ts';

/** In code points: half of a surrogate pair could not be encoded. */
const LONGEST_DESCRIPTION = 500;

/** Why an authorization failed, as the application learns it: an OAuth-like code and a sentence. */
export interface AuthorizationFailure {
  readonly error: string;
  readonly description: string;
}

/** Returns the redirect URL with parameters added; what it had stays as it is, character by character. */
export function redirectBack(
  redirectUrl: string,
  parameters: Readonly<Record<string, string | null | undefined>>,
): string {
  const added = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  if (added === '') return redirectUrl;
  const joint = redirectUrl.includes('?') ? (/[?&]$/.test(redirectUrl) ? '' : '&') : '?';
  return `${redirectUrl}${joint}${added}`;
}

/** The redirect that tells the application of a failure. */
export function failureRedirect(redirectUrl: string, failure: AuthorizationFailure, state: string | null): string {
  return redirectBack(redirectUrl, {
    error: failure.error,
    error_description: [...failure.description].slice(0, LONGEST_DESCRIPTION).join(''),
    state,
  });
}

/** Returns the failure in the provider's redirect; its codes (`access_denied`, `login_required`, …) pass unchanged. */
export function providerRefusal(error: string, description: string | undefined): AuthorizationFailure {
  return {
    error: /^[a-z_]{1,64}$/.test(error) ? error : 'server_error',
    description: description ?? 'The provider refused the authorization.',
  };
}

/** The failure for an error of the callback's own work, or undefined for a bug. */
export function failureOf(error: unknown): AuthorizationFailure | undefined {
  if (error instanceof MissingRefreshToken) return { error: 'consent_required', description: error.message };
  if (KalendsError.isInstance(error)) {
    // A keyring or the database is away. A provider that is no longer configured does not come back by itself.
    const isOutage = error.status === 503 && error.code === 'InternalError';
    if (isOutage) return { error: 'temporarily_unavailable', description: error.message };
    return { error: error.code === 'Conflict' ? 'account_conflict' : 'server_error', description: error.message };
  }
  if (!ProviderError.isInstance(error)) return undefined;
  switch (error.reason) {
    case 'invalid-grant':
      return {
        error: 'invalid_grant',
        description:
          'The provider did not accept its own authorization code, or a policy of the organization forbids the application.',
      };
    case 'unavailable':
    case 'timeout':
    case 'rate-limited':
      return { error: 'temporarily_unavailable', description: 'The provider is not available. Try again.' };
    case 'operator':
      return { error: 'server_error', description: 'The provider refuses the OAuth client of this application.' };
    default:
      return { error: 'server_error', description: 'The provider gave an answer that cannot be used.' };
  }
}
