import { type NewEvent, ProviderError, type ProviderEvent } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ADA,
  exceptionsIn,
  exceptionTarget,
  failureOf,
  GRACE,
  type Harness,
  newRequestId,
  primaryOf,
  pullAll,
  single,
  slotOf,
  startHarness,
  targetOf,
} from './harness.ts';

const calendar = primaryOf(ADA);
const at = (dateTime: string, timeZone = 'Europe/London') => ({ dateTime, timeZone });
const NINE = Date.UTC(2026, 2, 2, 9);
const DAY = 86_400_000;

const meeting: NewEvent = {
  title: 'Planning',
  start: at('2026-03-02T09:00:00+00:00'),
  end: at('2026-03-02T10:00:00+00:00'),
};

let harness: Harness;

beforeEach(async () => {
  harness = await startHarness();
});

afterEach(() => harness.close());

const events = () => harness.provider.events;
const ada = () => harness.sessionOf(ADA);

async function create(input: NewEvent): Promise<ProviderEvent> {
  return single(await events().create(ada(), calendar, input, { requestId: newRequestId() }));
}

async function createSeries(extra: Partial<NewEvent> = {}): Promise<ProviderEvent> {
  return create({ ...meeting, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], ...extra });
}

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
    expect(event).toMatchObject({ isOrganizer: true, isCancelled: false, seriesId: null, originalStart: null });
    expect(event.content?.webLink).toMatch(/^https:/);
    expect(event.content?.iCalUid).not.toBe('');
  });

  test('the same request id finds the first result', async () => {
    const requestId = newRequestId();
    const first = single(await events().create(ada(), calendar, meeting, { requestId }));
    const again = single(await events().create(ada(), calendar, { ...meeting, title: 'Other' }, { requestId }));
    expect(again).toEqual(first);
    const { items } = await harness.api(ADA, 'GET', '/calendars/primary/events');
    expect(items).toHaveLength(1);
  });

  test('a lost answer makes no second event', async () => {
    harness.sandbox.faults.arm({
      provider: 'google',
      method: 'POST',
      path: '.*/events',
      kind: 'answer-after',
      status: 503,
      times: 1,
    });
    const event = await create(meeting);
    expect(event.content?.title).toBe('Planning');
    const { items } = await harness.api(ADA, 'GET', '/calendars/primary/events');
    expect(items).toHaveLength(1);
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
    harness.sandbox.google.controls['failConferences']?.({ count: 1 });
    const event = await create({ ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' });
    expect(event.content?.conferenceData?.joinUrl).toBeUndefined();
  });

  test('a failed look at a pending meeting is no failed write', async () => {
    harness.sandbox.faults.arm({
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
    const attendeeKinds = { 'maybe@example.com': 'optional', 'room@example.com': 'resource' };
    expect(event).toMatchObject({ attendeeKinds });
    const guests = [...attendees].reverse().map(({ email }) => ({ email, name: 'Somebody' }));
    const after = single(await events().update(ada(), calendar, targetOf(event), { attendees: guests }, {}));
    expect(after).toMatchObject({ attendeeKinds });
    const required = [{ email: 'maybe@example.com', kind: 'required' }] as const;
    const last = single(await events().update(ada(), calendar, targetOf(event), { attendees: required }, {}));
    expect(last).not.toHaveProperty('attendeeKinds');
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

describe('update', () => {
  test('changes what is sent, clears what is null, leaves the rest', async () => {
    const before = await create({
      ...meeting,
      description: 'd',
      location: 'l',
      colorId: '3',
      customColor: '#000000',
      privateExtendedProperties: { a: '1', b: '2' },
      publicExtendedProperties: { p: '1' },
    });
    const after = single(
      await events().update(
        ada(),
        calendar,
        targetOf(before),
        {
          title: 'New',
          description: null,
          colorId: null,
          customColor: null,
          privateExtendedProperties: { a: null, c: '3' },
          publicExtendedProperties: null,
        },
        {},
      ),
    );
    expect(after.content).toMatchObject({
      title: 'New',
      description: '',
      location: 'l',
      privateExtendedProperties: { b: '2', c: '3' },
      publicExtendedProperties: {},
    });
    expect(after.content).not.toHaveProperty('colorId');
    expect(after.content).not.toHaveProperty('customColor');
    expect(after.providerTag).not.toBe(before.providerTag);
  });

  test('timed to all-day and back', async () => {
    const timed = await create(meeting);
    const allDay = single(
      await events().update(
        ada(),
        calendar,
        targetOf(timed),
        { isAllDay: true, start: at('2026-03-02T00:00:00', ''), end: at('2026-03-03T00:00:00', '') },
        {},
      ),
    );
    expect(allDay.content).toMatchObject({ isAllDay: true, start: { dateTime: '2026-03-02T00:00:00', timeZone: '' } });
    const again = single(
      await events().update(
        ada(),
        calendar,
        targetOf(allDay),
        { isAllDay: false, start: meeting.start, end: meeting.end },
        {},
      ),
    );
    expect(again.content).toMatchObject({ isAllDay: false, start: meeting.start, end: meeting.end });
  });

  test('a series that becomes all-day gets its rule in dates', async () => {
    const series = await createSeries({ recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260310T235959Z'] });
    const after = single(
      await events().update(
        ada(),
        calendar,
        targetOf(series),
        { isAllDay: true, start: at('2026-03-02T00:00:00', ''), end: at('2026-03-03T00:00:00', '') },
        {},
      ),
    );
    expect(after.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260310']);
  });

  test('a stale tag is refused and changes nothing', async () => {
    const event = await create(meeting);
    await harness.api(ADA, 'PATCH', `/calendars/primary/events/${event.providerEventId}`, { summary: 'Theirs' });
    const ifMatch = event.providerTag ?? '';
    for (const patch of [{ title: 'Mine' }, { attendees: [{ email: GRACE }] }, {}]) {
      const call = events().update(ada(), calendar, targetOf(event), patch, { ifMatch });
      expect(await failureOf(call)).toMatchObject({ reason: 'precondition-failed' });
    }
    const now = await harness.api(ADA, 'GET', `/calendars/primary/events/${event.providerEventId}`);
    expect(now['summary']).toBe('Theirs');
  });

  test('never resets the answers of guests', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    await harness.provider.events.respond(
      harness.sessionOf(GRACE),
      primaryOf(GRACE),
      targetOf(single(await events().get(harness.sessionOf(GRACE), primaryOf(GRACE), event.providerEventId))),
      'accepted',
      {},
    );
    const after = single(
      await events().update(
        ada(),
        calendar,
        // The stored copy is older than Grace's answer.
        targetOf(event),
        { attendees: [{ email: GRACE.toUpperCase(), responseStatus: 'needsAction' }, { email: 'new@example.com' }] },
        {},
      ),
    );
    expect(after.content?.attendees.map(({ email, responseStatus }) => [email, responseStatus])).toEqual([
      [GRACE, 'accepted'],
      ['new@example.com', 'needsAction'],
    ]);
  });

  test('a merge of guests is redone when somebody is faster', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    harness.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      kind: 'answer',
      status: 412,
      times: 2,
      body: { error: { code: 412, message: 'Precondition Failed', errors: [{ reason: 'conditionNotMet' }] } },
    });
    const patch = { attendees: [{ email: GRACE }, { email: 'new@example.com' }] };
    const after = single(await events().update(ada(), calendar, targetOf(event), patch, {}));
    expect(after.content?.attendees).toHaveLength(2);
  });

  test('the answer that nobody saw is not taken for a stale tag', async () => {
    const event = await create(meeting);
    harness.sandbox.faults.arm({
      provider: 'google',
      method: 'PATCH',
      kind: 'answer-after',
      status: 503,
      times: 1,
    });
    const call = events().update(
      ada(),
      calendar,
      targetOf(event),
      { title: 'New' },
      { ifMatch: event.providerTag ?? '' },
    );
    expect(await failureOf(call)).toMatchObject({ reason: 'unavailable' });
  });

  test('sending back what was read writes nothing', async () => {
    const event = await create({
      ...meeting,
      generateMeetingUrlProvider: 'hangoutsMeet',
      attendees: [{ email: GRACE, name: 'Grace' }],
    });
    const { content } = event;
    if (content === null) throw new Error('no content');
    const after = single(
      await events().update(
        ada(),
        calendar,
        targetOf(event),
        {
          conferenceData: structuredClone(content.conferenceData ?? {}),
          generateMeetingUrlProvider: 'hangoutsMeet',
          eventType: content.eventType,
        },
        {},
      ),
    );
    expect(after).toEqual(event);
  });

  test('what the event shows already is not sent', async () => {
    const series = await createSeries({
      attendees: [{ email: GRACE, name: 'Grace' }],
      privateExtendedProperties: { a: '1' },
    });
    const { content } = series;
    if (content === null) throw new Error('no content');
    const { title, start, end, isAllDay, reminders, recurrence } = content;
    const echo = { title, start, end, isAllDay, reminders, recurrence, attendees: [{ email: GRACE }], colorId: null };
    const patch = { ...echo, privateExtendedProperties: { a: '1', b: null } };
    harness.sandbox.requests.clear();
    expect(await events().update(ada(), calendar, targetOf(series), patch, {})).toMatchObject([{ master: series }]);
    const slot = await events().update(ada(), calendar, slotOf(series, NINE + DAY), { title, visibility: null }, {});
    expect(exceptionsIn(slot)).toEqual([]);
    expect(harness.sandbox.requests.list().filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('what the stored copy shows but Google does not any more is sent', async () => {
    const event = await create(meeting);
    await harness.api(ADA, 'PATCH', `/calendars/primary/events/${event.providerEventId}`, { summary: 'Theirs' });
    const after = single(await events().update(ada(), calendar, targetOf(event), { title: 'Planning' }, {}));
    expect(after.content?.title).toBe('Planning');
  });

  test('a conference can be removed, and given by hand', async () => {
    const event = await create({ ...meeting, generateMeetingUrlProvider: 'hangoutsMeet' });
    const bare = single(await events().update(ada(), calendar, targetOf(event), { conferenceData: null }, {}));
    expect(bare.content).not.toHaveProperty('conferenceData');
    expect(bare.content).not.toHaveProperty('generateMeetingUrlProvider');
    const conferenceData = { conferenceType: 'addOn', joinUrl: 'https://video.example/1', conferenceId: 'one' };
    const given = single(await events().update(ada(), calendar, targetOf(bare), { conferenceData }, {}));
    expect(given.content?.conferenceData).toMatchObject(conferenceData);
  });

  test('the type of an event cannot change', async () => {
    const event = await create(meeting);
    const call = events().update(ada(), calendar, targetOf(event), { eventType: 'focusTime' }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field: 'eventType' });
  });

  test("a guest may not change the organizer's fields, but their own", async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    const grace = harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    expect(copy.isOrganizer).toBe(false);
    const call = events().update(grace, primaryOf(GRACE), targetOf(copy), { title: 'Mine' }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'not-organizer' });
    const patch = { colorId: '4', transparency: 'transparent', customColor: '#ffffff' } as const;
    const after = single(await events().update(grace, primaryOf(GRACE), targetOf(copy), patch, {}));
    expect(after.content).toMatchObject(patch);
  });

  test('a series becomes a single event and loses its exceptions', async () => {
    const series = await createSeries();
    await events().delete(ada(), calendar, slotOf(series, NINE + DAY), {});
    const after = await events().update(ada(), calendar, targetOf(series), { recurrence: null }, {});
    expect(exceptionsIn(after)).toEqual([]);
    expect(single(after).content?.recurrence).toBeNull();
  });

  test('isCancelled deletes', async () => {
    const event = await create(meeting);
    const after = await events().update(ada(), calendar, targetOf(event), { isCancelled: true }, {});
    expect(after).toEqual([{ kind: 'deleted', providerEventId: event.providerEventId }]);
  });
});

describe('occurrences', () => {
  test('one slot is changed, found by its original start', async () => {
    const series = await createSeries();
    const answer = await events().update(
      ada(),
      calendar,
      slotOf(series, NINE + 2 * DAY),
      { title: 'Special', start: at('2026-03-04T15:00:00+00:00'), end: at('2026-03-04T16:00:00+00:00') },
      {},
    );
    expect(single(answer).content?.title).toBe('Planning');
    const [exception] = exceptionsIn(answer);
    expect(exception).toMatchObject({
      seriesId: series.providerEventId,
      originalStart: { kind: 'instant', startMs: NINE + 2 * DAY },
      isCancelled: false,
      content: { title: 'Special', start: at('2026-03-04T15:00:00+00:00'), recurrence: null },
    });
  });

  test('an exception is changed again by its own id and tag', async () => {
    const series = await createSeries();
    const first = exceptionsIn(
      await events().update(ada(), calendar, slotOf(series, NINE + DAY), { title: 'One' }, {}),
    )[0] as ProviderEvent;
    const target = exceptionTarget(series, first);
    const ifMatch = first.providerTag ?? '';
    const second = await events().update(ada(), calendar, target, { title: 'Two' }, { ifMatch });
    expect(exceptionsIn(second).map((event) => event.content?.title)).toEqual(['Two']);
    const stale = events().update(ada(), calendar, target, { title: 'Three' }, { ifMatch });
    expect(await failureOf(stale)).toMatchObject({ reason: 'precondition-failed' });
  });

  test('a slot is cancelled and restored', async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const cancelled = exceptionsIn(await events().delete(ada(), calendar, slot, {}))[0] as ProviderEvent;
    expect(cancelled).toMatchObject({
      isCancelled: true,
      content: null,
      originalStart: { kind: 'instant', startMs: NINE + DAY },
    });
    const again = exceptionsIn(await events().delete(ada(), calendar, slot, {}));
    expect(again).toEqual([cancelled]);
    const target = exceptionTarget(series, cancelled);
    const restored = await events().update(ada(), calendar, target, { isCancelled: false, title: 'Back' }, {});
    expect(exceptionsIn(restored)).toMatchObject([
      { isCancelled: false, content: { title: 'Back', start: at('2026-03-03T09:00:00+00:00') } },
    ]);
  });

  test('slots of an all-day series are found by date', async () => {
    const series = await createSeries({
      isAllDay: true,
      start: at('2026-03-02T00:00:00', ''),
      end: at('2026-03-03T00:00:00', ''),
    });
    const originalStart = { kind: 'date', date: '2026-03-03' } as const;
    const target = { ...slotOf(series, 0), originalStart } as ReturnType<typeof slotOf>;
    const answer = await events().update(ada(), calendar, target, { title: 'Second day' }, {});
    expect(exceptionsIn(answer)).toMatchObject([{ originalStart, content: { title: 'Second day', isAllDay: true } }]);
  });

  test('a slot that the series does not have is not found', async () => {
    const series = await createSeries();
    const call = events().update(ada(), calendar, slotOf(series, NINE + 1), { title: 'x' }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'not-found' });
  });

  test("a slot's tag is its series'", async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const call = events().update(ada(), calendar, slot, { title: 'x' }, { ifMatch: '"other"' });
    expect(await failureOf(call)).toMatchObject({ reason: 'precondition-failed' });
    const answer = await events().update(ada(), calendar, slot, { title: 'x' }, { ifMatch: series.providerTag ?? '' });
    expect(exceptionsIn(answer)).toHaveLength(1);
  });

  test('an occurrence has no rule of its own', async () => {
    const series = await createSeries();
    const slot = slotOf(series, NINE + DAY);
    const call = events().update(ada(), calendar, slot, { recurrence: ['RRULE:FREQ=DAILY'] }, {});
    expect(await failureOf(call)).toMatchObject({ reason: 'unsupported', field: 'recurrence' });
    const answer = await events().update(ada(), calendar, slot, { recurrence: null, title: 'x' }, {});
    expect(exceptionsIn(answer)).toHaveLength(1);
  });

  test('guests of one slot keep their answers', async () => {
    const series = await createSeries({ attendees: [{ email: GRACE }] });
    const grace = harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), series.providerEventId));
    await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'tentative', {});
    const answer = await events().update(
      ada(),
      calendar,
      slotOf(series, NINE + DAY),
      { attendees: [{ email: GRACE }, { email: 'x@example.com' }] },
      {},
    );
    const guests = exceptionsIn(answer)[0]?.content?.attendees;
    expect(guests?.map(({ responseStatus }) => responseStatus)).toEqual(['tentative', 'needsAction']);
  });
});

describe('orphan instances', () => {
  test('one slot of an unseen series is read, answered and coloured', async () => {
    const { id } = await harness.api(GRACE, 'POST', '/calendars/primary/events', {
      summary: 'Hers',
      start: { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Europe/London' },
      end: { dateTime: '2026-03-02T10:00:00Z', timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const { items } = await harness.api(GRACE, 'GET', `/calendars/primary/events/${id}/instances`);
    const instanceId = (items as { id: string }[])[1]?.id ?? '';
    await harness.api(GRACE, 'PATCH', `/calendars/primary/events/${instanceId}`, { attendees: [{ email: ADA }] });
    const { changes } = await pullAll(events().pull(ada(), calendar, null));
    const orphan = single(changes);
    expect(orphan).toMatchObject({ seriesId: id, originalStart: { kind: 'instant', startMs: NINE + DAY } });
    const answered = single(await events().respond(ada(), calendar, targetOf(orphan), 'accepted', {}));
    expect(answered).toMatchObject({ seriesId: id, content: { myResponseStatus: 'accepted', recurrence: null } });
    const patch = { colorId: '5', recurrence: null };
    const coloured = single(await events().update(ada(), calendar, targetOf(answered), patch, {}));
    expect(coloured.content?.colorId).toBe('5');
    const { token } = await pullAll(events().pull(ada(), calendar, null));
    const [deleted] = await events().delete(ada(), calendar, targetOf(coloured), {});
    const [told] = (await pullAll(events().pull(ada(), calendar, token))).changes;
    expect(told).toMatchObject({ kind: 'event', event: { seriesId: id, isCancelled: true, content: null } });
    expect(deleted).toEqual({ kind: 'event', event: { ...(told as { event: object }).event, providerTag: null } });
  });
});

describe('mail to guests', () => {
  test.each(['all', 'externalOnly', 'none'] as const)('sendUpdates %s goes with every write', async (sendUpdates) => {
    await harness.close();
    harness = await startHarness({ sendUpdates });
    const event = await create(meeting);
    await events().update(ada(), calendar, targetOf(event), { title: 'New' }, {});
    await events().delete(ada(), calendar, targetOf(event), {});
    const writes = harness.sandbox.requests.list().filter(({ method }) => method !== 'GET');
    expect(writes.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
    for (const { query } of writes) expect(new URLSearchParams(query).get('sendUpdates')).toBe(sendUpdates);
  });
});

describe('delete', () => {
  test('deletes an event, and again', async () => {
    const event = await create(meeting);
    const gone = [{ kind: 'deleted', providerEventId: event.providerEventId }];
    expect(await events().delete(ada(), calendar, targetOf(event), {})).toEqual(gone);
    expect(await events().delete(ada(), calendar, targetOf(event), {})).toEqual(gone);
  });

  test('cancelling a slot of a series that is gone resolves with that', async () => {
    const series = await createSeries();
    await events().delete(ada(), calendar, targetOf(series), {});
    expect(await events().delete(ada(), calendar, slotOf(series, NINE + DAY), {})).toEqual([
      { kind: 'deleted', providerEventId: series.providerEventId },
    ]);
  });
});

describe('respond', () => {
  test('answers the whole series, then one slot', async () => {
    const series = await createSeries({ attendees: [{ email: GRACE }, { email: 'other@example.com' }] });
    const grace = harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), series.providerEventId));
    const accepted = single(await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'accepted', {}));
    expect(accepted.content?.myResponseStatus).toBe('accepted');
    const slot = await events().respond(grace, primaryOf(GRACE), slotOf(accepted, NINE + DAY), 'declined', {});
    expect(single(slot).content?.myResponseStatus).toBe('accepted');
    expect(exceptionsIn(slot)).toMatchObject([{ content: { myResponseStatus: 'declined' } }]);
    const seen = single(await events().get(ada(), calendar, series.providerEventId));
    expect(seen.content?.attendees.map((guest) => guest.responseStatus)).toEqual(['accepted', 'needsAction']);
  });

  test('the organizer and strangers are refused', async () => {
    const event = await create({ ...meeting, attendees: [{ email: ADA }, { email: GRACE }] });
    const own = events().respond(ada(), calendar, targetOf(event), 'declined', {});
    expect(await failureOf(own)).toMatchObject({ reason: 'forbidden' });
    const { id } = await harness.api(ADA, 'POST', '/calendars/primary/events', {
      summary: 'Alone',
      start: { date: '2026-03-02' },
      end: { date: '2026-03-03' },
    });
    const alone = single(await events().get(ada(), calendar, String(id)));
    const call = events().respond(ada(), calendar, targetOf(alone), 'declined', {});
    expect(ProviderError.isInstance(await failureOf(call))).toBe(true);
  });

  test('the same answer again writes nothing', async () => {
    const event = await create({ ...meeting, attendees: [{ email: GRACE }] });
    const grace = harness.sessionOf(GRACE);
    const copy = single(await events().get(grace, primaryOf(GRACE), event.providerEventId));
    const first = single(await events().respond(grace, primaryOf(GRACE), targetOf(copy), 'tentative', {}));
    const second = single(await events().respond(grace, primaryOf(GRACE), targetOf(first), 'tentative', {}));
    expect(second.providerTag).toBe(first.providerTag);
  });
});
