import type { Sandbox } from '@kalends/sandbox';
import { type Caller, createCaller } from './caller.ts';

const ADA = 'ada@gmail.example';
const CHARLES = 'charles@gmail.example';
const EVENTS = '/calendars/primary/events';

/** Drives the Google server through everything it knows, refusals included. */
export async function runGoogleSession(sandbox: Sandbox, url: string): Promise<void> {
  sandbox.google.addMailbox({ email: ADA, name: 'Ada', timeZone: 'Europe/London' });
  sandbox.google.addMailbox({ email: CHARLES, name: 'Charles', timeZone: 'America/New_York' });
  const callerOf = async (email: string) =>
    createCaller(`${url}/google/calendar/v3`, await sandbox.accessToken({ provider: 'google', email }));
  const ada = await callerOf(ADA);
  const charles = await callerOf(CHARLES);
  await useCalendars(ada, charles);
  await useEvents(ada);
  await useSeries(ada);
  await useGuests(ada, charles);
  await usePush(ada, sandbox);
  await beRefused(ada, url);
}

async function useCalendars(ada: Caller, charles: Caller): Promise<void> {
  const list = await ada('GET', '/users/me/calendarList', {
    query: { maxResults: 10, showHidden: true, showDeleted: true },
  });
  const { body: calendar } = await ada('POST', '/calendars', {
    body: { summary: 'Plans', timeZone: 'Europe/Rome', description: 'd', location: 'l' },
  });
  const id = encodeURIComponent(calendar.id);
  await ada('GET', `/calendars/${id}`);
  await ada('PATCH', `/calendars/${id}`, { body: { summary: 'Plans 2', description: null } });
  await ada('PUT', `/calendars/${id}`, { body: { summary: 'Plans 3' } });
  await ada('GET', `/users/me/calendarList/${id}`);
  await ada('PATCH', `/users/me/calendarList/${id}`, {
    query: { colorRgbFormat: true },
    body: { backgroundColor: '#112233', foregroundColor: '#ffffff' },
  });
  await ada('PATCH', `/users/me/calendarList/${id}`, {
    body: {
      summaryOverride: 'Mine',
      defaultReminders: [{ method: 'popup', minutes: 5 }],
      notificationSettings: { notifications: [{ type: 'eventCreation', method: 'email' }] },
    },
  });
  await ada('PUT', `/users/me/calendarList/${id}`, { body: { selected: true } });
  await ada('POST', `/calendars/${id}/acl`, { body: { role: 'reader', scope: { type: 'user', value: CHARLES } } });
  await ada('GET', `/calendars/${id}/acl`);
  await ada('GET', `/calendars/${id}/acl/user:${CHARLES}`);
  await ada('PATCH', `/calendars/${id}/acl/user:${CHARLES}`, { body: { role: 'writer' } });
  await charles('GET', '/users/me/calendarList', { query: { minAccessRole: 'writer' } });
  await charles('DELETE', `/users/me/calendarList/${id}`);
  await charles('POST', '/users/me/calendarList', { body: { id: calendar.id } });
  await ada('DELETE', `/calendars/${id}/acl/user:${CHARLES}`);
  await ada('DELETE', `/calendars/${id}`);
  await ada('GET', '/users/me/calendarList', { query: { syncToken: list.body.nextSyncToken } });
  await ada('POST', '/calendars/primary/clear');
  await ada('GET', '/colors');
  await ada('GET', '/users/me/settings');
  await ada('GET', '/users/me/settings/timezone');
}

const timed = (day: string, from: string, to: string, timeZone = 'Europe/London') => ({
  start: { dateTime: `2026-03-${day}T${from}:00`, timeZone },
  end: { dateTime: `2026-03-${day}T${to}:00`, timeZone },
});

async function useEvents(ada: Caller): Promise<void> {
  const first = await ada('GET', EVENTS);
  const { body: event } = await ada('POST', EVENTS, {
    query: { conferenceDataVersion: 1, sendUpdates: 'none', supportsAttachments: true },
    body: {
      ...timed('03', '09:00', '10:00'),
      id: 'contract1',
      summary: 'Everything',
      description: 'd',
      location: 'l',
      colorId: '3',
      transparency: 'transparent',
      visibility: 'private',
      attendees: [{ email: 'x@example.org', displayName: 'X', optional: true, responseStatus: 'accepted' }],
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
      extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
      conferenceData: { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hangoutsMeet' } } },
      guestsCanModify: true,
      guestsCanInviteOthers: false,
      guestsCanSeeOtherGuests: false,
      source: { title: 's', url: 'https://example.org' },
    },
  });
  await ada('POST', EVENTS, {
    query: { eventLabelVersion: 1 },
    body: { ...timed('03', '11:00', '12:00'), eventLabelId: '42617328-8756-4291-8273-192837465647' },
  });
  const path = `${EVENTS}/${event.id}`;
  await ada('GET', path, { query: { timeZone: 'Asia/Tokyo', maxAttendees: 1 } });
  await ada('GET', path, { headers: { 'if-none-match': event.etag } });
  await ada('PATCH', path, { body: { summary: 'Patched', location: null }, query: { sendUpdates: 'all' } });
  await ada('PUT', path, { body: { ...timed('04', '09:00', '10:00'), summary: 'Put' } });
  await ada('PATCH', path, { refused: true, headers: { 'if-match': '"1"' }, body: { summary: 'stale' } });
  await ada('POST', EVENTS, {
    body: { summary: 'All day', start: { date: '2026-03-05' }, end: { date: '2026-03-06' } },
  });
  for (const eventType of ['outOfOffice', 'focusTime']) {
    const body = { ...timed('06', '09:00', '10:00'), eventType, [`${eventType}Properties`]: {} };
    await ada('POST', EVENTS, { body });
  }
  await ada('POST', `${EVENTS}/import`, {
    body: { ...timed('07', '09:00', '10:00'), iCalUID: 'outside@example.org', organizer: { email: 'o@example.org' } },
  });
  const { body: other } = await ada('POST', '/calendars', { body: { summary: 'Other' } });
  await ada('POST', `${path}/move`, { query: { destination: other.id } });
  await ada('GET', EVENTS, { query: { syncToken: first.body.nextSyncToken } });
  const page = await ada('GET', EVENTS, { query: { maxResults: 2, showDeleted: true } });
  await ada('GET', EVENTS, { query: { maxResults: 2, showDeleted: true, pageToken: page.body.nextPageToken } });
  await ada('GET', EVENTS, {
    query: {
      q: 'day',
      singleEvents: true,
      orderBy: 'startTime',
      timeMin: '2026-03-01T00:00:00Z',
      timeMax: '2026-04-01T00:00:00+01:00',
      timeZone: 'UTC',
      eventTypes: 'default',
    },
  });
  await ada('GET', EVENTS, { query: { privateExtendedProperty: 'a=1', updatedMin: '2026-03-01T00:00:00Z' } });
  await ada('POST', '/freeBusy', {
    body: {
      timeMin: '2026-03-01T00:00:00Z',
      timeMax: '2026-04-01T00:00:00Z',
      timeZone: 'Europe/London',
      items: [{ id: 'primary' }, { id: 'none' }],
    },
  });
}

async function useSeries(ada: Caller): Promise<void> {
  const { body: series } = await ada('POST', EVENTS, {
    body: { ...timed('09', '09:00', '10:00'), summary: 'Series', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'] },
  });
  const path = `${EVENTS}/${series.id}`;
  const first = await ada('GET', EVENTS);
  await ada('GET', `${path}/instances`, { query: { maxResults: 2, showDeleted: true } });
  await ada('GET', `${path}_20260316T090000Z`);
  await ada('PATCH', `${path}_20260316T090000Z`, { body: timed('17', '11:00', '12:00') });
  await ada('DELETE', `${path}_20260323T090000Z`);
  await ada('PATCH', path, { body: { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] } });
  await ada('GET', EVENTS, { query: { singleEvents: true, showDeleted: true } });
  await ada('GET', EVENTS, { query: { syncToken: first.body.nextSyncToken } });
  await ada('DELETE', path);
}

async function useGuests(ada: Caller, charles: Caller): Promise<void> {
  const { body: event } = await ada('POST', EVENTS, {
    body: { ...timed('10', '09:00', '10:00'), summary: 'Meeting', attendees: [{ email: CHARLES }, { email: ADA }] },
  });
  const path = `${EVENTS}/${event.id}`;
  await charles('GET', path);
  await charles('PATCH', path, {
    body: { attendeesOmitted: true, attendees: [{ email: CHARLES, responseStatus: 'accepted' }] },
  });
  await charles('PATCH', path, { refused: true, body: { summary: 'mine' } });
  await charles('GET', EVENTS);
}

async function usePush(ada: Caller, sandbox: Sandbox): Promise<void> {
  const { body } = await ada('POST', `${EVENTS}/watch`, {
    body: {
      id: 'channel-1',
      type: 'web_hook',
      address: 'http://127.0.0.1:9/push',
      token: 't',
      params: { ttl: '3600' },
    },
  });
  await ada('POST', '/channels/stop', { body: { id: 'channel-1', resourceId: body.resourceId } });
  await ada('POST', '/users/me/calendarList/watch', {
    body: { id: 'channel-2', type: 'web_hook', address: 'http://127.0.0.1:9/push' },
  });
  sandbox.google.controls['expireChannels']?.({});
}

async function beRefused(ada: Caller, url: string): Promise<void> {
  const nobody = createCaller(`${url}/google/calendar/v3`, 'nobody');
  await nobody('GET', '/users/me/calendarList', { refused: true });
  await ada('GET', '/calendars/none/events', { refused: true });
  await ada('GET', EVENTS, { refused: true, query: { syncToken: 'junk' } });
  await ada('POST', EVENTS, { refused: true, body: { summary: 'no times' } });
  await ada('DELETE', '/calendars/primary', { refused: true });
  await ada('DELETE', `${EVENTS}/none`, { refused: true });
}
