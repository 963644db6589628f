import type { Answer } from '@kalends/provider-transport';
import { ProviderError, type ProviderErrorOptions, type ProviderFailureReason } from 'kalends/ports';
import { z } from 'zod';

/** Error answer of Graph with the code of its body; empty where the body had none. */
export class GraphFailure extends ProviderError {
  readonly code: string;
  /** Message of Graph. It may name people: for decisions, never for logs. */
  readonly detail: string;

  constructor(
    reason: ProviderFailureReason,
    code: string,
    detail: string,
    { rule, ...options }: ProviderErrorOptions & { readonly rule?: string },
  ) {
    super(reason, rule ?? `Graph answered ${options.status}${code === '' ? '' : ` ${code}`}`, options);
    this.name = 'GraphFailure';
    this.code = code;
    this.detail = detail;
  }
}

const errorBody = z.object({
  error: z.object({ code: z.string().nullish(), message: z.string().nullish() }),
});

/** Codes by which Graph and Exchange say that a delta token has expired. */
const DEAD_TOKEN =
  /^(syncState(NotFound|Invalid)|resyncRequired|resync.*|ErrorInvalidSyncStateData|fullSyncRequired)$/i;

/** Graph cannot reach the mailbox itself: not a missing item, though the status is 404. */
const NO_MAILBOX =
  /^(MailboxNotEnabledForRESTAPI|MailboxNotSupportedForRESTAPI|ErrorInvalidUser|ErrorNonExistentMailbox)$/i;

const NO_MAILBOX_RULE = 'the account has no mailbox that Graph can reach: it is unlicensed, inactive or on-premises';

/** Without a licence the mailbox is missing; a missing subscription has the same code with other words. */
const isWithoutMailbox = (code: string, message: string): boolean =>
  NO_MAILBOX.test(code) || (code === 'ResourceNotFound' && /discovered/i.test(message));

/** Exchange refuses writes to a new item for a while, without an If-Match too (mguessan/davmail#491). */
const isSettling = (status: number, code: string): boolean => status === 409 && code === 'ErrorIrresolvableConflict';
const SETTLING_MS = 2_000;

/** Codes for what Exchange cannot represent, with the public field at fault and the rule. */
const UNREPRESENTABLE: Readonly<Record<string, { readonly field: string; readonly rule: string }>> = {
  ErrorOccurrenceCrossingBoundary: {
    field: 'start',
    rule: 'Graph lets no occurrence be moved to or past the day of its neighbour',
  },
};

/** Reads an answer that is no success. Its text may be HTML from a gateway. */
export function readFailure({ status, text }: Answer, retryAfterMs: number | undefined): GraphFailure {
  const { code, message } = readBody(text);
  const hasNoMailbox = isWithoutMailbox(code, message);
  const { field, rule = hasNoMailbox ? NO_MAILBOX_RULE : undefined } = UNREPRESENTABLE[code] ?? {};
  const waitMs = isSettling(status, code) ? SETTLING_MS : retryAfterMs;
  const options = {
    status,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(field === undefined ? {} : { field }),
  };
  return new GraphFailure(hasNoMailbox ? 'forbidden' : reasonOf(status, code), code, message, {
    ...options,
    ...(rule === undefined ? {} : { rule }),
  });
}

function readBody(text: string): { readonly code: string; readonly message: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { code: '', message: '' };
  }
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return { code: '', message: '' };
  return { code: parsed.data.error.code ?? '', message: (parsed.data.error.message ?? '').slice(0, 500) };
}

function reasonOf(status: number, code: string): ProviderFailureReason {
  if (status < 500 && DEAD_TOKEN.test(code)) return 'sync-token-expired';
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      // Of a gateway, and not Exchange's answer: trusting it would delete events that exist.
      if (code === '' || code === 'UnknownError') return 'unavailable';
      return 'not-found';
    case 408:
    case 504:
      return 'timeout';
    case 409:
      return isSettling(status, code) ? 'unavailable' : 'conflict';
    case 410:
      return 'sync-token-expired';
    case 412:
      return 'precondition-failed';
    case 429:
      return 'rate-limited';
    default:
      if (status >= 500) return 'unavailable';
      // No object can have an id that Exchange cannot parse.
      if (code === 'ErrorInvalidIdMalformed' || code === 'ErrorInvalidId') return 'not-found';
      if (UNREPRESENTABLE[code] !== undefined) return 'unsupported';
      return status >= 400 ? 'invalid' : 'malformed';
  }
}
