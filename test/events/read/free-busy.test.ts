import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { allDay, cancelledSlot, fakeEvent, newYork } from '../../mirror/fake-events.ts';
import { fakeCalendar } from '../../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

const DAY = { startDateTime: '2026-03-04T00:00:00', endDateTime: '2026-03-05T00:00:00', timeZone: 'America/New_York' };
const query = (body = {}) => world.freeBusy.query(CALLER, ACCOUNT, { ...DAY, calendarIds: [CALENDAR], ...body });
const busy = async (body = {}) =>
  (await query(body)).flatMap(({ busySlots }) => busySlots.map(({ start, end }) => [start.dateTime, end.dateTime]));

describe('busy slots', () => {
  test('are merged where they overlap or touch, ascending, in the zone asked for', async () => {
    world.fake.put(CALENDAR, fakeEvent('c', newYork('2026-03-04', '15:00', '16:00')));
    world.fake.put(CALENDAR, fakeEvent('a', newYork('2026-03-04', '09:00', '10:00')));
    world.fake.put(CALENDAR, fakeEvent('b', newYork('2026-03-04', '09:30', '11:00')));
    world.fake.put(CALENDAR, fakeEvent('d', newYork('2026-03-04', '11:00', '11:30')));
    expect(
      await query({
        timeZone: 'Europe/Berlin',
        startDateTime: '2026-03-04T06:00:00',
        endDateTime: '2026-03-05T06:00:00',
      }),
    ).toEqual([
      {
        calendarId: CALENDAR,
        busySlots: [
          {
            start: { dateTime: '2026-03-04T15:00:00+01:00', timeZone: 'Europe/Berlin' },
            end: { dateTime: '2026-03-04T17:30:00+01:00', timeZone: 'Europe/Berlin' },
          },
          {
            start: { dateTime: '2026-03-04T21:00:00+01:00', timeZone: 'Europe/Berlin' },
            end: { dateTime: '2026-03-04T22:00:00+01:00', timeZone: 'Europe/Berlin' },
          },
        ],
      },
    ]);
  });

  test('are clipped to the window', async () => {
    world.fake.put(
      CALENDAR,
      fakeEvent('long', {
        ...newYork('2026-03-03', '12:00', '13:00'),
        end: newYork('2026-03-06', '09:00', '10:00').end,
      }),
    );
    expect(await busy()).toEqual([['2026-03-04T00:00:00-05:00', '2026-03-05T00:00:00-05:00']]);
  });

  test('leave out free, declined, cancelled and zero-length events, and masters', async () => {
    world.fake.put(
      CALENDAR,
      fakeEvent('free', { ...newYork('2026-03-04', '09:00', '10:00'), transparency: 'transparent' }),
    );
    world.fake.put(
      CALENDAR,
      fakeEvent('no', { ...newYork('2026-03-04', '09:00', '10:00'), myResponseStatus: 'declined' }),
    );
    world.fake.put(CALENDAR, fakeEvent('off', newYork('2026-03-04', '09:00', '10:00'), { isCancelled: true }));
    world.fake.put(CALENDAR, fakeEvent('zero', newYork('2026-03-04', '09:00', '09:00')));
    world.fake.put(
      CALENDAR,
      fakeEvent('s', { ...newYork('2026-03-03', '17:00', '18:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }),
    );
    expect(await busy()).toEqual([['2026-03-04T17:00:00-05:00', '2026-03-04T18:00:00-05:00']]);
    world.fake.put(CALENDAR, cancelledSlot('s', { kind: 'instant', startMs: Date.parse('2026-03-04T22:00:00Z') }, 'x'));
    await world.mirror.pull(world.account, CALENDAR);
    expect(await busy()).toEqual([]);
  });

  test("of all-day events lie in the calendar's zone, 23 hours long when clocks go forward", async () => {
    world.fake.put(CALENDAR, fakeEvent('holiday', { ...allDay('2026-03-08', '2026-03-09') }));
    const week = { startDateTime: '2026-03-07T00:00:00Z', endDateTime: '2026-03-10T00:00:00Z', timeZone: 'UTC' };
    expect(await busy(week)).toEqual([['2026-03-08T05:00:00+00:00', '2026-03-09T04:00:00+00:00']]);
  });

  test('of occurrences that began before the window count', async () => {
    world.fake.put(
      CALENDAR,
      fakeEvent('s', {
        ...newYork('2026-03-01', '20:00', '22:00'),
        end: newYork('2026-03-02', '02:00', '03:00').start,
        recurrence: ['RRULE:FREQ=DAILY'],
      }),
    );
    expect(await busy()).toEqual([
      ['2026-03-04T00:00:00-05:00', '2026-03-04T02:00:00-05:00'],
      ['2026-03-04T20:00:00-05:00', '2026-03-05T00:00:00-05:00'],
    ]);
  });
});

describe('a query', () => {
  test('answers for each calendar in the order asked', async () => {
    world.fake.putCalendar(fakeCalendar('cal_2'));
    world.fake.put('cal_2', fakeEvent('x', newYork('2026-03-04', '09:00', '10:00')));
    const answer = await query({ calendarIds: ['cal_2', CALENDAR, 'cal_2'] });
    expect(answer.map(({ calendarId, busySlots }) => [calendarId, busySlots.length])).toEqual([
      ['cal_2', 1],
      [CALENDAR, 0],
      ['cal_2', 1],
    ]);
  });

  test('names what is wrong', async () => {
    await expect(query({ calendarIds: ['nowhere'] })).rejects.toMatchObject({ code: 'NotFound' });
    await expect(query({ timeZone: '+01:00' })).rejects.toMatchObject({ details: [{ path: 'timeZone' }] });
    await expect(query({ endDateTime: '2026-03-04T00:00:00' })).rejects.toMatchObject({
      details: [{ path: 'endDateTime' }],
    });
    await expect(query({ endDateTime: '2027-03-05T00:00:01' })).rejects.toMatchObject({
      details: [{ path: 'endDateTime' }],
    });
    await expect(query({ startDateTime: undefined })).rejects.toMatchObject({
      details: [{ path: 'startDateTime', message: 'is required' }],
    });
    await expect(query({ calendarIds: Array.from({ length: 51 }, (_, i) => `c${i}`) })).rejects.toMatchObject({
      details: [{ path: 'calendarIds' }],
    });
  });
});
