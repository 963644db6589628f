import { beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness, type Json, type Person, timed } from './harness.ts';

let harness: Harness;
let ada: Person;

beforeEach(async () => {
  harness = createHarness();
  ada = await harness.person('ada@contoso.test');
});

const path = (from: string, to: string, more = '') =>
  `/me/calendarView?startDateTime=${encodeURIComponent(from)}&endDateTime=${encodeURIComponent(to)}${more}`;

const subjects = async (from: string, to: string, more = '') =>
  (await ada.read(path(from, to, more))).value.map(({ subject }: Json) => subject);

describe('calendarView', () => {
  test('holds what meets the half-open window, by start', async () => {
    await ada.create(timed('Later', '2026-03-02T10:00:00'));
    await ada.create(timed('Early', '2026-03-02T09:00:00'));
    const moment = { dateTime: '2026-03-02T09:30:00', timeZone: 'UTC' };
    await ada.create({ subject: 'Moment', start: moment, end: moment });
    expect(await subjects('2026-03-02T00:00:00', '2026-03-03T00:00:00')).toEqual(['Early', 'Moment', 'Later']);
    expect(await subjects('2026-03-02T10:00:00', '2026-03-02T11:00:00')).toEqual(['Later']);
    expect(await subjects('2026-03-02T09:30:00', '2026-03-02T09:31:00')).toEqual(['Early', 'Moment']);
    expect(await subjects('2026-03-02T05:00:00-05:00', '2026-03-02T05:30:00-05:00')).toEqual(['Later']);
  });

  test('matches all-day events as UTC days, whatever their zone', async () => {
    await ada.create({
      subject: 'Holiday',
      isAllDay: true,
      start: { dateTime: '2026-03-02T00:00:00', timeZone: 'Asia/Tokyo' },
      end: { dateTime: '2026-03-03T00:00:00', timeZone: 'Asia/Tokyo' },
    });
    expect(await subjects('2026-03-01T15:00:00', '2026-03-02T00:00:00')).toEqual([]);
    expect(await subjects('2026-03-02T23:00:00', '2026-03-03T15:00:00')).toEqual(['Holiday']);
  });

  test('pages by ten unless asked otherwise', async () => {
    const range = { type: 'numbered', startDate: '2026-03-02', numberOfOccurrences: 25 };
    await ada.create(
      timed('Daily', '2026-03-02T09:00:00', 'UTC', { recurrence: { pattern: { type: 'daily', interval: 1 }, range } }),
    );
    const first = await ada.read(path('2026-03-01', '2026-05-01'));
    expect(first.value).toHaveLength(10);
    const { items, pages } = await ada.all(path('2026-03-01', '2026-05-01'));
    expect([new Set(items.map(({ id }) => id)).size, pages]).toEqual([25, 3]);
    expect((await ada.read(path('2026-03-01', '2026-05-01', '&$top=1000'))).value).toHaveLength(25);
  });

  test.each([
    ['', ''],
    ['2026-03-01', ''],
    ['2026-03-02', '2026-03-01'],
    ['2026-03-01', '2031-03-02'],
    ['tomorrow', '2026-03-01'],
  ])('a window from "%s" to "%s" is refused', async (from, to) => {
    expect((await ada.get(path(from, to))).status).toBe(400);
  });

  test('1825 days are not too many', async () => {
    expect((await ada.get(path('2026-01-01', '2030-12-31'))).status).toBe(200);
  });

  test('shows the meeting only when isOnlineMeeting is selected as well', async () => {
    await ada.create(timed('Call', '2026-03-02T09:00:00', 'UTC', { isOnlineMeeting: true }));
    const meeting = async (select: string) =>
      (await ada.read(path('2026-03-02', '2026-03-03', select))).value[0].onlineMeeting;
    expect(await meeting('&$select=onlineMeeting')).toBeNull();
    expect((await meeting('&$select=onlineMeeting,isOnlineMeeting')).joinUrl).toBeTruthy();
    expect((await meeting('')).joinUrl).toBeTruthy();
  });

  test('filters, orders and selects', async () => {
    await ada.create(timed('A', '2026-03-02T09:00:00', 'UTC', { showAs: 'free' }));
    await ada.create(timed('B', '2026-03-02T10:00:00'));
    expect(await subjects('2026-03-02', '2026-03-03', `&$filter=${encodeURIComponent("showAs eq 'busy'")}`)).toEqual([
      'B',
    ]);
    expect(await subjects('2026-03-02', '2026-03-03', '&$orderby=subject desc')).toEqual(['B', 'A']);
  });
});

describe('getSchedule', () => {
  const ask = (body: Json) => ada.call('POST', '/me/calendar/getSchedule', body);
  const window = (from: string, to: string) => ({
    startTime: { dateTime: from, timeZone: 'UTC' },
    endTime: { dateTime: to, timeZone: 'UTC' },
  });

  test('answers by mailbox, with an error for an address that has none', async () => {
    const ben = await harness.person('ben@contoso.test');
    await ben.create(timed('Busy', '2026-03-02T09:00:00'));
    await ben.create(timed('Secret', '2026-03-02T10:30:00', 'UTC', { sensitivity: 'private', showAs: 'oof' }));
    const { body } = await ask({
      schedules: ['ben@contoso.test', 'nobody@contoso.test'],
      ...window('2026-03-02T09:00:00', '2026-03-02T12:00:00'),
      availabilityViewInterval: 60,
    });
    expect(body.value[0]).toMatchObject({
      scheduleId: 'ben@contoso.test',
      availabilityView: '233',
      scheduleItems: [
        { status: 'busy', subject: 'Busy', start: { dateTime: '2026-03-02T09:00:00.0000000', timeZone: 'UTC' } },
        { status: 'oof', isPrivate: true },
      ],
    });
    expect(body.value[0].scheduleItems[1]).not.toHaveProperty('subject');
    expect(body.value[1]).toMatchObject({ error: { responseCode: '5016' }, scheduleItems: null });
  });

  test('shows what a person shares, to people of the same domain alone', async () => {
    const ben = await harness.person('ben@contoso.test');
    await ben.create(timed('Away', '2026-03-02T09:00:00', 'UTC', { showAs: 'workingElsewhere' }));
    await ben.create(timed('Busy', '2026-03-02T10:00:00'));
    const seen = async (detail: string) => {
      harness.control('setScheduleDetail', { email: 'ben@contoso.test', detail });
      const { body } = await ask({
        schedules: ['ben@contoso.test', 'cleo@fabrikam.test'],
        ...window('2026-03-02T09:00:00', '2026-03-02T12:00:00'),
        availabilityViewInterval: 60,
      });
      expect(body.value[1].error.responseCode).toBe('5016');
      return body.value[0];
    };
    const times = await seen('times');
    // A person who works elsewhere is free in the merged view.
    expect([times.availabilityView, times.scheduleItems.length]).toEqual(['020', 2]);
    expect(times.scheduleItems[1]).not.toHaveProperty('subject');
    expect(times.workingHours.startTime).toBe('08:00:00.0000000');
    expect(await seen('merged')).toMatchObject({ availabilityView: '020', scheduleItems: [] });
    expect((await seen('none')).error.responseCode).toBe('ErrorNoFreeBusyAccess');
  });

  test('spans at most 62 days and 20 addresses', async () => {
    const long = await ask({ schedules: ['ben@contoso.test'], ...window('2026-03-01', '2026-05-03') });
    expect([long.status, long.body.error.code]).toEqual([400, 'ErrorTimeIntervalTooBig']);
    expect((await ask({ schedules: ['ben@contoso.test'], ...window('2026-03-01', '2026-05-02') })).status).toBe(200);
    const many = Array.from({ length: 21 }, (_, n) => `p${n}@contoso.test`);
    expect((await ask({ schedules: many, ...window('2026-03-01', '2026-03-02') })).status).toBe(400);
  });

  test('more than a thousand entries are an error of that schedule', async () => {
    for (let n = 0; n < 20; n += 1) {
      const range = { type: 'numbered', startDate: '2026-03-01', numberOfOccurrences: 60 };
      const recurrence = { pattern: { type: 'daily', interval: 1 }, range };
      await ada.create(timed(`S${n}`, '2026-03-01T09:00:00', 'UTC', { recurrence }));
    }
    const { body } = await ask({ schedules: ['ada@contoso.test'], ...window('2026-03-01', '2026-05-01') });
    expect(body.value[0].error.responseCode).toBe('5006');
  });
});
