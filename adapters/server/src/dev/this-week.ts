const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// A type, not an interface: those have no index signature, which the values of the demo want.
type Times = { readonly startDateTime: string; readonly endDateTime: string };

/** Returns the week of an instant, from Monday to Monday, UTC, in whole seconds. */
export function thisWeek(now: number): Times {
  const monday = mondayOf(now);
  return { startDateTime: text(monday), endDateTime: text(monday + 7 * DAY_MS) };
}

/** Returns half an hour that is still to come and has nothing in it in the demo's mailboxes: Saturday night of the next week, UTC. */
export function slotOfNextWeek(now: number): Times {
  const start = mondayOf(now) + 12 * DAY_MS + 22 * HOUR_MS;
  return { startDateTime: text(start), endDateTime: text(start + HOUR_MS / 2) };
}

function mondayOf(now: number): number {
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() - ((today.getUTCDay() + 6) % 7));
}

const text = (ms: number): string => new Date(ms).toISOString().slice(0, 19).concat('Z');
