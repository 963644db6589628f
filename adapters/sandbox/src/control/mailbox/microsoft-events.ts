import { RecurrenceError } from 'kalends/recurrence';
import { fromPatternedRecurrence, toPatternedRecurrence } from 'kalends/recurrence/patterned';
import { windowsToIana } from 'kalends/zones';
import { ControlError } from '../../kernel/kernel.ts';
import type { Answer, EventTimes, EventWrite, MailboxEvent, MailboxEvents } from './mailbox-events.ts';
import { isDate } from './mailbox-events.ts';
import type { PersonCall, Wire } from './person-calls.ts';

const ANSWERS: Readonly<Record<string, Answer>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentativelyAccepted: 'tentative',
};
const VERBS = { accepted: 'accept', tentative: 'tentativelyAccept', declined: 'decline' } as const;

/** Creates the calls of a mailbox, with times in answers in a zone. */
export type ZonedCalls = (timeZone: string) => PersonCall;

/** The events of one calendar of a Microsoft mailbox. */
export function microsoftEvents(calls: ZonedCalls, calendarId: string | undefined): MailboxEvents {
  const call = calls('UTC');
  const calendar =
    calendarId === undefined ? '/v1.0/me/calendar' : `/v1.0/me/calendars/${encodeURIComponent(calendarId)}`;
  const pathOf = (eventId: string) => `${calendar}/events/${encodeURIComponent(eventId)}`;
  return {
    async timeZone() {
      const { timeZone } = await call('GET', '/v1.0/me/mailboxSettings');
      return windowsToIana(timeZone) ?? timeZone;
    },
    async calendars() {
      const { value } = await call('GET', '/v1.0/me/calendars?$top=250');
      return value.map((each: Wire) => ({
        id: each.id,
        name: each.name,
        isPrimary: each.isDefaultCalendar === true,
        canEdit: each.canEdit === true,
      }));
    },
    async list({ from, to, timeZone }) {
      const query = new URLSearchParams({ startDateTime: from, endDateTime: to, $top: '1000' });
      const { value } = await calls(timeZone)('GET', `${calendar}/calendarView?${query}`);
      return value.map((item: Wire) => viewOf(item, timeZone));
    },
    get: async (eventId, timeZone) => viewOf(await calls(timeZone)('GET', pathOf(eventId)), timeZone),
    create: async (write) => (await call('POST', `${calendar}/events`, bodyOf(write, write.times))).id,
    async change(eventId, write) {
      const { times = write.recurrence === undefined ? undefined : await timesOf(call, pathOf(eventId)) } = write;
      await call('PATCH', pathOf(eventId), bodyOf(write, times));
    },
    remove: (eventId) => call('DELETE', pathOf(eventId)),
    answer: (eventId, answer) => call('POST', `${pathOf(eventId)}/${VERBS[answer]}`, { sendResponse: true }),
  };
}

/** The start of a series is part of its pattern. */
async function timesOf(call: PersonCall, path: string): Promise<EventTimes> {
  const { timeZone, start, end } = viewOf(await call('GET', path), 'UTC');
  return { timeZone, start, end };
}

function bodyOf({ title, location, times, attendees, recurrence }: EventWrite, start: EventTimes | undefined): Wire {
  return {
    ...(title === undefined ? {} : { subject: title }),
    ...(location === undefined ? {} : { location: { displayName: location } }),
    ...(times === undefined ? {} : timesBody(times)),
    ...(attendees === undefined
      ? {}
      : { attendees: attendees.map((address) => ({ emailAddress: { address }, type: 'required' })) }),
    ...(recurrence === undefined || start === undefined ? {} : { recurrence: patternOf(recurrence, start) }),
  };
}

function timesBody({ start, end, timeZone }: EventTimes): Wire {
  const time = (text: string) =>
    isDate(text) ? { dateTime: `${text}T00:00:00`, timeZone: 'UTC' } : { dateTime: text, timeZone };
  return { isAllDay: isDate(start), start: time(start), end: time(end) };
}

/** Returns the lines in Graph's form. @throws ControlError for rules that Graph cannot hold */
function patternOf(lines: readonly string[], { start, timeZone }: EventTimes): Wire {
  if (lines.length === 0) return null;
  try {
    const definition = { dtstart: start, timeZone: isDate(start) ? null : timeZone, lines };
    const { pattern, range, excluded } = toPatternedRecurrence(definition);
    if (excluded.length === 0) return { pattern, range };
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    throw new ControlError(`recurrence: ${error.message}`, { cause: error });
  }
  throw new ControlError('recurrence: must have no EXDATE at Microsoft; delete the occurrences instead');
}

function viewOf(item: Wire, timeZone: string): MailboxEvent {
  const isAllDay: boolean = item.isAllDay;
  const time = ({ dateTime }: { readonly dateTime: string }) => dateTime.slice(0, isAllDay ? 10 : 19);
  const answer = (status: Wire): Answer => ANSWERS[status?.response] ?? 'needsAction';
  const isAnswerable = !item.isOrganizer && item.responseStatus?.response !== 'organizer';
  return {
    id: item.id,
    seriesId: item.seriesMasterId ?? null,
    title: item.subject ?? '',
    location: item.location?.displayName ?? '',
    isAllDay,
    start: time(item.start),
    end: time(item.end),
    timeZone,
    recurrence: item.recurrence
      ? fromPatternedRecurrence(item.recurrence.pattern, item.recurrence.range, { timeZone })
      : [],
    organizer: item.organizer?.emailAddress?.address ?? null,
    isOrganizer: item.isOrganizer,
    attendees: item.attendees.map(({ emailAddress, status }: Wire) => ({
      email: emailAddress.address,
      answer: answer(status),
    })),
    myAnswer: isAnswerable ? answer(item.responseStatus) : null,
  };
}
