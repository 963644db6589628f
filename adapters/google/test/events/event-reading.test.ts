import { describe, expect, test } from 'vitest';
import { readChange, readEvent } from '../../src/events/event-reading.ts';
import { type WireEvent, wireEvent } from '../../src/events/event-wire.ts';

const ZONE = 'Europe/London';
const parse = (json: Record<string, unknown>): WireEvent =>
  wireEvent.parse({
    id: 'e1',
    etag: '"1"',
    status: 'confirmed',
    start: { dateTime: '2026-07-01T12:00:00Z' },
    end: { dateTime: '2026-07-01T13:00:00Z' },
    ...json,
  });
const content = (json: Record<string, unknown>) => readEvent(parse(json), { calendarZone: ZONE }).content;

describe('times', () => {
  test('the offset is that of the event’s own zone', () => {
    const start = { dateTime: '2026-07-01T12:00:00Z', timeZone: 'Asia/Kolkata' };
    expect(content({ start })).toMatchObject({
      start: { dateTime: '2026-07-01T17:30:00+05:30', timeZone: 'Asia/Kolkata' },
      end: { dateTime: '2026-07-01T18:30:00+05:30', timeZone: 'Asia/Kolkata' },
    });
  });

  test('without one, and with one that nobody knows, it is the calendar’s', () => {
    for (const timeZone of [undefined, null, 'Mars/Olympus', 'GMT+03:30', 'GMT+25']) {
      expect(content({ start: { dateTime: '2026-07-01T12:00:00Z', timeZone } })).toMatchObject({
        start: { dateTime: '2026-07-01T13:00:00+01:00', timeZone: ZONE },
      });
    }
  });

  test('an offset from Greenwich is a zone that has it all year', () => {
    for (const [timeZone, expected] of [
      ['GMT+02:00', 'Etc/GMT-2'],
      ['UTC-5', 'Etc/GMT+5'],
      ['GMT+00:00', 'Etc/GMT'],
      ['GMT+04:30', 'Asia/Kabul'],
      ['GMT+05:30', 'Asia/Kolkata'],
      ['UTC+0545', 'Asia/Kathmandu'],
      ['gmt+6:30', 'Asia/Yangon'],
      ['GMT+08:45', 'Australia/Eucla'],
      ['GMT+09:30', 'Australia/Darwin'],
      ['GMT-09:30', 'Pacific/Marquesas'],
    ]) {
      expect(content({ start: { dateTime: '2026-07-01T12:00:00Z', timeZone } })?.start.timeZone).toBe(expected);
    }
  });

  test('a series in an offset that no zone has all year has its start alone, and says so', () => {
    const series = (timeZone: string) => ({
      start: { dateTime: '2026-03-01T12:00:00Z', timeZone },
      recurrence: ['RRULE:FREQ=WEEKLY', 'EXDATE;TZID=GMT+03:30:20260308T153000'],
    });
    const read = readEvent(parse(series('GMT+03:30')), { calendarZone: ZONE });
    expect(read.content?.recurrence).toEqual(['RDATE;TZID=Europe/London:20260301T120000']);
    expect(read.unreadableParts).toEqual(['recurrence: start.timeZone cannot be read']);
    const known = readEvent(parse(series('GMT+05:30')), { calendarZone: ZONE });
    expect(known.content?.recurrence).toEqual(['RRULE:FREQ=WEEKLY', 'EXDATE:20260308T120000Z']);
    expect(known.unreadableParts).toBeUndefined();
  });

  test('an event whose end is missing or before its start lasts no time, an all-day one a day', () => {
    const start = { dateTime: '2026-07-01T12:00:00Z' };
    for (const end of [undefined, null, {}, start, { dateTime: '2026-07-01T11:00:00Z' }, { date: '2026-07-02' }]) {
      expect(content({ start, end })?.end.dateTime).toBe('2026-07-01T13:00:00+01:00');
    }
    const day = { date: '2026-07-31' };
    for (const end of [undefined, null, {}, day, { date: '2026-07-01' }, { dateTime: '2026-09-02T11:00:00Z' }]) {
      expect(content({ start: day, end })?.end.dateTime).toBe('2026-08-01T00:00:00');
    }
  });

  test('an alias stays as it was spelled, a Windows name becomes the zone', () => {
    const zoneOf = (timeZone: string) =>
      content({ start: { dateTime: '2026-07-01T12:00:00Z', timeZone } })?.start.timeZone;
    expect(zoneOf('Asia/Calcutta')).toBe('Asia/Calcutta');
    expect(zoneOf('Pacific Standard Time')).toBe('America/Los_Angeles');
  });

  test('a start without an offset is wall time', () => {
    const start = { dateTime: '2026-07-01T12:00:00', timeZone: 'America/New_York' };
    expect(content({ start })?.start.dateTime).toBe('2026-07-01T12:00:00-04:00');
  });

  test('all-day', () => {
    expect(content({ start: { date: '2026-07-01' }, end: { date: '2026-07-02' } })).toMatchObject({
      start: { dateTime: '2026-07-01T00:00:00', timeZone: '' },
      end: { dateTime: '2026-07-02T00:00:00', timeZone: '' },
      isAllDay: true,
    });
  });

  test('creation times that are odd or missing', () => {
    const updated = '2026-01-01T00:00:00.123Z';
    for (const created of ['0000-12-31T00:00:00.000Z', '-000001-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', 'never']) {
      expect(content({ created, updated })).toMatchObject({ createdAt: updated, updatedAt: updated });
    }
    const [first, last] = ['0001-01-02T00:00:00.000Z', '9999-12-30T23:59:59.999Z'];
    expect(content({ created: first, updated: last })).toMatchObject({ createdAt: first, updatedAt: last });
    expect(content({ created: first, updated: '0000-12-31T00:00:00Z' })).toMatchObject({
      createdAt: first,
      updatedAt: first,
    });
    expect(content({ updated: '2026-01-01T00:00:00Z' })?.createdAt).toBe('2026-01-01T00:00:00.000Z');
    expect(content({})?.createdAt).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('kinds', () => {
  test('properties without a value make no series', () => {
    expect(content({ recurrence: ['RRULE:', 'EXDATE;VALUE=DATE:'] })?.recurrence).toBeNull();
    expect(content({ recurrence: ['RRULE:', 'RRULE:FREQ=DAILY'] })?.recurrence).toEqual(['RRULE:FREQ=DAILY']);
  });

  test('a cancelled event is deleted', () => {
    const stub = wireEvent.parse({ id: 'e1', status: 'cancelled' });
    expect(readChange(stub, { calendarZone: ZONE })).toEqual({ kind: 'deleted', providerEventId: 'e1' });
  });

  test('a cancelled instance is a slot without content, however much Google tells of it', () => {
    const stub = {
      id: 'e1_20260701T120000Z',
      status: 'cancelled',
      etag: '"1"',
      recurringEventId: 'e1',
      originalStartTime: { dateTime: '2026-07-01T13:00:00+01:00', timeZone: ZONE },
    };
    const expected = {
      kind: 'event',
      event: {
        providerEventId: 'e1_20260701T120000Z',
        providerTag: '"1"',
        seriesId: 'e1',
        recurrenceId: { kind: 'instant', startMs: Date.UTC(2026, 6, 1, 12) },
        isCancelled: true,
        content: null,
        isOrganizer: false,
      },
    };
    expect(readChange(wireEvent.parse(stub), { calendarZone: ZONE })).toEqual(expected);
    expect(readChange(parse({ ...stub, summary: 'x', organizer: { self: true } }), { calendarZone: ZONE })).toEqual(
      expected,
    );
  });

  test('an instance without its original start has it in its id', () => {
    const slotOf = (json: Record<string, unknown>) => readEvent(parse(json), { calendarZone: ZONE }).recurrenceId;
    const atNine = { kind: 'instant', startMs: Date.UTC(2026, 6, 1, 9) };
    expect(slotOf({ id: 'e1_20260701T090000Z', recurringEventId: 'e1' })).toEqual(atNine);
    expect(slotOf({ id: 'e1_R20260101T090000_20260701T090000Z', recurringEventId: 'e1_R20260101T090000' })).toEqual(
      atNine,
    );
    expect(slotOf({ id: 'e1_20260701', recurringEventId: 'e1', originalStartTime: {} })).toEqual({
      kind: 'date',
      date: '2026-07-01',
    });
    // Its start may be another slot's: it is never placed there.
    expect(() => slotOf({ id: 'other', recurringEventId: 'e1' })).toThrow('originalStartTime: is required');
    const stub = wireEvent.parse({ id: 'other', recurringEventId: 'e1', status: 'cancelled' });
    expect(() => readEvent(stub, { calendarZone: ZONE })).toThrow('originalStartTime: is required');
  });

  test('a cancelled stub with an id alone is a slot where the id names one', () => {
    const change = (id: string) => readChange(wireEvent.parse({ id, status: 'cancelled' }), { calendarZone: ZONE });
    expect(change('e1_20260701T090000Z')).toMatchObject({
      kind: 'event',
      event: { seriesId: 'e1', recurrenceId: { startMs: Date.UTC(2026, 6, 1, 9) }, isCancelled: true, content: null },
    });
    for (const id of ['e1', '_20260701', 'e1_20261301', 'e1_R20260701T090000']) {
      expect(change(id)).toEqual({ kind: 'deleted', providerEventId: id });
    }
  });

  test('an exception of an all-day series that was made timed', () => {
    const event = readEvent(parse({ recurringEventId: 's', originalStartTime: { date: '2026-07-01' } }), {
      calendarZone: ZONE,
    });
    expect(event).toMatchObject({ seriesId: 's', recurrenceId: { kind: 'date', date: '2026-07-01' } });
  });

  test('types that the interface does not know are plain events', () => {
    for (const eventType of ['birthday', 'workingLocation', 'fromGmail', 'something']) {
      expect(content({ eventType })?.eventType).toBe('default');
    }
    expect(content({ eventType: 'outOfOffice' })?.eventType).toBe('outOfOffice');
  });
});

describe('people', () => {
  test('the own answer is that of the own entry', () => {
    const attendees = [
      { email: 'a@x.example', responseStatus: 'declined' },
      { email: 'b@x.example', responseStatus: 'tentative', self: true, displayName: 'B', id: '7' },
      { responseStatus: 'strange' },
    ];
    expect(content({ attendees })).toMatchObject({
      myResponseStatus: 'tentative',
      attendees: [
        { id: 'a@x.example', name: '', email: 'a@x.example', responseStatus: 'declined' },
        { id: '7', name: 'B', email: 'b@x.example', responseStatus: 'tentative' },
        { id: '', name: '', email: '', responseStatus: 'needsAction' },
      ],
    });
  });

  test('nobody asked: no answer, unless it is the own event', () => {
    expect(content({})).not.toHaveProperty('myResponseStatus');
    expect(content({ organizer: { email: 'me@x.example', self: true } })?.myResponseStatus).toBe('accepted');
  });

  test('a locked copy is not ours to change', () => {
    const organizer = { email: 'me@x.example', self: true };
    expect(readEvent(parse({ organizer }), { calendarZone: ZONE }).isOrganizer).toBe(true);
    expect(readEvent(parse({ organizer, locked: true }), { calendarZone: ZONE }).isOrganizer).toBe(false);
  });
});

describe('reminders', () => {
  test.each([
    [undefined, { useDefault: true }],
    [{ useDefault: false }, { useDefault: false, isReminderOn: false, overrides: [] }],
    [
      { useDefault: false, overrides: [{ method: 'sms', minutes: 3 }] },
      { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 3 }] },
    ],
    [
      {
        useDefault: false,
        overrides: [-540, 1.5, 40_321, null, undefined, 0, 40_320].map((minutes) => ({ method: 'popup', minutes })),
      },
      {
        useDefault: false,
        isReminderOn: true,
        overrides: [0, 40_320].map((minutes) => ({ method: 'popup', minutes })),
      },
    ],
    [
      { useDefault: false, overrides: [1, 2, 3, 4, 5, 6].map((minutes) => ({ method: 'email', minutes })) },
      {
        useDefault: false,
        isReminderOn: true,
        overrides: [1, 2, 3, 4, 5].map((minutes) => ({ method: 'email', minutes })),
      },
    ],
    [
      { useDefault: false, overrides: [{ method: null, minutes: 3 }, { minutes: -3 }] },
      { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 3 }] },
    ],
  ])('%j', (reminders, expected) => {
    expect(content({ reminders })?.reminders).toEqual(expected);
  });
});

describe('conferences', () => {
  test('an old hangout has only a link', () => {
    expect(content({ hangoutLink: 'https://meet.example/1' })).toMatchObject({
      conferenceData: { conferenceType: 'eventHangout', joinUrl: 'https://meet.example/1' },
    });
  });

  test('an add-on is shown but cannot be asked for, and signatures are kept back', () => {
    const conferenceData = {
      conferenceId: 'z1',
      conferenceSolution: { key: { type: 'addOn' }, name: 'Zoom', iconUri: 'https://x.example/i.png' },
      entryPoints: [{ entryPointType: 'video', uri: 'https://zoom.example/1', label: 'zoom' }],
      signature: 'secret',
    };
    const { signature: _signature, ...conferenceDetails } = conferenceData;
    const mapped = content({ conferenceData });
    expect(mapped?.conferenceData).toEqual({
      conferenceId: 'z1',
      conferenceType: 'addOn',
      joinUrl: 'https://zoom.example/1',
      conferenceDetails,
    });
    expect(mapped).not.toHaveProperty('generateMeetingUrlProvider');
  });
});
