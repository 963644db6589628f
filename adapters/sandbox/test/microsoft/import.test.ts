import { beforeEach, describe, expect, test } from 'vitest';
import type { IcsEvent } from '../../src/kernel/kernel.ts';
import { createHarness, type Harness, type Json, type Person } from './harness.ts';

let harness: Harness;
let ada: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

const ics = (more: Partial<IcsEvent>): IcsEvent => ({
  uid: 'u-1',
  summary: 'Standup',
  description: '',
  location: '',
  dtstart: '2026-03-02T09:00:00',
  dtend: '2026-03-02T09:30:00',
  timeZone: 'America/New_York',
  recurrence: [],
  recurrenceId: null,
  cancelled: false,
  transparent: false,
  visibility: 'default',
  organizer: null,
  attendees: [],
  ...more,
});

const load = (...events: IcsEvent[]): string =>
  harness.server.importCalendar('ada@contoso.test', { name: 'Team', timeZone: 'Europe/Berlin', events });

const events = async (id: string): Promise<Json[]> => (await ada.all(`/me/calendars/${id}/events?$top=500`)).items;
const view = async (id: string, from: string, to: string): Promise<Json[]> =>
  (await ada.all(`/me/calendars/${id}/calendarView?startDateTime=${from}&endDateTime=${to}&$top=500`)).items;

describe('importCalendar', () => {
  test('files a further calendar with single events', async () => {
    const id = load(
      ics({ location: 'Room 1', description: 'Notes', transparent: true, visibility: 'private' }),
      ics({ uid: 'u-2', summary: 'Trip', dtstart: '2026-03-04', dtend: '2026-03-06', timeZone: null }),
      ics({ uid: 'u-3', summary: 'Floating', timeZone: null }),
    );
    expect(await ada.read(`/me/calendars/${id}`)).toMatchObject({ name: 'Team', isDefaultCalendar: false });
    const [timed, allDay, floating] = await events(id);
    expect(timed).toMatchObject({
      iCalUId: 'u-1',
      start: { dateTime: '2026-03-02T14:00:00.0000000' },
      originalStartTimeZone: 'America/New_York',
      location: { displayName: 'Room 1' },
      bodyPreview: 'Notes',
      showAs: 'free',
      sensitivity: 'private',
      isOrganizer: true,
    });
    expect(allDay).toMatchObject({ isAllDay: true, end: { dateTime: '2026-03-06T00:00:00.0000000' } });
    expect(floating.start.dateTime).toBe('2026-03-02T08:00:00.0000000');
    expect(load()).not.toBe(id);
    expect((await ada.all('/me/calendars')).items.map(({ name }) => name)).toEqual(['Calendar', 'Team', 'Team (2)']);
  });

  test('keeps a rule that Graph can hold, with its exclusions and overrides', async () => {
    const id = load(
      ics({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5', 'EXDATE;TZID=America/New_York:20260309T090000'] }),
      ics({
        recurrenceId: '2026-03-16T09:00:00',
        summary: 'Longer',
        dtstart: '2026-03-16T10:00:00',
        dtend: '2026-03-16T12:00:00',
      }),
      ics({ recurrenceId: '2026-03-23T09:00:00', cancelled: true }),
    );
    const [master, ...rest] = await events(id);
    expect(rest).toEqual([]);
    expect(master).toMatchObject({
      type: 'seriesMaster',
      recurrence: {
        pattern: { type: 'weekly', daysOfWeek: ['monday'] },
        range: { type: 'numbered', numberOfOccurrences: 5 },
      },
    });
    const shown = await view(id, '2026-03-01', '2026-05-01');
    expect(shown.map(({ start, subject, type }) => [start.dateTime.slice(0, 16), subject, type])).toEqual([
      ['2026-03-02T14:00', 'Standup', 'occurrence'],
      ['2026-03-16T14:00', 'Longer', 'exception'],
      ['2026-03-30T13:00', 'Standup', 'occurrence'],
    ]);
  });

  test('takes a rule that Graph cannot hold apart into single events', async () => {
    const id = load(
      ics({
        recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15;COUNT=4'],
        dtstart: '2026-03-15T09:00:00',
        dtend: '2026-03-15T09:30:00',
      }),
      ics({
        recurrenceId: '2026-04-01T09:00:00',
        summary: 'Fools',
        dtstart: '2026-04-01T12:00:00',
        dtend: '2026-04-01T12:30:00',
      }),
      ics({ recurrenceId: '2026-04-15T09:00:00', cancelled: true }),
    );
    const found = await events(id);
    expect(found.map(({ subject, type, start }) => [start.dateTime.slice(0, 16), subject, type])).toEqual([
      ['2026-03-15T13:00', 'Standup', 'singleInstance'],
      ['2026-04-01T16:00', 'Fools', 'singleInstance'],
      ['2026-05-01T13:00', 'Standup', 'singleInstance'],
    ]);
  });

  test('clips an endless one to a few years around now', async () => {
    const id = load(
      ics({
        recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15'],
        dtstart: '2010-03-01T09:00:00',
        dtend: '2010-03-01T09:30:00',
      }),
    );
    const found = await events(id);
    expect(found.length).toBeGreaterThan(130);
    expect(found.length).toBeLessThan(160);
  });

  test('somebody else’s meeting is an invitation with their answer', async () => {
    const id = load(
      ics({
        organizer: { email: 'boss@else.test', name: 'Boss' },
        attendees: [{ email: 'ada@contoso.test', name: 'Ada', partstat: 'TENTATIVE' }],
      }),
    );
    expect((await events(id))[0]).toMatchObject({
      isOrganizer: false,
      organizer: { emailAddress: { name: 'Boss' } },
      responseStatus: { response: 'tentativelyAccepted' },
      attendees: [{ status: { response: 'tentativelyAccepted' } }],
    });
  });

  test('an override without its master is a single event', async () => {
    const id = load(ics({ recurrenceId: '2026-03-16T09:00:00', summary: 'Orphan' }));
    expect((await events(id)).map(({ type }) => type)).toEqual(['singleInstance']);
  });

  test('refuses an unknown mailbox', () => {
    expect(() => harness.server.importCalendar('no@contoso.test', { name: 'x', timeZone: 'UTC', events: [] })).toThrow(
      RangeError,
    );
  });
});
