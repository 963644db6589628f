import type { CalendarRef, EventPatch, EventTarget, NewEvent, ProviderEvent, ProviderSession } from 'kalends/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADA, BEN, collect, createHarness, type Harness, nextRequestId, onlyEvent, onlySeries } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeAll(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterAll(() => harness.close());

const NEW_YORK = 'America/New_York';
const at = (dateTime: string, timeZone = NEW_YORK) => ({ dateTime, timeZone });
const plain: NewEvent = {
  title: 'Plain',
  start: at('2026-02-02T09:00:00-05:00'),
  end: at('2026-02-02T10:00:00-05:00'),
};
const weekly: NewEvent = { ...plain, title: 'Weekly', recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5'] };

async function create(input: NewEvent) {
  return onlyEvent(await harness.provider.events.create(session, calendar, input, { requestId: nextRequestId() }));
}

async function createSeries(input: NewEvent) {
  return onlySeries(await harness.provider.events.create(session, calendar, input, { requestId: nextRequestId() }));
}

const whole = (current: ProviderEvent): EventTarget => ({
  kind: 'event',
  providerEventId: current.providerEventId,
  current,
});

function slot(master: ProviderEvent, startMs: number, current?: ProviderEvent): EventTarget {
  const recurrenceId = { kind: 'instant', startMs } as const;
  return {
    kind: 'occurrence',
    seriesId: master.providerEventId,
    recurrenceId,
    current: current ?? { ...master, providerEventId: '', seriesId: master.providerEventId, recurrenceId },
    master,
  };
}

async function update(target: EventTarget, patch: EventPatch, ifMatch?: string) {
  return harness.provider.events.update(session, calendar, target, patch, ifMatch === undefined ? {} : { ifMatch });
}

const failure = (reason: string, field?: string) =>
  expect.objectContaining({ name: expect.any(String), reason, ...(field === undefined ? {} : { field }) });

test('a patch changes what it names and nothing else; null clears', async () => {
  const event = await create({
    ...plain,
    description: 'before',
    location: 'here',
    colorId: '3',
    privateExtendedProperties: { a: '1', b: '2' },
  });
  const after = onlyEvent(
    await update(whole(event), { title: 'Other', colorId: null, privateExtendedProperties: { a: null, c: '3' } }),
  );
  expect(after.content).toEqual({
    ...event.content,
    title: 'Other',
    updatedAt: after.content?.updatedAt,
    privateExtendedProperties: { b: '2', c: '3' },
    colorId: undefined,
  });
  const cleared = onlyEvent(
    await update(whole(after), { description: null, location: null, privateExtendedProperties: null }),
  );
  expect(cleared.content).toMatchObject({ description: '', location: '', privateExtendedProperties: {} });
});

test('an empty patch sends nothing', async () => {
  const event = await create(plain);
  expect(onlyEvent(await update(whole(event), {})).providerTag).toBe(event.providerTag);
  expect(onlyEvent(await update(whole(event), { transparency: 'opaque' })).providerTag).toBe(event.providerTag);
});

test('an event becomes all-day and timed again', async () => {
  const event = await create(plain);
  const allDay = onlyEvent(
    await update(whole(event), {
      isAllDay: true,
      start: at('2026-02-03T00:00:00', ''),
      end: at('2026-02-05T00:00:00', ''),
    }),
  );
  expect(allDay.content).toMatchObject({
    isAllDay: true,
    start: { dateTime: '2026-02-03T00:00:00', timeZone: '' },
    end: { dateTime: '2026-02-05T00:00:00', timeZone: '' },
  });
  const timed = onlyEvent(await update(whole(allDay), { isAllDay: false, start: plain.start, end: plain.end }));
  expect(timed.content).toMatchObject({ isAllDay: false, start: plain.start, end: plain.end });
});

test('a zone comes back as it was spelled, until Outlook changes it', async () => {
  for (const naming of ['asGiven', 'windows'] as const) {
    harness.control('setZoneNaming', { naming });
    const times = {
      start: at('2026-02-02T09:00:00+01:00', 'Europe/Zurich'),
      end: at('2026-02-02T11:00:00+02:00', 'Europe/Kyiv'),
    };
    const event = await create({ ...plain, ...times });
    expect(event.content).toMatchObject(times);
    await harness.graph(ADA, 'PATCH', `me/events/${event.providerEventId}`, {
      start: { dateTime: '2026-02-02T09:00:00', timeZone: 'Tokyo Standard Time' },
      end: { dateTime: '2026-02-02T10:00:00', timeZone: 'Tokyo Standard Time' },
    });
    const [change] = await harness.provider.events.get(session, calendar, event.providerEventId);
    expect(onlyEvent([change!]).content?.start).toEqual({
      dateTime: '2026-02-02T09:00:00+09:00',
      timeZone: 'Asia/Tokyo',
    });
  }
  harness.control('setZoneNaming', { naming: 'asGiven' });
});

test('the second reading of a time that exists twice is kept exactly', async () => {
  const times = {
    start: at('2026-11-01T01:30:00-05:00'),
    end: at('2026-11-01T02:30:00-05:00'),
  };
  expect((await create({ ...plain, ...times })).content).toMatchObject(times);
});

test('a Teams meeting is made, keeps its block under a new description, and cannot be unmade', async () => {
  const event = await create({ ...plain, description: 'a < b\nc', generateMeetingUrlProvider: 'teamsForBusiness' });
  const joinUrl = event.content?.conferenceData?.joinUrl;
  expect(event.content).toMatchObject({
    description: 'a < b\nc',
    generateMeetingUrlProvider: 'teamsForBusiness',
    conferenceData: {
      conferenceType: 'teamsForBusiness',
      joinUrl: expect.stringMatching(/^https:/),
      conferenceDetails: {
        entryPoints: [{ entryPointType: 'video', uri: joinUrl, label: 'teams.example' }],
        conferenceSolution: { key: { type: 'teamsForBusiness' }, name: 'Microsoft Teams', iconUri: '' },
      },
    },
  });
  const after = onlyEvent(await update(whole(event), { description: 'new & shiny\nlines' }));
  expect(after.content).toMatchObject({ description: 'new & shiny\nlines', conferenceData: { joinUrl } });
  const twice = onlyEvent(await update(whole(after), { description: '' }));
  expect(twice.content).toMatchObject({ description: '', conferenceData: { joinUrl } });
  await expect(update(whole(event), { generateMeetingUrlProvider: null })).rejects.toEqual(
    failure('unsupported', 'generateMeetingUrlProvider'),
  );
  const same = await update(whole(event), { conferenceData: after.content?.conferenceData ?? null });
  expect(onlyEvent(same).content?.conferenceData).toEqual(after.content?.conferenceData);
  const later = await create({ ...plain, description: 'first & then' });
  const online = onlyEvent(await update(whole(later), { generateMeetingUrlProvider: 'teamsForBusiness' }));
  expect(online.content).toMatchObject({ description: 'first & then', conferenceData: { joinUrl: expect.anything() } });
});

test('what Graph cannot hold is refused, naming the field', async () => {
  const refusals: readonly [Partial<NewEvent>, string][] = [
    [{ eventType: 'focusTime' }, 'eventType'],
    [{ generateMeetingUrlProvider: 'hangoutsMeet' }, 'generateMeetingUrlProvider'],
    [{ conferenceData: { joinUrl: 'https://example.com/meet' } }, 'conferenceData'],
    [{ recurrence: ['RRULE:FREQ=HOURLY;COUNT=3'] }, 'recurrence'],
    [{ recurrence: ['RRULE:FREQ=DAILY;COUNT=1000'] }, 'recurrence'],
    [{ recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=100;BYDAY=MO'] }, 'recurrence'],
    [{ recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=2,16'] }, 'recurrence'],
    [{ recurrence: ['RDATE;TZID=America/New_York:20260209T090000'] }, 'recurrence'],
    [{ attendees: [{ email: BEN, responseStatus: 'accepted' }] }, 'attendees'],
  ];
  for (const [fields, field] of refusals) {
    await expect(create({ ...plain, ...fields }), field).rejects.toEqual(failure('unsupported', field));
  }
});

test('out of office, free or not, and private events come back', async () => {
  for (const fields of [
    { eventType: 'outOfOffice', transparency: 'opaque' },
    { eventType: 'outOfOffice', transparency: 'transparent' },
    { eventType: 'default', transparency: 'transparent', visibility: 'private' },
    { eventType: 'default', transparency: 'opaque', visibility: 'confidential', reminders: { useDefault: true } },
  ] as const) {
    expect((await create({ ...plain, ...fields })).content).toMatchObject(fields);
  }
  const tentative = await create(plain);
  await harness.graph(ADA, 'PATCH', `me/events/${tentative.providerEventId}`, { showAs: 'tentative' });
  const after = onlyEvent(await update(whole(tentative), { title: 'Still tentative', transparency: 'opaque' }));
  expect(after.content?.transparency).toBe('opaque');
  const { showAs } = await harness.graph(ADA, 'GET', `me/events/${tentative.providerEventId}`);
  expect(showAs).toBe('tentative');
});

test('attendees are replaced without losing their answers', async () => {
  const event = await create({ ...plain, attendees: [{ email: BEN, name: 'Ben' }] });
  const bens = await harness.graph(BEN, 'GET', `me/events?$filter=${encodeURIComponent("subject eq 'Plain'")}`);
  const copy = bens.value.find((each: { isOrganizer: boolean }) => !each.isOrganizer);
  await harness.graph(BEN, 'POST', `me/events/${copy.id}/accept`, { sendResponse: true });
  const after = onlyEvent(
    await update(whole(event), { attendees: [{ email: BEN.toUpperCase() }, { email: 'cy@else.test', name: 'Cy' }] }),
  );
  expect(after.content?.attendees).toEqual([
    expect.objectContaining({ responseStatus: 'accepted', name: 'Ben' }),
    { id: 'cy@else.test', name: 'Cy', email: 'cy@else.test', responseStatus: 'needsAction', kind: 'required' },
  ]);
});

test('only the organizer changes the main fields; the own copy stays the own', async () => {
  await create({ ...plain, title: 'Hers', attendees: [{ email: BEN }] });
  const bensSession = await harness.session(BEN);
  const bensCalendar = await harness.primary(BEN);
  const { changes } = await collect(harness.provider.events.pull(bensSession, bensCalendar, null));
  const copy = changes.flatMap((change) =>
    change.kind === 'event' && change.event.content?.title === 'Hers' ? [change.event] : [],
  )[0]!;
  expect(copy.isOrganizer).toBe(false);
  expect(copy.content?.organizer).toEqual({ name: 'Ada', email: ADA, isSelf: false });
  await expect(
    harness.provider.events.update(bensSession, bensCalendar, whole(copy), { title: 'Mine' }, {}),
  ).rejects.toEqual(failure('not-organizer', 'title'));
  const own: EventPatch = {
    colorId: '4',
    transparency: 'transparent',
    reminders: { useDefault: false, overrides: [] },
  };
  const after = onlyEvent(await harness.provider.events.update(bensSession, bensCalendar, whole(copy), own, {}));
  expect(after.content).toMatchObject({ colorId: '4', transparency: 'transparent' });
});

test('If-Match holds down to Graph', async () => {
  const event = await create(plain);
  const after = onlyEvent(await update(whole(event), { title: 'New' }, event.providerTag ?? ''));
  await expect(update(whole(event), { title: 'Newer' }, event.providerTag ?? '')).rejects.toEqual(
    failure('precondition-failed'),
  );
  await expect(
    harness.provider.events.delete(session, calendar, whole(event), { ifMatch: event.providerTag ?? '' }),
  ).rejects.toEqual(failure('precondition-failed'));
  await harness.provider.events.delete(session, calendar, whole(after), { ifMatch: after.providerTag ?? '' });
  const again = await harness.provider.events.delete(session, calendar, whole(after), {});
  expect(again).toEqual([{ kind: 'deleted', providerEventId: after.providerEventId }]);
  expect(await harness.provider.events.get(session, calendar, after.providerEventId)).toEqual(again);
  await expect(update(whole(after), { title: 'Gone' })).rejects.toEqual(failure('not-found'));
});

const MONDAY = Date.UTC(2026, 1, 9, 14);

test('one occurrence is changed, moved, changed again, cancelled and brought back', async () => {
  const { master } = await createSeries(weekly);
  const first = onlySeries(await update(slot(master, MONDAY), { title: 'Special' }));
  expect(first.exceptions).toEqual([
    expect.objectContaining({
      seriesId: master.providerEventId,
      recurrenceId: { kind: 'instant', startMs: MONDAY },
      isCancelled: false,
      content: expect.objectContaining({
        title: 'Special',
        recurrence: null,
        iCalUid: first.master.content?.iCalUid,
        start: at('2026-02-09T09:00:00-05:00'),
      }),
    }),
  ]);
  const moved = onlySeries(
    await update(slot(master, MONDAY, first.exceptions[0]), {
      start: at('2026-02-11T15:00:00-05:00'),
      end: at('2026-02-11T15:30:00-05:00'),
    }),
  );
  expect(moved.exceptions[0]?.content).toMatchObject({ title: 'Special', start: at('2026-02-11T15:00:00-05:00') });
  // Even when the mirror does not know the moved exception, the slot finds it.
  const found = onlySeries(await update(slot(master, MONDAY), { location: 'Roof' }));
  expect(found.exceptions).toHaveLength(1);
  expect(found.exceptions[0]?.content).toMatchObject({ title: 'Special', location: 'Roof' });
  const cancelled = onlySeries(await update(slot(master, MONDAY, found.exceptions[0]), { isCancelled: true }));
  expect(cancelled.exceptions).toEqual([
    expect.objectContaining({
      recurrenceId: { kind: 'instant', startMs: MONDAY },
      isCancelled: true,
      content: null,
      providerEventId: expect.stringContaining('2026-02-09'),
    }),
  ]);
  const stub = cancelled.exceptions[0]!;
  const again = await harness.provider.events.delete(session, calendar, slot(master, MONDAY, stub), {});
  expect(again).toEqual([cancelled]);
  expect(await harness.provider.events.get(session, calendar, stub.providerEventId)).toEqual([cancelled]);
  const back = onlySeries(await update(slot(master, MONDAY, stub), { isCancelled: false, title: 'Back' }));
  expect(back.exceptions).toEqual([
    expect.objectContaining({
      recurrenceId: { kind: 'instant', startMs: MONDAY },
      isCancelled: false,
      content: expect.objectContaining({ title: 'Back', start: at('2026-02-09T09:00:00-05:00') }),
    }),
  ]);
  expect(back.master.content?.recurrence).toEqual(weekly.recurrence);
});

test('If-Match of a slot that is no exception yet is the tag of its master', async () => {
  const { master } = await createSeries(weekly);
  await expect(update(slot(master, MONDAY), { title: 'A' }, 'W/"stale"')).rejects.toEqual(
    failure('precondition-failed'),
  );
  const after = onlySeries(await update(slot(master, MONDAY), { title: 'A' }, master.providerTag ?? ''));
  expect(after.exceptions).toHaveLength(1);
});

test('an occurrence that would cross its neighbour is refused as unsupported', async () => {
  const { master } = await createSeries(weekly);
  await expect(
    update(slot(master, MONDAY), { start: at('2026-02-17T09:00:00-05:00'), end: at('2026-02-17T10:00:00-05:00') }),
  ).rejects.toEqual(failure('unsupported'));
});

test('a new time of day or rule keeps exceptions and deletions on dates that remain', async () => {
  const { master } = await createSeries(weekly);
  const week = 7 * 86_400_000;
  await update(slot(master, MONDAY), { title: 'Renamed', privateExtendedProperties: { k: 'v' } });
  await update(slot(master, MONDAY + week), {
    start: at('2026-02-17T12:00:00-05:00'),
    end: at('2026-02-17T13:00:00-05:00'),
  });
  const before = onlySeries(await update(slot(master, MONDAY + 2 * week), { isCancelled: true }));
  const after = onlySeries(
    await update(whole(before.master), {
      start: at('2026-02-02T11:00:00-05:00'),
      end: at('2026-02-02T12:00:00-05:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=20'],
    }),
  );
  expect(after.master.content?.recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=MO,TH;COUNT=20']);
  const slots = after.exceptions.map(({ recurrenceId, isCancelled, content }) => ({
    at: recurrenceId?.kind === 'instant' ? new Date(recurrenceId.startMs).toISOString().slice(0, 16) : null,
    isCancelled,
    title: content?.title,
    start: content?.start.dateTime,
  }));
  expect(slots).toEqual([
    { at: '2026-02-09T16:00', isCancelled: false, title: 'Renamed', start: '2026-02-09T11:00:00-05:00' },
    { at: '2026-02-16T16:00', isCancelled: false, title: 'Weekly', start: '2026-02-17T12:00:00-05:00' },
    { at: '2026-02-23T16:00', isCancelled: true, title: undefined, start: undefined },
  ]);
  expect(after.exceptions[0]?.content?.privateExtendedProperties).toEqual({ k: 'v' });
});

test('moving a series to another date or zone rewrites its range', async () => {
  const { master } = await createSeries({ ...weekly, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260206T140000Z'] });
  const after = onlySeries(
    await update(whole(master), {
      start: at('2026-02-03T08:00:00+01:00', 'Europe/Berlin'),
      end: at('2026-02-03T09:00:00+01:00', 'Europe/Berlin'),
    }),
  );
  expect(after.master.content).toMatchObject({ start: at('2026-02-03T08:00:00+01:00', 'Europe/Berlin') });
  expect(after.master.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260206T140000Z']);
});

test('a series becomes a single event and a single event a series', async () => {
  const { master } = await createSeries(weekly);
  const single = await update(whole(master), { recurrence: null });
  expect(single).toEqual([expect.objectContaining({ kind: 'event' })]);
  expect(onlyEvent(single).content?.recurrence).toBeNull();
  const series = onlySeries(await update(whole(onlyEvent(single)), { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }));
  expect(series.master.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=3']);
});

test('all-day series have slots by date', async () => {
  const { master } = await createSeries({
    title: 'Week off',
    isAllDay: true,
    start: at('2026-03-02T00:00:00', ''),
    end: at('2026-03-03T00:00:00', ''),
    recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260306', 'EXDATE;VALUE=DATE:20260305'],
  });
  expect(master.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260306', 'EXDATE;VALUE=DATE:20260305']);
  const target = {
    kind: 'occurrence',
    seriesId: master.providerEventId,
    recurrenceId: { kind: 'date', date: '2026-03-03' },
    current: { ...master, providerEventId: '' },
    master,
  } as const;
  const series = onlySeries(await update(target, { title: 'Day' }));
  expect(series.exceptions).toEqual([expect.objectContaining({ recurrenceId: { kind: 'date', date: '2026-03-03' } })]);
  expect(series.exceptions[0]?.content).toMatchObject({
    isAllDay: true,
    start: { dateTime: '2026-03-03T00:00:00', timeZone: '' },
  });
  const gone = onlySeries(
    await harness.provider.events.delete(
      session,
      calendar,
      { ...target, recurrenceId: { kind: 'date', date: '2026-03-04' } },
      {},
    ),
  );
  expect(gone.exceptions.find(({ isCancelled }) => isCancelled)?.recurrenceId).toEqual({
    kind: 'date',
    date: '2026-03-04',
  });
});

test('zones without known rules fall back to the calendar and survive a write', async () => {
  const series = await createSeries(weekly);
  harness.control('setZoneLabel', { email: ADA, label: 'tzone://Microsoft/Custom' });
  const [change] = await harness.provider.events.get(session, calendar, series.master.providerEventId);
  const labelled = onlySeries([change!]);
  expect(labelled.master.content?.start).toEqual(at('2026-02-02T09:00:00-05:00'));
  const after = onlySeries(
    await update(whole(labelled.master), { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=7'] }),
  );
  expect(after.master.content).toMatchObject({
    start: at('2026-02-02T09:00:00-05:00'),
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=7'],
  });
});

test('an EXDATE can be added; left out, its slot comes back', async () => {
  const rule = 'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5';
  const second = 'EXDATE;TZID=America/New_York:20260209T090000';
  const third = 'EXDATE;TZID=America/New_York:20260216T090000';
  const { master } = await createSeries({ ...weekly, recurrence: [rule, second] });
  const both = onlySeries(await update(whole(master), { recurrence: [rule, second, third] }));
  expect(both.master.content?.recurrence).toEqual([rule, second, third]);
  expect(both.exceptions).toEqual([]);
  const one = onlySeries(await update(whole(both.master), { recurrence: [rule, third] }));
  expect(one.master.content?.recurrence).toEqual([rule, third]);
  const longer = rule.replace('COUNT=5', 'COUNT=9');
  const none = onlySeries(await update(whole(one.master), { recurrence: [longer] }));
  expect(none.master.content?.recurrence).toEqual([longer]);
  expect(none.exceptions).toEqual([]);
  const other = onlySeries(await update(whole(none.master), { recurrence: ['RRULE:FREQ=DAILY;COUNT=20', third] }));
  expect(other.master.content?.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=20', third]);
  expect(other.exceptions).toEqual([]);
});
