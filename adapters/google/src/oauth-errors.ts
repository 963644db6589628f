import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { z } from 'zod';
import { readRetryAfter } from './errors.ts';

const body = z.object({
  error: z.string().optional(),
  error_description: z.string().optional(),
  error_subtype: z.string().optional(),
});

/** What an OAuth endpoint said when it refused; empty where it said nothing readable. */
export interface OAuthError {
  readonly code: string;
  readonly description: string;
  readonly retryAfterMs: number | undefined;
}

const BY_CODE: Readonly<Record<string, ProviderFailureReason>> = {
  invalid_grant: 'invalid-grant',
  // RFC 7009 has no error for a dead token; Google has.
  invalid_token: 'invalid-grant',
  temporarily_unavailable: 'unavailable',
  server_error: 'unavailable',
  internal_failure: 'unavailable',
  rate_limit_exceeded: 'rate-limited',
  slow_down: 'rate-limited',
};

/** Reads a refusal. The body may be HTML or empty. */
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
 * What a refusal of the token or revocation endpoint means. Only `invalid_grant` kills a grant: an unknown 4xx is the
 * operator's to look at, since a wrong client secret must not expire every account.
 */
export function oauthRefusal(status: number, error: OAuthError): ProviderError {
  const byStatus = status >= 500 ? 'unavailable' : status === 429 ? 'rate-limited' : 'operator';
  const reason = BY_CODE[error.code] ?? byStatus;
  const detail = [error.code, error.description].filter((part) => part !== '').join(': ');
  const message = `Google's OAuth server answered ${status}${detail === '' ? '' : ` ${detail.slice(0, 300)}`}`;
  const { retryAfterMs } = error;
  return new ProviderError(reason, message, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // The client is known, the token is another one's (RFC 6749 §5.2).
    ...(error.code === 'unauthorized_client' ? { field: 'refreshToken' } : {}),
  });
}
