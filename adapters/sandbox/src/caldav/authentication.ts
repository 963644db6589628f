import { type CalDavContext, findMailbox } from './caldav-context.ts';
import type { Mailbox } from './caldav-state.ts';

const CHALLENGE = 'Basic realm="sandbox", charset="UTF-8", Bearer realm="sandbox"';

/** Returns the person of a request: by user and password (RFC 7617), or by a bearer token. */
export function callerOf(context: CalDavContext, request: Request): Mailbox | undefined {
  const [, scheme, credentials = ''] = /^(\w+) +(\S+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
  if (scheme?.toLowerCase() === 'bearer') return ofToken(context, credentials);
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const end = text.indexOf(':');
  const mailbox = end < 0 ? undefined : findMailbox(context, text.slice(0, end));
  return mailbox?.passwords.includes(text.slice(end + 1)) === true ? mailbox : undefined;
}

function ofToken({ state, kernel }: CalDavContext, token: string): Mailbox | undefined {
  const known = Object.hasOwn(state.tokens, token) ? state.tokens[token] : undefined;
  if (known === undefined || known.expiresAt <= kernel.clock.now()) return undefined;
  return state.mailboxes[known.email];
}

export const unauthorized = (): Response =>
  new Response('Sign in with user and password.\n', { status: 401, headers: { 'www-authenticate': CHALLENGE } });

const MINUTE_MS = 60_000;

/** Returns the refusal of a request beyond the set number in a minute, as calendar hosts answer it. */
export function throttled({ state, kernel }: CalDavContext): Response | undefined {
  if (state.requestsPerMinute === null) return undefined;
  const now = kernel.clock.now();
  state.recentRequests = state.recentRequests.filter((at) => at > now - MINUTE_MS);
  if (state.recentRequests.length < state.requestsPerMinute) {
    state.recentRequests.push(now);
    return undefined;
  }
  const oldest = state.recentRequests[0] ?? now;
  const seconds = Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1000));
  return new Response('Too many requests.\n', { status: 429, headers: { 'retry-after': String(seconds) } });
}
