import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '@kalends/sandbox';
import type { Json } from '../google/harness.ts';
import { type Caller, createCaller } from './caller.ts';

const GRACE = 'grace@outlook.example';
const HOWARD = 'howard@outlook.example';
const WINDOW = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };

/** Drives the Graph server through everything it knows, refusals included. */
export async function runMicrosoftSession(sandbox: Sandbox, url: string): Promise<void> {
  sandbox.microsoft.addMailbox({ email: GRACE, name: 'Grace', timeZone: 'America/New_York' });
  sandbox.microsoft.addMailbox({ email: HOWARD, name: 'Howard', timeZone: 'Europe/London' });
  const callerOf = async (email: string) =>
    createCaller(`${url}/microsoft/v1.0`, await sandbox.accessToken({ provider: 'microsoft', email }));
  const grace = await callerOf(GRACE);
  const howard = await callerOf(HOWARD);
  await useMailbox(grace);
  const calendar = await useCalendars(grace);
  await useEvents(grace, calendar);
  await useSeries(grace, calendar);
  await useMeetings(grace, howard);
  await usePush(grace, calendar);
  await beRefused(grace, url);
}

async function useMailbox(grace: Caller): Promise<void> {
  await grace('GET', '/me', { query: { $select: 'id,mail,userPrincipalName,displayName' } });
  await grace('GET', '/me/mailboxSettings');
  await grace('GET', '/me/outlook/masterCategories');
  await grace('POST', '/me/outlook/masterCategories', { body: { displayName: 'Red', color: 'preset0' } });
}

async function useCalendars(grace: Caller): Promise<string> {
  await grace('GET', '/me/calendar');
  await grace('GET', '/me/calendars', { query: { $top: 50 } });
  await grace('GET', '/me/calendarGroups');
  await grace('POST', '/me/calendars', { body: { name: 'Plans', color: 'lightBlue' } });
  const { body } = await grace('GET', '/me/calendars', { query: { $top: 50 } });
  const made = body.value.find((calendar: Json) => calendar.name === 'Plans');
  await grace('GET', `/me/calendars/${made.id}`);
  await grace('PATCH', `/me/calendars/${made.id}`, { body: { name: 'Plans 2' } });
  await grace('POST', '/me/calendars', { body: { name: 'Doomed' } });
  const again = await grace('GET', '/me/calendars', { query: { $top: 50 } });
  await grace('DELETE', `/me/calendars/${again.body.value.find((calendar: Json) => calendar.name === 'Doomed').id}`);
  return `/me/calendars/${made.id}`;
}

const timed = (day: string, from: string, to: string, timeZone = 'America/New_York') => ({
  start: { dateTime: `2026-03-${day}T${from}:00`, timeZone },
  end: { dateTime: `2026-03-${day}T${to}:00`, timeZone },
});

async function useEvents(grace: Caller, calendar: string): Promise<void> {
  const { body: event } = await grace('POST', `${calendar}/events`, {
    headers: { prefer: 'IdType="ImmutableId"' },
    body: {
      subject: 'Everything',
      body: { contentType: 'text', content: 'hello' },
      ...timed('03', '09:00', '10:00'),
      location: { displayName: 'Room 3' },
      attendees: [{ emailAddress: { address: 'x@example.org', name: 'X' }, type: 'optional' }],
      showAs: 'free',
      sensitivity: 'private',
      categories: ['Red'],
      isReminderOn: true,
      reminderMinutesBeforeStart: 5,
      isOnlineMeeting: true,
      onlineMeetingProvider: 'teamsForBusiness',
      transactionId: 'transaction-1',
      singleValueExtendedProperties: [{ id: 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name color', value: 'red' }],
    },
  });
  const path = `${calendar}/events/${event.id}`;
  await grace('GET', path, { headers: { prefer: 'outlook.timezone="Europe/London"' } });
  await grace('GET', path, {
    query: {
      $select: 'subject,start,end',
      $expand:
        "singleValueExtendedProperties($filter=id eq 'String {66f5a359-4659-4830-9070-00047ec6ac6e} Name color')",
    },
  });
  await grace('PATCH', path, { body: { subject: 'Patched', showAs: 'busy' } });
  await grace('PATCH', path, { refused: true, headers: { 'if-match': 'W/"stale"' }, body: { subject: 'stale' } });
  await grace('POST', `${calendar}/events`, {
    body: {
      subject: 'All day',
      isAllDay: true,
      start: { dateTime: '2026-03-05T00:00:00', timeZone: 'UTC' },
      end: { dateTime: '2026-03-06T00:00:00', timeZone: 'UTC' },
    },
  });
  await grace('GET', `${calendar}/events`, { query: { $top: 1, $orderby: 'start/dateTime' } });
  await grace('GET', `${calendar}/calendarView`, { query: { ...WINDOW, $top: 1 } });
  await followDelta(grace, calendar);
  await grace('DELETE', path);
  await grace('POST', '/me/calendar/getSchedule', {
    body: {
      schedules: [GRACE, 'nobody@example.org'],
      startTime: { dateTime: '2026-03-02T00:00:00', timeZone: 'UTC' },
      endTime: { dateTime: '2026-03-06T00:00:00', timeZone: 'UTC' },
      availabilityViewInterval: 60,
    },
  });
}

async function followDelta(grace: Caller, calendar: string): Promise<void> {
  let answer = await grace('GET', `${calendar}/calendarView/delta`, {
    query: WINDOW,
    headers: { prefer: 'odata.maxpagesize=1' },
  });
  while (answer.body?.['@odata.nextLink'] !== undefined) answer = await grace('GET', answer.body['@odata.nextLink']);
  if (answer.body?.['@odata.deltaLink'] !== undefined) await grace('GET', answer.body['@odata.deltaLink']);
}

async function useSeries(grace: Caller, calendar: string): Promise<void> {
  const { body: series } = await grace('POST', `${calendar}/events`, {
    body: {
      subject: 'Series',
      ...timed('09', '09:00', '10:00'),
      recurrence: {
        pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
        range: {
          type: 'numbered',
          startDate: '2026-03-09',
          numberOfOccurrences: 4,
          recurrenceTimeZone: 'America/New_York',
        },
      },
    },
  });
  const path = `${calendar}/events/${series.id}`;
  const { body } = await grace('GET', `${path}/instances`, { query: WINDOW });
  const [first, second, third] = body.value;
  await grace('PATCH', `${calendar}/events/${second.id}`, {
    body: { subject: 'Moved', ...timed('17', '11:00', '12:00') },
  });
  await grace('DELETE', `${calendar}/events/${third.id}`);
  await grace('GET', `${calendar}/events/${first.id}`, { query: { $select: 'subject,originalStart' } });
  await grace('GET', path, {
    query: {
      $select: 'subject,recurrence,cancelledOccurrences,exceptionOccurrences',
      $expand: 'exceptionOccurrences($select=subject,originalStart)',
    },
  });
  await followDelta(grace, calendar);
  await grace('DELETE', path);
  await followDelta(grace, calendar);
}

async function useMeetings(grace: Caller, howard: Caller): Promise<void> {
  const invite = async (day: string) =>
    (
      await grace('POST', '/me/calendar/events', {
        body: {
          subject: `Meeting ${day}`,
          ...timed(day, '09:00', '10:00'),
          attendees: [{ emailAddress: { address: HOWARD, name: 'Howard' }, type: 'required' }],
        },
      })
    ).body.id;
  const cancelled = await invite('10');
  await invite('11');
  await invite('12');
  const { body } = await howard('GET', '/me/calendar/events');
  const [one, two, three] = body.value.map((event: Json) => event.id);
  await howard('POST', `/me/calendar/events/${one}/accept`, { body: { comment: 'yes', sendResponse: true } });
  await howard('POST', `/me/calendar/events/${two}/tentativelyAccept`, { body: { sendResponse: false } });
  await howard('POST', `/me/calendar/events/${three}/decline`, { body: { comment: 'no', sendResponse: true } });
  await grace('POST', `/me/calendar/events/${cancelled}/accept`, { refused: true, body: { sendResponse: true } });
  await grace('POST', `/me/calendar/events/${cancelled}/cancel`, { body: { comment: 'sorry' } });
}

async function usePush(grace: Caller, calendar: string): Promise<void> {
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('validationToken');
    request.resume();
    response.writeHead(200, { 'content-type': 'text/plain' }).end(token ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const notificationUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push`;
  const { body } = await grace('POST', '/subscriptions', {
    body: {
      changeType: 'created,updated,deleted',
      resource: `${calendar}/events`,
      notificationUrl,
      lifecycleNotificationUrl: notificationUrl,
      clientState: 'secret',
      expirationDateTime: '2026-03-05T00:00:00Z',
    },
  });
  await grace('GET', '/subscriptions');
  await grace('GET', `/subscriptions/${body.id}`);
  await grace('PATCH', `/subscriptions/${body.id}`, { body: { expirationDateTime: '2026-03-06T00:00:00Z' } });
  await grace('DELETE', `/subscriptions/${body.id}`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function beRefused(grace: Caller, url: string): Promise<void> {
  const nobody = createCaller(`${url}/microsoft/v1.0`, 'nobody');
  await nobody('GET', '/me/calendars', { refused: true });
  await grace('GET', '/me/calendars/none/events', { refused: true });
  await grace('DELETE', '/me/events/none', { refused: true });
  await grace('POST', '/me/calendar/events', { refused: true, body: { subject: 'no times' } });
}
