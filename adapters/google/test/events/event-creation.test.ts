import type { NewEvent, ProviderEvent } from 'kalends/ports';
import { describe, expect, test } from 'vitest';
import { ADA, exceptionsIn, failureOf, GRACE, newRequestId, single, slotOf, targetOf } from '../harness.ts';
import { at, calendar, DAY, meeting, NINE, writingStage } from './writing-stage.ts';

const stage = writingStage();
const { ada, create, createSeries, events } = stage;

describe('create', () => {
  test('every writable field comes back', async () => {
    const event = await create({
      ...meeting,
      description: 'About <b>it</b>',
      location: 'Room 1',
      publicExtendedProperties: { room: '1' },
      privateExtendedProperties: { crm: '42' },
      colorId: '7',
      customColor: '#123456',
      attendees: [{ email: GRACE, name: 'Grace' }],
      visibility: 'private',
      transparency: 'transparent',
      reminders: { overrides: [{ method: 'popup', minutes: 15 }] },
    });
    expect(event.content).toMatchObject({
      title: 'Planning',
      description: 'About <b>it</b>',
      location: 'Room 1',
      start: at('2026-03-02T09:00:00+00:00'),
      end: at('2026-03-02T10:00:00+00:00'),
      isAllDay: false,
      publicExtendedProperties: { room: '1' },
      privateExtendedProperties: { crm: '42' },
      colorId: '7',
      customColor: '#123456',
      attendees: [{ id: GRACE, email: GRACE, name: 'Grace', responseStatus: 'needsAction' }],
      visibility: 'private',
      transparency: 'transparent',
      reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 15 }] },
      recurrence: null,
      myResponseStatus: 'accepted',
      organizer: { isSelf: true, email: ADA },
      creator: { email: ADA },
      eventType: 'default',
    });
    expect(event).toMatchObject({ isOrganizer: true, isCancelled: false, seriesId: null, recurrenceId: null });
    expect(event.content?.webLink).toMatch(/^https:/);
    expect(event.content?.iCalUid).not.toBe('');
  });

  test('the same request id finds the first result', async () => {
    const requestId = newRequestId();
    const first = single(await events().create(ada(), calendar, meeting, { requestId }));
    const again = single(await events().create(ada(), calendar, { ...meeting, title: 'Other' }, { requestId }));
    expect(again).toEqual(first);
    const { items } = await stage.harness.api(ADA, 'GET', '/calendars/primary/events');
    expect(items).toHaveLength(1);
  });

  test('a lost answer makes no second event', async () => {
    stage.harness.sandbox.faults.arm({
      provider: 'google',
      method: 'POST',
      path: '.*/events',
      kind: 'answer-after',
      status: 503,
      times: 1,
    });
    const event = await create(meeting);
    expect(event.content?.title).toBe('Planning');
    const { items } = await stage.harness.api(ADA, 'GET', '/calendars/primary/events');
    expect(items).toHaveLength(1);
  });

  test.each([
    ['changed and deleted', true],
    ['changed', false],
  ])('an imported event that was %s is imported again', async (_name, isDeleted) => {
    const again = () =>
      events().create(ada(), calendar, meeting, { requestId: newRequestId(), iCalUid: 'u@x.example' });
    const first = single(await again());
    const times = { start: at('2026-03-02T11:00:00+00:00'), end: at('2026-03-02T12:00:00+00:00') };
    await events().update(ada(), calendar, targetOf(first), times, {});
    if (isDeleted) await events().delete(ada(), calendar, targetOf(first), {});
    const second = single(await again());
    expect(second).toMatchObject({ providerEventId: first.providerEventId, isCancelled: false });
    expect(second.content?.start).toEqual(meeting.start);
  });

  test('a deleted series that is imported again is answered with the exceptions that Google brings back', async () => {
    const series: NewEvent = { ...meeting, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
    const again = () => events().create(ada(), calendar, series, { requestId: newRequestId(), iCalUid: 'u@x.example' });
    const first = single(await again());
    await events().delete(ada(), calendar, slotOf(first, NINE + DAY), {});
    await events().delete(ada(), calendar, targetOf(first), {});
    const second = await again();
    expect(single(second)).toMatchObject({ providerEventId: first.providerEventId, isCancelled: false });
    const path = `/calendars/primary/events/${first.providerEventId}/instances?showDeleted=true`;
    const { items } = await stage.harness.api(ADA, 'GET', path);
    const cancelled = (items as { id: string; status: string }[]).filter(({ status }) => status === 'cancelled');
    expect(cancelled).not.toEqual([]);
    expect(exceptionsIn(second)).toMatchObject(cancelled.map(({ id }) => ({ providerEventId: id, isCancelled: true })));
  });

  test('all-day events have dates and no zone', async () => {
    const event = await create({
      title: 'Fair',
      isAllDay: true,
      start: at('2026-03-02T00:00:00', ''),
      end: at('2026-03-04T00:00:00', ''),
    });
    expect(event.content).toMatchObject({
      isAllDay: true,
      start: { dateTime: '2026-03-02T00:00:00', timeZone: '' },
      end: { dateTime: '2026-03-04T00:00:00', timeZone: '' },
    });
  });

  test('a series keeps its zone and gets its UNTIL in UTC', async () => {
    const series = await createSeries({
      start: at('2026-03-02T09:00:00-05:00', 'America/New_York'),
      end: at('2026-03-02T10:00:00-05:00', 'America/New_York'),
      recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260401', 'EXDATE:20260309T090000'],
    });
    expect(series.content).toMatchObject({
      start: at('2026-03-02T09:00:00-05:00', 'America/New_York'),
      recurrence: ['RRULE:FREQ=WEEKLY;UNTIL=20260402T035959Z', 'EXDATE;TZID=America/New_York:20260309T090000'],
    });
  });

  test('a Meet meeting is waited for', async () => {
    const event = await create({ ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' });
    expect(event.content).toMatchObject({
      generateMeetingUrlProvider: 'hangoutsMeet',
      conferenceData: {
        conferenceType: 'hangoutsMeet',
        joinUrl: expect.stringMatching(/^https:\/\/meet\.google\.com\//),
        conferenceId: expect.any(String),
        conferenceDetails: { createRequest: { status: { statusCode: 'success' } } },
      },
    });
  });

  test('a meeting that Google fails to make leaves an event without a link', async () => {
    stage.harness.sandbox.google.controls['failConferences']?.({ count: 1 });
    const event = await create({ ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' });
    expect(event.content?.conferenceData?.joinUrl).toBeUndefined();
  });

  test('a failed look at a pending meeting is no failed write', async () => {
    stage.harness.sandbox.faults.arm({
      provider: 'google',
      method: 'GET',
      path: '.*/events/.*',
      kind: 'answer',
      status: 403,
      times: 1,
    });
    const input = { ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' };
    const [made, reread] = await events().create(ada(), calendar, input, { requestId: newRequestId() });
    const event = single(made === undefined ? [] : [made]);
    expect(event.content).toMatchObject({
      generateMeetingUrlProvider: 'hangoutsMeet',
      conferenceData: { conferenceDetails: { createRequest: { status: { statusCode: 'pending' } } } },
    });
    expect(reread).toEqual({ kind: 'reread', providerEventId: event.providerEventId });
  });

  test('out-of-office and focus time on the primary calendar', async () => {
    expect((await create({ ...meeting, eventType: 'outOfOffice' })).content?.eventType).toBe('outOfOffice');
    expect((await create({ ...meeting, eventType: 'focusTime' })).content?.eventType).toBe('focusTime');
  });

  test.each([
    ['isAllDay', { isAllDay: true, start: at('2026-03-02T00:00:00', ''), end: at('2026-03-03T00:00:00', '') }],
    ['transparency', { transparency: 'transparent' }],
    ['attendees', { attendees: [{ email: GRACE }] }],
  ] as const)('what is no status event is refused, naming %s', async (field, patch) => {
    for (const eventType of ['outOfOffice', 'focusTime'] as const) {
      const refused = create({ ...meeting, eventType, ...patch });
      expect(await failureOf(refused)).toMatchObject({ reason: 'unsupported', field });
      const event = await create({ ...meeting, eventType });
      const call = events().update(ada(), calendar, targetOf(event), patch, {});
      expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field });
    }
  });

  test('attendees are required, optional or resources, and stay so', async () => {
    const attendees = [
      { email: GRACE },
      { email: 'maybe@example.com', kind: 'optional' },
      { email: 'room@example.com', kind: 'resource' },
    ] as const;
    const event = await create({ ...meeting, attendees });
    const kindsOf = ({ content }: ProviderEvent) =>
      Object.fromEntries((content?.attendees ?? []).map(({ email, kind }) => [email, kind]));
    const kinds = { [GRACE]: 'required', 'maybe@example.com': 'optional', 'room@example.com': 'resource' };
    expect(kindsOf(event)).toEqual(kinds);
    const guests = [...attendees].reverse().map(({ email }) => ({ email, name: 'Somebody' }));
    const after = single(await events().update(ada(), calendar, targetOf(event), { attendees: guests }, {}));
    expect(kindsOf(after)).toEqual(kinds);
    const required = [{ email: 'maybe@example.com', kind: 'required' }] as const;
    const last = single(await events().update(ada(), calendar, targetOf(event), { attendees: required }, {}));
    expect(kindsOf(last)).toEqual({ 'maybe@example.com': 'required' });
  });

  test.each([
    ['eventType', { eventType: 'focusTime' }],
    ['generateMeetingUrlProvider', { generateMeetingUrlProvider: 'teamsForBusiness' }],
    ['conferenceData', { conferenceData: { link: 'x' } }],
    ['colorId', { colorId: '12' }],
    ['recurrence', { recurrence: ['DTSTART:20260302T090000Z', 'RRULE:FREQ=DAILY'] }],
    ['privateExtendedProperties', { privateExtendedProperties: { ['k'.repeat(45)]: 'v' } }],
    ['publicExtendedProperties', { publicExtendedProperties: { k: 'v'.repeat(1025) } }],
    ['privateExtendedProperties', { privateExtendedProperties: { 'kalends.customColor': 'v' } }],
    ['reminders', { reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 1 }] } }],
  ] as const)('what Google cannot hold is refused, naming %s', async (field, patch) => {
    const secondary = { ...calendar, id: 'c_x', isPrimary: false };
    const call = events().create(ada(), secondary, { ...meeting, ...patch } as NewEvent, { requestId: newRequestId() });
    expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field });
  });

  test('a long description is invalid', async () => {
    const call = create({ ...meeting, description: 'x'.repeat(8193) });
    expect(await failureOf(call)).toMatchObject({ reason: 'invalid', field: 'description' });
  });
});
