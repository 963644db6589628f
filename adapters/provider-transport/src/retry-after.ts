/**
 * Returns a Retry-After value in milliseconds from now; undefined when it is absent or unreadable.
 * @see RFC 9110 §10.2.3: seconds or an HTTP date
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  // Fractions are no part of the RFC; Graph has sent them.
  if (/^\s*\d{1,9}(\.\d+)?\s*$/.test(value)) return Math.ceil(Number(value) * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
