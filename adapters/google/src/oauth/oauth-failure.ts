import { readRetryAfter } from '@kalends/provider-transport';
import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { z } from 'zod';

const body = z.object({
  error: z.string().optional(),
  error_description: z.string().optional(),
  error_subtype: z.string().optional(),
});

/** Error answer of an OAuth endpoint; its texts are empty where the answer had none. */
export interface OAuthError {
  readonly code: string;
  readonly description: string;
  readonly retryAfterMs: number | undefined;
}

const BY_CODE: Readonly<Record<string, ProviderFailureReason>> = {
  invalid_grant: 'invalid-grant',
  // RFC 7009 has no error for a dead token; Google has.
  invalid_token: 'invalid-grant',
  // The administrator restricts the app, or the person is enrolled in Advanced Protection: no retry succeeds before that changes.
  admin_policy_enforced: 'invalid-grant',
  policy_enforced: 'invalid-grant',
  temporarily_unavailable: 'unavailable',
  server_error: 'unavailable',
  internal_failure: 'unavailable',
  rate_limit_exceeded: 'rate-limited',
  slow_down: 'rate-limited',
};

/** How the operator mends a refused client, by the error's code. */
const REMEDIES: Readonly<Record<string, (description: string) => string>> = {
  invalid_client: (description) =>
    /not found|deleted/i.test(description)
      ? 'The client id is unknown: copy it from the Credentials page of the Google Cloud console'
      : 'The client secret is wrong: copy it from the Credentials page of the Google Cloud console, or create a new one there',
  deleted_client: () => 'The client has been deleted: restore it in the Google Cloud console, or set another one',
  redirect_uri_mismatch: () => "Add the service's redirect URI to the client in the Google Cloud console",
};

/** Reads an error answer. The body may be HTML or empty. */
export async function readOAuthError(response: Response): Promise<OAuthError> {
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const parsed = body.safeParse(json).data;
  const subtype = parsed?.error_subtype === undefined ? '' : ` (${parsed.error_subtype})`;
  return {
    code: parsed?.error ?? '',
    description: `${parsed?.error_description ?? ''}${subtype}`,
    // An HTTP date would need a clock; Google sends seconds.
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), Number.POSITIVE_INFINITY),
  };
}

/**
 * Maps an error answer of the token or revocation endpoint. Only the codes of dead tokens and of policies end a grant: an
 * unknown 4xx is an `operator` error, since a wrong client secret must not expire every account.
 * @see https://developers.google.com/identity/protocols/oauth2#expiration
 */
export function oauthFailure(status: number, error: OAuthError): ProviderError {
  const byStatus = status >= 500 ? 'unavailable' : status === 429 ? 'rate-limited' : 'operator';
  const reason = BY_CODE[error.code] ?? byStatus;
  const detail = [error.code, error.description].filter((part) => part !== '').join(': ');
  const answer = `Google's OAuth server answered ${status}${detail === '' ? '' : ` ${detail.slice(0, 300)}`}`;
  const remedy = reason === 'operator' ? REMEDIES[error.code]?.(error.description) : undefined;
  const message = remedy === undefined ? answer : `${remedy}. (${answer})`;
  const { retryAfterMs } = error;
  return new ProviderError(reason, message, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // The client is known, but the token was issued to another one (RFC 6749 §5.2).
    ...(error.code === 'unauthorized_client' ? { field: 'refreshToken' } : {}),
  });
}
