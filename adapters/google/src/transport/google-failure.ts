import type { Answer } from '@kalends/provider-transport';
import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { z } from 'zod';

const errorBody = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional(), location: z.string().optional() })).optional(),
    /** Google's newer form; some refusals have it alone. */
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});

interface Details {
  readonly reason: string;
  readonly message: string;
  readonly location: string | undefined;
}

const THROTTLED = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED']);
/** Limits of hours or days: the wait is longer than any call's, so that it is reported and not waited for. */
const EXHAUSTED = new Set(['quotaExceeded', 'dailyLimitExceeded', 'dailyLimitExceededUnreg', 'limitExceeded']);
const EXHAUSTED_WAIT_MS = 60_000;

const BY_REASON: Readonly<Record<string, ProviderFailureReason>> = {
  forbiddenForNonOrganizer: 'not-organizer',
  accessNotConfigured: 'operator',
  SERVICE_DISABLED: 'operator',
  pushNotSupportedForRequestedResource: 'push-unsupported',
  fullSyncRequired: 'sync-token-expired',
  updatedMinTooLongAgo: 'sync-token-expired',
  eventTypeRestriction: 'unsupported',
  malformedOutOfOfficeEvent: 'unsupported',
  malformedFocusTimeEvent: 'unsupported',
};

const BY_STATUS: Readonly<Record<number, ProviderFailureReason>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'unavailable',
  409: 'conflict',
  410: 'not-found',
  412: 'precondition-failed',
  429: 'rate-limited',
};

const FIELD_OF_REASON: Readonly<Record<string, string>> = {
  eventTypeRestriction: 'eventType',
  malformedOutOfOfficeEvent: 'eventType',
  malformedFocusTimeEvent: 'eventType',
  timeRangeEmpty: 'end',
  cannotUseDefaultRemindersAndSpecifyOverride: 'reminders',
};

/**
 * Reads an answer that is no success, by Google's `reason` first and the status second. The body may be the HTML of a
 * proxy in front of the API, or empty.
 */
export function readFailure({ status, text }: Answer, retryAfterMs: number | undefined): ProviderError {
  const details = readDetails(text);
  const wait = EXHAUSTED.has(details.reason) ? Math.max(retryAfterMs ?? 0, EXHAUSTED_WAIT_MS) : retryAfterMs;
  const field = FIELD_OF_REASON[details.reason];
  return new ProviderError(reasonOf(status, details), `Google answered ${status}${describe(details)}`, {
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(field === undefined ? {} : { field }),
  });
}

function reasonOf(status: number, details: Details): ProviderFailureReason {
  if (status === 403 && (THROTTLED.has(details.reason) || EXHAUSTED.has(details.reason))) return 'rate-limited';
  const named = BY_REASON[details.reason];
  if (named !== undefined) return named;
  // Google refuses our callback address: the calendar is polled instead.
  if (/webhookUrl/i.test(details.reason)) return 'push-unsupported';
  if (status === 400 && isAboutSyncToken(details)) return 'sync-token-expired';
  if (status >= 500) return 'unavailable';
  // The API never redirects, and a redirect is never followed: the token would go elsewhere.
  return BY_STATUS[status] ?? (status >= 400 ? 'invalid' : 'malformed');
}

function isAboutSyncToken(details: Details): boolean {
  return details.location === 'syncToken' || /invalid sync token/i.test(details.message);
}

function readDetails(body: string): Details {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { reason: '', message: '', location: undefined };
  }
  const parsed = errorBody.safeParse(json);
  const first = parsed.data?.error.errors?.[0];
  const detail = parsed.data?.error.details?.find(({ reason }) => reason !== undefined);
  return {
    reason: first?.reason ?? detail?.reason ?? '',
    message: parsed.data?.error.message ?? '',
    location: first?.location,
  };
}

function describe(details: Details): string {
  const reason = details.reason === '' ? '' : ` ${details.reason}`;
  return details.message === '' ? reason : `${reason}: ${details.message.slice(0, 300)}`;
}

/** Returns true for an error that says the object does not exist, or no longer does. */
export function isGone(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.reason === 'not-found';
}

/**
 * Reads a page of a list under the token that the page before it gave, undefined for the first one. Google lets such tokens end: a refusal
 * is about the token then, and no fault of the caller's. The list is to be read again from its first page, not this page under the same token.
 * @throws ProviderError unavailable for a token that has ended
 */
export async function readPage<Page>(pageToken: string | undefined, read: () => Promise<Page>): Promise<Page> {
  try {
    return await read();
  } catch (error) {
    if (pageToken === undefined || !ProviderError.isInstance(error) || error.reason !== 'invalid') throw error;
    const status = error.status === undefined ? {} : { status: error.status };
    throw new ProviderError('unavailable', 'Google has ended a list before its last page', { ...status, cause: error });
  }
}

/** Returns true for answers about a new calendar that the account's list does not have yet. */
export function isNotListedYet(error: unknown): boolean {
  if (isGone(error)) return true;
  return ProviderError.isInstance(error) && error.status === 403 && error.message.includes('requiredAccessLevel');
}

/** Returns true for the refusal of an event whose sequence is below that of the copy that Google has. */
export function isSequenceBelow(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.status === 400 && /invalid sequence value/i.test(error.message);
}

/** Creates the error of a request that Google Calendar cannot represent. */
export function unsupported(field: string, rule: string): ProviderError {
  return new ProviderError('unsupported', rule, { field });
}
