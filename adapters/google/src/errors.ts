import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { z } from 'zod';

/** Whether a refused call may be repeated: it was not carried out, nobody knows, or the answer will not change. */
export type Repetition = 'not-carried-out' | 'unclear' | 'final';

/** A refusal, and what it means for a repetition. */
export interface Refusal {
  readonly error: ProviderError;
  readonly repetition: Repetition;
}

const errorBody = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional(), location: z.string().optional() })).optional(),
    /** Google's newer form of the same, which some refusals come in alone. */
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});

interface Details {
  readonly reason: string;
  readonly message: string;
  readonly location: string | undefined;
}

const THROTTLED = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED']);
/** Limits of hours or days: waiting a few seconds does not help. */
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
 * Decides what a refusal means by Google's `reason` first and the status second. The body may be anything: HTML of a
 * proxy in front of the API, or nothing.
 */
export function refusalOf(status: number, body: string, retryAfterMs: number | undefined): Refusal {
  const details = readDetails(body);
  const reason = reasonOf(status, details);
  const wait = EXHAUSTED.has(details.reason) ? Math.max(retryAfterMs ?? 0, EXHAUSTED_WAIT_MS) : retryAfterMs;
  const field = FIELD_OF_REASON[details.reason];
  const error = new ProviderError(reason, `Google answered ${status}${describe(details)}`, {
    status,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(field === undefined ? {} : { field }),
  });
  return { error, repetition: repetitionOf(reason, details) };
}

function repetitionOf(reason: ProviderFailureReason, details: Details): Repetition {
  if (reason === 'rate-limited') return EXHAUSTED.has(details.reason) ? 'final' : 'not-carried-out';
  return reason === 'unavailable' ? 'unclear' : 'final';
}

function reasonOf(status: number, details: Details): ProviderFailureReason {
  if (status === 403 && (THROTTLED.has(details.reason) || EXHAUSTED.has(details.reason))) return 'rate-limited';
  const named = BY_REASON[details.reason];
  if (named !== undefined) return named;
  // A callback address that Google does not take is our configuration, not a reason to do without the calendar.
  if (/webhookUrl/i.test(details.reason)) return 'push-unsupported';
  if (status === 400 && isAboutSyncToken(details)) return 'sync-token-expired';
  return BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'invalid');
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

/** Retry-After in milliseconds: seconds or an HTTP date. Undefined for anything else. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** True for an error that says the object is not there (any more). */
export function isGone(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.reason === 'not-found';
}

/** A request that Google Calendar has no way to represent. */
export function unsupported(field: string, rule: string): ProviderError {
  return new ProviderError('unsupported', rule, { field });
}
