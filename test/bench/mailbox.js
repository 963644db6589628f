// A mailbox in the sandbox with one calendar of many events.
export const CLIENT = { clientId: 'bench', clientSecret: 'bench' };
export const EMAIL = 'bench@example.com';

const MINUTE_MS = 60_000;
const wall = (startMs) => new Date(startMs).toISOString().slice(0, 19);

/** An event of half an hour, as most are, for the sandbox to import. */
export function eventOf(uid, startMs, recurrence = []) {
  return {
    uid,
    summary: `Event ${uid}`,
    description: 'A line that says what this is about, as most events have.',
    location: 'Room 4',
    dtstart: wall(startMs),
    dtend: wall(startMs + 30 * MINUTE_MS),
    timeZone: 'Europe/Berlin',
    recurrence,
    recurrenceId: null,
    cancelled: false,
    transparent: false,
    visibility: 'default',
    organizer: null,
    attendees: [],
  };
}

/** Puts `count` single events into the primary calendar of a new mailbox, one every `stepMs` from `firstMs` on. */
export function addMailbox(provider, { count, firstMs, stepMs }) {
  provider.addClient({ ...CLIENT, redirectUris: [] });
  provider.addMailbox({ email: EMAIL, name: 'Bench', timeZone: 'Europe/Berlin' });
  const events = Array.from({ length: count }, (_, index) => eventOf(`event-${index}`, firstMs + index * stepMs));
  const calendarId = provider.importCalendar(EMAIL, { name: 'Bench', timeZone: 'Europe/Berlin', events }, 'primary');
  const refreshToken = provider.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
  return { calendarId, refreshToken };
}
