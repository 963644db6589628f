import type { Answer } from '@kalends/provider-transport';
import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import { CALDAV, DAV, type Name, splitName } from './names.ts';

const BY_STATUS: Readonly<Record<number, ProviderFailureReason>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'unavailable',
  409: 'conflict',
  410: 'not-found',
  412: 'precondition-failed',
  423: 'conflict',
  429: 'rate-limited',
  507: 'forbidden',
};

/** Preconditions of RFC 4791 §5.3 about the object that was sent. */
const INVALID: ReadonlySet<string> = new Set([
  'valid-calendar-data',
  'valid-calendar-object-resource',
  'supported-calendar-data',
  'supported-calendar-component',
  'max-resource-size',
  'min-date-time',
  'max-date-time',
  'max-instances',
  'max-attendees-per-instance',
]);

const CONFLICTS: ReadonlySet<string> = new Set(['no-uid-conflict', 'unique-scheduling-object-resource']);

/** An error body is read for its precondition alone: a tolerant look, since proxies answer with HTML. */
const ERROR_BODY = /<(?:[\w.-]+:)?error[\s>]/;
const ELEMENT = /<(?:([\w.-]+):)?([\w-]+)/g;
/** SabreDAV's own elements come before its preconditions, and say nothing that servers have in common. */
const SABRE_PREFIX = /xmlns:([\w.-]+)=["']http:\/\/sabredav\.org\/ns["']/;
/** SabreDAV, and Nextcloud for an object that is in its bin, name no precondition. */
const TAKEN_UID = /object with uid already exists/i;
const LONGEST_LOOK = 4_000;

/** Reads an answer that is no success, by the precondition that it names first and the status second. */
export function readFailure({ status, text }: Answer, retryAfterMs: number | undefined): ProviderError {
  const precondition = preconditionOf(text);
  const detail = precondition === undefined ? '' : ` (${precondition})`;
  return new ProviderError(reasonOf(status, precondition), `the server answered ${status}${detail}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Creates the error of a status inside a multistatus. */
export function innerFailure(status: number, errors: readonly Name[] = []): ProviderError {
  const standard = errors.map(splitName).filter(({ uri }) => uri === DAV || uri === CALDAV);
  const precondition = tellingOf(standard.map(({ local }) => local));
  const detail = precondition === undefined ? '' : ` (${precondition})`;
  return new ProviderError(reasonOf(status, precondition), `the server answered ${status} inside 207${detail}`, {
    status,
  });
}

function reasonOf(status: number, precondition: string | undefined): ProviderFailureReason {
  if (precondition === 'valid-sync-token') return 'sync-token-expired';
  if (precondition !== undefined && CONFLICTS.has(precondition)) return 'conflict';
  if (precondition !== undefined && INVALID.has(precondition)) return 'invalid';
  // Servers that refuse `calendar-multiget` and the like say so with 501; it is no outage.
  if (status === 501) return 'invalid';
  if (status >= 500 && status !== 507) return 'unavailable';
  return BY_STATUS[status] ?? (status >= 400 ? 'invalid' : 'malformed');
}

function preconditionOf(text: string): string | undefined {
  const head = text.slice(0, LONGEST_LOOK);
  const start = head.search(ERROR_BODY);
  if (start < 0) return undefined;
  const body = head.slice(start);
  const [, sabre] = SABRE_PREFIX.exec(head) ?? [];
  const [, ...elements] = body.matchAll(ELEMENT);
  const names = elements.flatMap(([, prefix, name = '']) => (prefix !== undefined && prefix === sabre ? [] : [name]));
  return tellingOf(names) ?? (TAKEN_UID.test(body) ? 'no-uid-conflict' : undefined);
}

/** Returns the first precondition whose meaning is known, else the first one. */
function tellingOf(names: readonly string[]): string | undefined {
  const isKnown = (name: string) => name === 'valid-sync-token' || CONFLICTS.has(name) || INVALID.has(name);
  return names.find(isKnown) ?? names.find((name) => name !== 'responsedescription');
}

/** Returns whether an error says that the resource does not exist. */
export function isGone(error: unknown): boolean {
  return ProviderError.isInstance(error) && error.reason === 'not-found';
}

/**
 * Returns whether an error refuses this one request, as for a report that the server lacks, a token that it has forgotten or an object
 * that it cannot read: any refusal but those about the account, and those that pass.
 */
export function isAboutRequest(error: unknown): error is ProviderError {
  if (!ProviderError.isInstance(error)) return false;
  if (error.reason === 'malformed') return true;
  if (error.status === undefined) return error.reason === 'sync-token-expired';
  return ![401, 404, 408, 429, 502, 503, 504].includes(error.status);
}

/** Creates the error of a request that CalDAV, or this server, cannot represent. */
export function unsupported(field: string, rule: string): ProviderError {
  return new ProviderError('unsupported', rule, { field });
}
