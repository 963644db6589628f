import { beforeEach, describe, expect, test } from 'vitest';
import {
  ADA,
  CHARLES,
  control,
  EVENTS,
  type Google,
  insert,
  type Json,
  reasonOf,
  startGoogle,
  timed,
  WEEKLY,
} from './harness.ts';

let google: Google;
const MEETING = { summary: 'Meeting', ...timed('2026-03-03T09:00:00', '2026-03-03T10:00:00') };

beforeEach(() => {
  google = startGoogle();
});

describe('insert', () => {
  test('answers the whole event, times in the calendar zone', async () => {
    const event = await insert(google, {
      summary: 'Call',
      ...timed('2026-07-01T09:00:00', '2026-07-01T10:00:00', 'America/New_York'),
    });
    expect(event).toMatchObject({
      kind: 'calendar#event',
      status: 'confirmed',
      start: { dateTime: '2026-07-01T14:00:00+01:00', timeZone: 'America/New_York' },
      creator: { email: ADA, self: true },
      organizer: { email: ADA, self: true },
      iCalUID: `${event.id}@google.com`,
      sequence: 0,
      eventType: 'default',
      reminders: { useDefault: true },
    });
    expect(event.etag).toMatch(/^"\d+"$/);
    const shown = await google.ada('GET', `${EVENTS}/${event.id}`, { query: { timeZone: 'Asia/Tokyo' } });
    expect(shown.body.start).toEqual({ dateTime: '2026-07-01T22:00:00+09:00', timeZone: 'America/New_York' });
  });

  test('takes a custom id once', async () => {
    const event = await insert(google, { ...MEETING, id: 'abc123' });
    expect(event.id).toBe('abc123');
    expect(reasonOf(await google.ada('POST', EVENTS, { body: { ...MEETING, id: 'abc123' } }))).toEqual([
      409,
      'duplicate',
    ]);
    await google.ada('DELETE', `${EVENTS}/abc123`);
    expect(reasonOf(await google.ada('POST', EVENTS, { body: { ...MEETING, id: 'abc123' } }))).toEqual([
      409,
      'duplicate',
    ]);
    expect(reasonOf(await google.ada('POST', EVENTS, { body: { ...MEETING, id: 'XYZ_1' } }))).toEqual([400, 'invalid']);
  });

  const date = (value: string) => ({ date: value });
  const rule = (line: string) => ({ ...MEETING, recurrence: [line] });
  test.each<[string, Json, string]>([
    ['no start', { end: MEETING.end }, 'required'],
    ['no end', { start: MEETING.start }, 'required'],
    ['date and dateTime', { ...MEETING, start: { ...MEETING.start, date: '2026-03-03' } }, 'invalid'],
    ['mixed kinds', { ...MEETING, end: date('2026-03-04') }, 'invalid'],
    ['end before start', { start: MEETING.end, end: MEETING.start }, 'timeRangeEmpty'],
    ['an all-day range backwards', { start: date('2026-03-03'), end: date('2026-03-02') }, 'timeRangeEmpty'],
    ['a local time without zone', { start: { dateTime: '2026-03-03T09:00:00' }, end: MEETING.end }, 'required'],
    ['an unknown zone', { ...MEETING, start: { ...MEETING.start, timeZone: 'Mars/Olympus' } }, 'invalid'],
    ['a date that does not exist', { start: date('2026-02-30'), end: date('2026-03-01') }, 'invalid'],
    ['a rule that cannot be read', rule('RRULE:FREQ=SOMETIMES'), 'invalid'],
    ['a bare rule', rule('FREQ=DAILY'), 'invalid'],
    ['DTSTART among the lines', rule('DTSTART:20260303T090000Z'), 'invalid'],
    ['a local UNTIL for a timed series', rule('RRULE:FREQ=DAILY;UNTIL=20260401T090000'), 'invalid'],
    ['a date UNTIL for a timed series', rule('RRULE:FREQ=DAILY;UNTIL=20260401'), 'invalid'],
    [
      'a UTC UNTIL for an all-day series',
      { start: date('2026-03-03'), end: date('2026-03-04'), recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260401T090000Z'] },
      'invalid',
    ],
    [
      'a series without zone',
      {
        start: { dateTime: '2026-03-03T09:00:00Z' },
        end: { dateTime: '2026-03-03T10:00:00Z' },
        recurrence: ['RRULE:FREQ=DAILY'],
      },
      'required',
    ],
    ['a colour that does not exist', { ...MEETING, colorId: '12' }, 'invalid'],
    ['an attendee without address', { ...MEETING, attendees: [{ email: 'nobody' }] }, 'invalid'],
    ['a wrong type', { ...MEETING, summary: 7 }, 'invalid'],
    [
      'six reminders',
      { ...MEETING, reminders: { useDefault: false, overrides: Array(6).fill({ method: 'popup', minutes: 1 }) } },
      'invalid',
    ],
    [
      'a reminder too early',
      { ...MEETING, reminders: { overrides: [{ method: 'popup', minutes: 40_321 }] } },
      'invalid',
    ],
    [
      'defaults and overrides at once',
      { ...MEETING, reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 1 }] } },
      'cannotUseDefaultRemindersAndSpecifyOverride',
    ],
    [
      'an all-day out-of-office',
      { start: date('2026-03-03'), end: date('2026-03-04'), eventType: 'outOfOffice' },
      'malformedOutOfOfficeEvent',
    ],
    [
      'guests in focus time',
      { ...MEETING, eventType: 'focusTime', attendees: [{ email: CHARLES }] },
      'malformedFocusTimeEvent',
    ],
    ['an unknown event type', { ...MEETING, eventType: 'party' }, 'invalid'],
  ])('refuses %s', async (_name, body, reason) => {
    expect(reasonOf(await google.ada('POST', EVENTS, { body }))).toEqual([400, reason]);
    expect((await google.ada('GET', EVENTS)).body.items).toEqual([]);
  });

  test('status events live in the primary calendar only and keep their type', async () => {
    const event = await insert(google, {
      ...MEETING,
      eventType: 'outOfOffice',
      outOfOfficeProperties: { autoDeclineMode: 'declineNone' },
    });
    expect(event).toMatchObject({
      eventType: 'outOfOffice',
      outOfOfficeProperties: { autoDeclineMode: 'declineNone' },
    });
    const changed = await google.ada('PATCH', `${EVENTS}/${event.id}`, { body: { eventType: 'default' } });
    expect(changed.status).toBe(400);
    const { body } = await google.ada('POST', '/calendars', { body: { summary: 'Second' } });
    const elsewhere = `/calendars/${encodeURIComponent(body.id)}/events`;
    expect((await google.ada('POST', elsewhere, { body: { ...MEETING, eventType: 'focusTime' } })).status).toBe(400);
  });

  test('long property keys are dropped and long values cut', async () => {
    const event = await insert(google, {
      ...MEETING,
      extendedProperties: { private: { ['k'.repeat(45)]: 'gone', kept: 'v'.repeat(1100) }, shared: { a: 'b' } },
    });
    expect(event.extendedProperties).toEqual({ private: { kept: 'v'.repeat(1024) }, shared: { a: 'b' } });
  });

  test('malformed JSON is a parseError', async () => {
    const token = await google.sandbox.accessToken({ provider: 'google', email: ADA });
    const response = await google.sandbox.fetch(
      new Request(`http://sandbox.test/google/calendar/v3${EVENTS}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: '{"summary":',
      }),
    );
    expect([response.status, ((await response.json()) as Json).error.errors[0].reason]).toEqual([400, 'parseError']);
  });
});

describe('change', () => {
  test('patch merges, null clears, arrays are replaced whole', async () => {
    const event = await insert(google, {
      ...MEETING,
      location: 'Room 1',
      attendees: [{ email: CHARLES, responseStatus: 'accepted' }, { email: 'x@example.org' }],
      extendedProperties: { private: { a: '1', b: '2' } },
    });
    google.advance(1000);
    const { body } = await google.ada('PATCH', `${EVENTS}/${event.id}`, {
      body: { location: null, attendees: [{ email: CHARLES }], extendedProperties: { private: { b: null, c: '3' } } },
    });
    expect(body.location).toBeUndefined();
    expect(body.attendees).toEqual([{ email: CHARLES, responseStatus: 'needsAction' }]);
    expect(body.extendedProperties).toEqual({ private: { a: '1', c: '3' } });
    expect(body.updated > event.updated).toBe(true);
    expect(body.etag).not.toBe(event.etag);
    expect(body.sequence).toBe(0);
  });

  test('put replaces the event', async () => {
    const event = await insert(google, { ...MEETING, location: 'Room 1' });
    const { body } = await google.ada('PUT', `${EVENTS}/${event.id}`, {
      body: { ...timed('2026-03-04T09:00:00', '2026-03-04T10:00:00') },
    });
    expect([body.summary, body.location, body.sequence]).toEqual([undefined, undefined, 1]);
  });

  test('timed to all-day wants the old parts cleared', async () => {
    const event = await insert(google, MEETING);
    const path = `${EVENTS}/${event.id}`;
    const leftover = { start: { date: '2026-03-03' }, end: { date: '2026-03-04' } };
    expect((await google.ada('PATCH', path, { body: leftover })).status).toBe(400);
    const cleared = (date: string) => ({ date, dateTime: null, timeZone: null });
    const { body } = await google.ada('PATCH', path, {
      body: { start: cleared('2026-03-03'), end: cleared('2026-03-04') },
    });
    expect([body.start, body.end]).toEqual([{ date: '2026-03-03' }, { date: '2026-03-04' }]);
  });

  test('a change of reminders alone keeps `updated`', async () => {
    const event = await insert(google, MEETING);
    google.advance(1000);
    const { body } = await google.ada('PATCH', `${EVENTS}/${event.id}`, {
      body: { reminders: { useDefault: false, overrides: [{ method: 'email', minutes: 30 }] } },
    });
    expect(body.updated).toBe(event.updated);
    expect(body.etag).not.toBe(event.etag);
  });

  test('a patch that changes nothing keeps the etag', async () => {
    const event = await insert(google, MEETING);
    const { body } = await google.ada('PATCH', `${EVENTS}/${event.id}`, { body: { summary: 'Meeting' } });
    expect(body.etag).toBe(event.etag);
  });

  test('If-Match decides on PATCH, PUT and DELETE; If-None-Match on GET', async () => {
    const event = await insert(google, MEETING);
    const path = `${EVENTS}/${event.id}`;
    const stale = { 'if-match': '"1"' };
    expect(reasonOf(await google.ada('PATCH', path, { headers: stale, body: {} }))).toEqual([412, 'conditionNotMet']);
    expect((await google.ada('PUT', path, { headers: stale, body: MEETING })).status).toBe(412);
    expect((await google.ada('DELETE', path, { headers: stale })).status).toBe(412);
    expect((await google.ada('GET', path, { headers: { 'if-none-match': event.etag } })).status).toBe(304);
    expect((await google.ada('DELETE', path, { headers: { 'if-match': event.etag } })).status).toBe(204);
  });

  test('deletion: 204, then 410 deleted; get still answers, status cancelled; PATCH can restore', async () => {
    const event = await insert(google, MEETING);
    const path = `${EVENTS}/${event.id}`;
    expect((await google.ada('DELETE', path)).status).toBe(204);
    expect(reasonOf(await google.ada('DELETE', path))).toEqual([410, 'deleted']);
    expect((await google.ada('GET', path)).body).toMatchObject({ status: 'cancelled', summary: 'Meeting' });
    expect((await google.ada('PATCH', path, { body: { status: 'confirmed' } })).body.status).toBe('confirmed');
    expect(reasonOf(await google.ada('DELETE', `${EVENTS}/unknown`))).toEqual([404, 'notFound']);
  });

  test('move takes an event to another calendar and leaves a tombstone', async () => {
    const event = await insert(google, MEETING);
    const { body: other } = await google.ada('POST', '/calendars', { body: { summary: 'Other' } });
    const { body: before } = await google.ada('GET', EVENTS);
    const moved = await google.ada('POST', `${EVENTS}/${event.id}/move`, { query: { destination: other.id } });
    expect(moved.body).toMatchObject({ id: event.id, organizer: { email: other.id, self: true } });
    const { body } = await google.ada('GET', EVENTS, { query: { syncToken: before.nextSyncToken } });
    expect(body.items).toMatchObject([{ id: event.id, status: 'cancelled' }]);
    const there = await google.ada('GET', `/calendars/${encodeURIComponent(other.id)}/events/${event.id}`);
    expect(there.body.status).toBe('confirmed');
  });

  test('import makes a private copy by iCalUID, and the same again updates it', async () => {
    const body = { ...MEETING, iCalUID: 'outside@example.org', organizer: { email: 'boss@example.org' } };
    const first = await google.ada('POST', `${EVENTS}/import`, { body });
    expect(first.body).toMatchObject({ iCalUID: 'outside@example.org', organizer: { email: 'boss@example.org' } });
    expect(first.body.privateCopy).toBe(true);
    const second = await google.ada('POST', `${EVENTS}/import`, { body: { ...body, summary: 'New' } });
    expect([second.body.id, second.body.summary]).toEqual([first.body.id, 'New']);
    expect((await google.ada('POST', `${EVENTS}/import`, { body: MEETING })).status).toBe(400);
  });

  test('an import whose sequence is below that of the copy is refused, a deleted copy included', async () => {
    const body = { ...MEETING, iCalUID: 'outside@example.org' };
    const again = (sequence?: number) => google.ada('POST', `${EVENTS}/import`, { body: { ...body, sequence } });
    const { id } = (await again()).body;
    await google.ada('DELETE', `${EVENTS}/${id}`);
    const refused = await again();
    expect(reasonOf(refused)).toEqual([400, 'invalid']);
    expect(refused.body.error.message).toMatch(/^Invalid sequence value\./);
    expect((await again(1)).body).toMatchObject({ id, status: 'confirmed', sequence: 1 });
    expect((await again(4)).body).toMatchObject({ id, sequence: 4 });
  });

  test('guests of a private copy get neither mail nor copies, and it stays one', async () => {
    const query = { sendUpdates: 'all' };
    const attendees = [{ email: CHARLES }];
    const { id } = await insert(google, { ...MEETING, attendees, privateCopy: true }, query);
    const patched = await google.ada('PATCH', `${EVENTS}/${id}`, {
      query,
      body: { summary: 'New', privateCopy: false },
    });
    expect(patched.body).toMatchObject({ summary: 'New', privateCopy: true });
    expect((await google.charles('GET', EVENTS)).body.items).toEqual([]);
    expect(control(google.sandbox, 'listMails')).toEqual([]);
  });
});

describe('conferences', () => {
  const request = (requestId: string) => ({
    conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } } },
  });

  test('are pending at first, then there; the same request id is ignored', async () => {
    const event = await insert(google, { ...MEETING, ...request('r1') }, { conferenceDataVersion: '1' });
    expect(event.conferenceData.createRequest.status.statusCode).toBe('pending');
    const { body } = await google.ada('GET', `${EVENTS}/${event.id}`);
    expect(body.conferenceData.createRequest.status.statusCode).toBe('success');
    expect(body.hangoutLink).toBe(body.conferenceData.entryPoints[0].uri);
    expect(body.etag).not.toBe(event.etag);
    const again = await google.ada('PATCH', `${EVENTS}/${event.id}`, {
      query: { conferenceDataVersion: '1' },
      body: request('r1'),
    });
    expect(again.body.conferenceData.conferenceId).toBe(body.conferenceData.conferenceId);
    const removed = await google.ada('PATCH', `${EVENTS}/${event.id}`, {
      query: { conferenceDataVersion: '1' },
      body: { conferenceData: null },
    });
    expect(removed.body.conferenceData).toBeUndefined();
  });

  test('that a client gives can be replaced, with or without an id; one that Google made keeps its link', async () => {
    const query = { conferenceDataVersion: '1' };
    const byHand = (uri: string, ids: object, type = 'addOn') => ({
      conferenceData: {
        ...ids,
        conferenceSolution: { key: { type }, name: 'Conference' },
        entryPoints: [{ entryPointType: 'video', uri }],
      },
    });
    for (const ids of [{}, { conferenceId: 'one' }]) {
      const event = await insert(google, { ...MEETING, ...byHand('https://a.example', ids) }, query);
      const next = byHand('https://b.example', ids);
      const { body } = await google.ada('PATCH', `${EVENTS}/${event.id}`, { query, body: next });
      expect(body.conferenceData).toEqual(next.conferenceData);
    }
    const { id } = await insert(google, { ...MEETING, ...request('r3') }, query);
    const { body: made } = await google.ada('GET', `${EVENTS}/${id}`);
    const other = byHand('https://b.example', { conferenceId: made.conferenceData.conferenceId }, 'hangoutsMeet');
    const { body: kept } = await google.ada('PATCH', `${EVENTS}/${id}`, { query, body: other });
    expect(kept.conferenceData).toEqual(made.conferenceData);
  });

  test('are ignored without conferenceDataVersion=1, refused for another type, and can fail', async () => {
    expect((await insert(google, { ...MEETING, ...request('r1') })).conferenceData).toBeUndefined();
    const other = {
      conferenceData: { createRequest: { requestId: 'r', conferenceSolutionKey: { type: 'eventHangout' } } },
    };
    const refused = await google.ada('POST', EVENTS, {
      query: { conferenceDataVersion: '1' },
      body: { ...MEETING, ...other },
    });
    expect(refused.status).toBe(400);
    control(google.sandbox, 'failConferences', { count: 1 });
    const event = await insert(google, { ...MEETING, ...request('r2') }, { conferenceDataVersion: '1' });
    const { body } = await google.ada('GET', `${EVENTS}/${event.id}`);
    expect(body.conferenceData.createRequest.status.statusCode).toBe('failure');
  });
});

describe('private details', () => {
  test('are hidden from readers and from free/busy readers', async () => {
    const { body: calendar } = await google.ada('POST', '/calendars', { body: { summary: 'Team' } });
    const path = `/calendars/${encodeURIComponent(calendar.id)}/events`;
    await google.ada('POST', path, { body: { ...MEETING, visibility: 'private' } });
    await google.ada('POST', path, { body: WEEKLY });
    const seenAs = async (role: string) => {
      control(google.sandbox, 'setRole', { email: CHARLES, calendarId: calendar.id, role });
      return (await google.charles('GET', path)).body.items.map((item: Json) => item.summary);
    };
    expect(await seenAs('writer')).toEqual(['Meeting', 'Weekly']);
    expect(await seenAs('writerWithoutPrivateAccess')).toEqual([undefined, 'Weekly']);
    expect(await seenAs('reader')).toEqual([undefined, 'Weekly']);
    expect(await seenAs('freeBusyReader')).toEqual([undefined, undefined]);
  });
});
