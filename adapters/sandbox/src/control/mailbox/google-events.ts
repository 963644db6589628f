import type { Answer, EventTimes, EventWrite, MailboxEvent, MailboxEvents } from './mailbox-events.ts';
import { isDate } from './mailbox-events.ts';
import type { PersonCall, Wire } from './person-calls.ts';

const encoded = encodeURIComponent;

/** The events of one calendar of a Google mailbox. */
export function googleEvents(call: PersonCall, email: string, calendarId: string | undefined): MailboxEvents {
  const events = `/calendar/v3/calendars/${encoded(calendarId ?? 'primary')}/events`;
  const pathOf = (eventId: string, query = '') => `${events}/${encoded(eventId)}${query}`;
  const isSelf = (attendee: Wire) => attendee.email.toLowerCase() === email.toLowerCase();
  return {
    timeZone: async () => (await call('GET', '/calendar/v3/users/me/settings/timezone')).value,
    async calendars() {
      const { items } = await call('GET', '/calendar/v3/users/me/calendarList?maxResults=250');
      return items.map((entry: Wire) => ({
        id: entry.id,
        name: entry.summaryOverride ?? entry.summary,
        isPrimary: entry.primary === true,
        canEdit: entry.accessRole === 'owner' || entry.accessRole === 'writer',
      }));
    },
    async list({ from, to, timeZone }) {
      const query = new URLSearchParams({
        timeMin: from,
        timeMax: to,
        timeZone,
        singleEvents: 'true',
        orderBy: 'startTime',
        maxResults: '2500',
      });
      const { items } = await call('GET', `${events}?${query}`);
      return items.map((item: Wire) => viewOf(item, timeZone));
    },
    get: async (eventId, timeZone) =>
      viewOf(await call('GET', pathOf(eventId, `?timeZone=${encoded(timeZone)}`)), timeZone),
    create: async (write) => (await call('POST', `${events}?sendUpdates=all`, bodyOf(write, []))).id,
    async change(eventId, write) {
      // An attendee that is sent without an answer is asked again.
      const { attendees = [] } = write.attendees === undefined ? {} : await call('GET', pathOf(eventId));
      await call('PATCH', pathOf(eventId, '?sendUpdates=all'), bodyOf(write, attendees));
    },
    remove: (eventId) => call('DELETE', pathOf(eventId, '?sendUpdates=all')),
    async answer(eventId, answer) {
      const { attendees = [] } = await call('GET', pathOf(eventId));
      const changed = attendees.map((each: Wire) => (isSelf(each) ? { ...each, responseStatus: answer } : each));
      await call('PATCH', pathOf(eventId, '?sendUpdates=all'), { attendees: changed });
    },
  };
}

function bodyOf({ title, location, times, attendees, recurrence }: EventWrite, present: readonly Wire[]): Wire {
  const known = new Map(present.map((attendee) => [attendee.email.toLowerCase(), attendee]));
  return {
    ...(title === undefined ? {} : { summary: title }),
    ...(location === undefined ? {} : { location }),
    ...(times === undefined ? {} : { start: timeOf(times.start, times), end: timeOf(times.end, times) }),
    ...(attendees === undefined
      ? {}
      : { attendees: attendees.map((email) => known.get(email.toLowerCase()) ?? { email }) }),
    ...(recurrence === undefined ? {} : { recurrence: recurrence.length === 0 ? null : recurrence }),
  };
}

/** The other form is cleared: a PATCH merges, and a time that keeps both is refused. */
const timeOf = (text: string, { timeZone }: EventTimes): Wire =>
  isDate(text) ? { date: text, dateTime: null, timeZone: null } : { dateTime: text, timeZone, date: null };

function viewOf(item: Wire, timeZone: string): MailboxEvent {
  const attendees: readonly Wire[] = item.attendees ?? [];
  const self = attendees.find((attendee) => attendee.self === true);
  const isOrganizer = item.organizer?.self !== false && (item.organizer?.self === true || item.organizer === undefined);
  return {
    id: item.id,
    seriesId: item.recurringEventId ?? null,
    title: item.summary ?? '',
    location: item.location ?? '',
    isAllDay: item.start.date !== undefined,
    start: item.start.date ?? item.start.dateTime.slice(0, 19),
    end: item.end.date ?? item.end.dateTime.slice(0, 19),
    timeZone,
    recurrence: item.recurrence ?? [],
    organizer: item.organizer?.email ?? null,
    isOrganizer,
    attendees: attendees.map(({ email, responseStatus }) => ({ email, answer: responseStatus as Answer })),
    myAnswer: isOrganizer || self === undefined ? null : self.responseStatus,
  };
}
