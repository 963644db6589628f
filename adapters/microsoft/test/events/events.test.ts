import type { CalendarRef, NewEvent, ProviderSession } from 'kalends/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADA, collect, createHarness, type Harness, nextRequestId, onlyEvent, onlySeries } from '../harness.ts';

let harness: Harness;
let session: ProviderSession;
let calendar: CalendarRef;

beforeAll(async () => {
  harness = await createHarness();
  session = await harness.session(ADA);
  calendar = await harness.primary(ADA);
});
afterAll(() => harness.close());

const meeting: NewEvent = {
  title: 'Review',
  description: 'Line one\nLine <two> & more',
  start: { dateTime: '2026-01-12T09:00:00-05:00', timeZone: 'America/New_York' },
  end: { dateTime: '2026-01-12T10:00:00-05:00', timeZone: 'America/New_York' },
  location: 'Room 4',
  publicExtendedProperties: { ticket: 'T-1' },
  privateExtendedProperties: { note: 'ask "Ben"' },
  colorId: '7',
  customColor: '#123456',
  visibility: 'public',
  transparency: 'transparent',
  reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 30 }] },
};

test('every field of a single event comes back as it was written', async () => {
  const event = onlyEvent(
    await harness.provider.events.create(session, calendar, meeting, { requestId: nextRequestId() }),
  );
  expect(event.content).toMatchObject({
    ...meeting,
    isAllDay: false,
    recurrence: null,
    reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 30 }] },
    myResponseStatus: 'accepted',
    eventType: 'default',
    organizer: { name: 'Ada', email: ADA, isSelf: true },
    attendees: [],
  });
  expect(event.isOrganizer).toBe(true);
  expect(event.seriesId).toBeNull();
});

test('a repeated create finds the first event', async () => {
  const id = nextRequestId();
  const first = onlyEvent(await harness.provider.events.create(session, calendar, meeting, { requestId: id }));
  const second = onlyEvent(await harness.provider.events.create(session, calendar, meeting, { requestId: id }));
  expect(second.providerEventId).toBe(first.providerEventId);
});

test('a series with EXDATE is created, its lines and exceptions come back', async () => {
  const lines = ['RRULE:FREQ=WEEKLY;COUNT=6;BYDAY=MO,WE', 'EXDATE;TZID=America/New_York:20260114T090000'];
  const series = onlySeries(
    await harness.provider.events.create(
      session,
      calendar,
      { ...meeting, recurrence: lines },
      { requestId: nextRequestId() },
    ),
  );
  expect(series.master.content?.recurrence).toEqual(lines);
  expect(series.exceptions).toEqual([]);
  const { changes, full, token } = await collect(harness.provider.events.pull(session, calendar, null));
  expect(full).toBe(true);
  expect(changes).toContainEqual(series);
  const again = await collect(harness.provider.events.pull(session, calendar, token));
  expect(again.changes).toEqual([]);
  expect(again.full).toBe(false);
});
