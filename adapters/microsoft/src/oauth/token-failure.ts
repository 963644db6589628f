import { type Answer, readRetryAfter } from '@kalends/provider-transport';
import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { z } from 'zod';

const errorBody = z.object({
  error: z.string(),
  error_codes: z.array(z.number()).nullish(),
  suberror: z.string().nullish(),
});

/** Error answer of the token endpoint, reduced to its codes; descriptions name people and are dropped. */
interface TokenFailure {
  readonly status: number;
  readonly error: string;
  /** AADSTS numbers. */
  readonly codes: readonly number[];
  readonly retryAfterMs: number | undefined;
}

/**
 * The application, its secret or its registration is at fault: the client secret is wrong or expired (7000215, 7000222),
 * the application or a resource is unknown (700016, 500011, 90002), its key is wrong (700027), it may not use the grant
 * (7000218), or its redirect URI is not registered (50011).
 */
const OPERATOR_CODES = new Set([7000215, 7000222, 7000218, 700016, 700027, 500011, 90002, 50011, 900023, 7000112]);

/** How the operator mends a refused client, by the AADSTS number. */
const REMEDIES: Readonly<Record<number, string>> = {
  700016:
    'The client id is unknown in this tenant: copy the Application (client) ID of the app registration, and check the setting `tenant`',
  7000215:
    'The client secret is wrong: copy the Value of the secret (not its Secret ID), which is shown at its creation only',
  7000222: 'The client secret has expired: create a new one under Certificates & secrets of the app registration',
  7000218: 'The app registration is a public client: add a Web platform and a client secret',
  7000112: 'The app registration is disabled: enable it in Microsoft Entra',
  90002: 'The tenant does not exist: correct the setting `tenant`',
  900023:
    'The setting `tenant` is no tenant: it must be `common`, `organizations`, `consumers`, or a tenant id or domain',
  50011: "Add the service's redirect URI to the Web platform of the app registration",
};

/** Directory failures that Microsoft tells applications to retry. */
const TRANSIENT_CODES = new Set([90033, 90006, 90024, 90055, 50196]);

/**
 * A refresh asks for more than was granted: no consent (65001, work accounts), an invalid value (70000, personal accounts), an
 * invalid scope (70011). Dead grants get the first two as well, and 70000 has succeeded on a second attempt.
 */
const ASKED_TOO_MUCH_CODES = new Set([65001, 70000, 70011]);

const OPERATOR_ERRORS = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_resource',
  'invalid_request',
]);

/** Reads an answer of the token endpoint that is not a success. */
export function readTokenFailure({ status, text, headers }: Answer, nowMs: number): TokenFailure {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), nowMs);
  const parsed = errorBody.safeParse(parseJson(text));
  if (!parsed.success) return { status, error: '', codes: [], retryAfterMs };
  return { status, error: parsed.data.error, codes: parsed.data.error_codes ?? [], retryAfterMs };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns true when an apparently dead grant deserves another attempt with fewer scopes. */
export function mayAskTooMuch({ codes }: TokenFailure): boolean {
  return codes.length > 0 && codes.every((code) => ASKED_TOO_MUCH_CODES.has(code));
}

/** Maps an error answer: the grant is dead, the operator has to act, or the failure is transient. */
export function tokenError(failure: TokenFailure): ProviderError {
  const codes = failure.codes.map((code) => `AADSTS${code}`).join(', ');
  const words = [failure.error, codes].filter((word) => word !== '').join(' ');
  const answer = `the token endpoint answered ${failure.status} ${words}`.trim();
  const remedy = failure.codes.map((code) => REMEDIES[code]).find((known) => known !== undefined);
  return new ProviderError(reasonOf(failure), remedy === undefined ? answer : `${remedy}. (${answer})`, {
    status: failure.status,
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
  });
}

function reasonOf(failure: TokenFailure): ProviderFailureReason {
  const { status, error, codes } = failure;
  if (status === 429) return 'rate-limited';
  // Operator codes come first: they occur under invalid_grant too, and must not expire accounts.
  if (codes.some((code) => OPERATOR_CODES.has(code))) return 'operator';
  // The address does not exist: the configured tenant or root is wrong.
  if (status === 404) return 'operator';
  if (error === 'temporarily_unavailable' || error === 'server_error' || status >= 500) return 'unavailable';
  if (codes.some((code) => TRANSIENT_CODES.has(code))) return 'unavailable';
  if (error === 'invalid_grant' || error === 'interaction_required' || error === 'consent_required') {
    return 'invalid-grant';
  }
  if (error === 'login_required' || error === 'access_denied') return 'invalid-grant';
  if (OPERATOR_ERRORS.has(error)) return 'operator';
  return error === '' ? 'unavailable' : 'malformed';
}
