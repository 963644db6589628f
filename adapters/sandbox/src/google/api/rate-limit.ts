import type { GoogleContext } from '../google-context.ts';
import { GoogleError } from './google-error.ts';

const MINUTE_MS = 60_000;
const windows = new WeakMap<GoogleContext, Map<string, { start: number; count: number }>>();

/** Counts a request of a mailbox against the limit per minute, if one is set. @throws GoogleError 403 `rateLimitExceeded` */
export function checkRate(context: GoogleContext, email: string): void {
  const limit = context.state.requestsPerMinute;
  if (limit === null) return;
  const now = context.kernel.clock.now();
  const perMailbox = windows.get(context) ?? new Map<string, { start: number; count: number }>();
  windows.set(context, perMailbox);
  const current = perMailbox.get(email);
  const window = current === undefined || now - current.start >= MINUTE_MS ? { start: now, count: 0 } : current;
  window.count += 1;
  perMailbox.set(email, window);
  if (window.count > limit) {
    throw new GoogleError(403, 'rateLimitExceeded', 'Rate Limit Exceeded', { domain: 'usageLimits' });
  }
}
