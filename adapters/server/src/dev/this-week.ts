const DAY_MS = 86_400_000;

/** Returns the week of an instant, from Monday to Monday, UTC, in whole seconds. */
export function thisWeek(now: number): { readonly startDateTime: string; readonly endDateTime: string } {
  const today = new Date(now);
  const day = today.getUTCDate() - ((today.getUTCDay() + 6) % 7);
  const monday = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), day);
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19).concat('Z');
  return { startDateTime: text(monday), endDateTime: text(monday + 7 * DAY_MS) };
}
