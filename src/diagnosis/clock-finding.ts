import type { Finding } from '../ports/index.ts';

/** Leases and due work tolerate less than this without a trace. */
const WARN_MS = 30_000;
/** Receivers refuse webhooks, and providers id tokens, that are further off. */
const FAIL_MS = 5 * 60_000;

/** Describes how far a clock is ahead of this process's, in milliseconds. */
export function clockFinding(check: string, owner: string, skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  if (Math.abs(skewMs) < WARN_MS) {
    const message = `The clocks of this process and of ${owner} agree to ${seconds + 1} s.`;
    return { check, status: 'ok', message, remedy: null };
  }
  return {
    check,
    status: Math.abs(skewMs) < FAIL_MS ? 'warning' : 'failed',
    message: `The clock of this process is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} that of ${owner}.`,
    remedy: 'Synchronise the clocks by NTP on this machine, and on the one of the database.',
  };
}
