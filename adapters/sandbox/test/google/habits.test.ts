import { beforeEach, describe, expect, test } from 'vitest';
import { ADA, control, EVENTS, type Google, insert, type Json, startGoogle, timed } from './harness.ts';

// Habits that Google's reference does not promise; their sources are in the readme.

let google: Google;

beforeEach(() => {
  google = startGoogle();
});

/** The dates on which a series occurs. */
async function datesOf(recurrence: string[], times: Json = timed('2026-03-02T09:00:00', '2026-03-02T10:00:00')) {
  const { id } = await insert(google, { summary: 'Series', ...times, recurrence });
  const query = { timeMax: '2028-01-01T00:00:00Z' };
  const { body } = await google.ada('GET', `${EVENTS}/${id}/instances`, { query });
  return body.items.map(({ start }: Json) => (start.date ?? start.dateTime).slice(0, 10));
}

describe('rules that Google reads in its own way', () => {
  test('a yearly rule with a day of the month and no month is once a year, in the month of the start', async () => {
    expect(await datesOf(['RRULE:FREQ=YEARLY;BYMONTHDAY=2;COUNT=2'])).toEqual(['2026-03-02', '2027-03-02']);
    expect(await datesOf(['RRULE:FREQ=YEARLY;BYMONTH=3,4;BYMONTHDAY=2;COUNT=3'])).toEqual([
      '2026-03-02',
      '2026-04-02',
      '2027-03-02',
    ]);
  });

  test('a start off the rule is an occurrence that COUNT does not count', async () => {
    expect(await datesOf(['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=2'])).toEqual(['2026-03-02', '2026-03-03', '2026-03-10']);
    const day = { start: { date: '2026-03-02' }, end: { date: '2026-03-03' } };
    expect(await datesOf(['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=1'], day)).toEqual(['2026-03-02', '2026-03-03']);
    expect(await datesOf(['RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=1', 'EXDATE:20260302T090000Z'])).toEqual(['2026-03-03']);
  });

  test('a rule that ended before the start leaves no occurrence', async () => {
    expect(await datesOf(['RRULE:FREQ=WEEKLY;UNTIL=20260301T235959Z'])).toEqual([]);
    expect(await datesOf(['RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20260302T090000Z'])).toEqual(['2026-03-02']);
    const day = { start: { date: '2026-03-02' }, end: { date: '2026-03-03' } };
    expect(await datesOf(['RRULE:FREQ=DAILY;UNTIL=20260301'], day)).toEqual([]);
  });

  test('a date excludes nothing from a timed series', async () => {
    const rule = 'RRULE:FREQ=DAILY;COUNT=2';
    expect(await datesOf([rule, 'EXDATE:20260303'])).toEqual(['2026-03-02', '2026-03-03']);
    expect(await datesOf([rule, 'EXDATE:20260303T090000Z'])).toEqual(['2026-03-02']);
  });

  test('a date in a zone that Google does not know is read as UTC', async () => {
    const { recurrence } = await insert(google, {
      ...timed('2026-03-02T09:00:00', '2026-03-02T10:00:00'),
      recurrence: ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Eastern Standard Time:20260303T090000,20260304T090000'],
    });
    expect(recurrence).toEqual(['RRULE:FREQ=DAILY', 'EXDATE:20260303T090000Z,20260304T090000Z']);
  });
});

test('an all-day event may end on the day it begins, and is listed for that day', async () => {
  const { id } = await insert(google, { start: { date: '2026-03-03' }, end: { date: '2026-03-03' } });
  const query = { timeMin: '2026-03-03T12:00:00Z', timeMax: '2026-03-04T00:00:00Z' };
  const { body } = await google.ada('GET', EVENTS, { query });
  expect(body.items).toMatchObject([{ id, end: { date: '2026-03-03' } }]);
});

describe('planted events', () => {
  const plant = (event: Json) => control(google.sandbox, 'plantEvent', { calendarId: ADA, event }).eventId;
  const shown = async () => (await google.ada('GET', EVENTS, { query: { showDeleted: 'true' } })).body.items;

  test('are shown as they are, in lists and alone, and reported as changes', async () => {
    const { nextSyncToken } = (await google.ada('GET', EVENTS)).body;
    const odd = {
      id: 'odd1',
      start: { date: '2026-03-02' },
      recurrence: ['RRULE:DATE;TZID=GMT+01:00:20260310T090000', 'X'],
    };
    expect(plant(odd)).toBe('odd1');
    const expected = { kind: 'calendar#event', etag: expect.any(String), status: 'confirmed', ...odd };
    expect(await shown()).toEqual([expected]);
    expect((await google.ada('GET', `${EVENTS}/odd1`)).body).toEqual(expected);
    const { body } = await google.ada('GET', EVENTS, { query: { syncToken: nextSyncToken } });
    expect(body.items).toEqual([expected]);
  });

  test('replace an event in its place; a write makes them regular again', async () => {
    const master = await insert(google, {
      ...timed('2026-03-02T09:00:00', '2026-03-02T10:00:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const id = `${master.id}_20260303T090000Z`;
    plant({ id, recurringEventId: master.id, summary: 'Odd', start: { dateTime: '2026-03-03T12:00:00Z' } });
    const instances = async () => (await google.ada('GET', `${EVENTS}/${master.id}/instances`)).body.items;
    expect((await instances()).map(({ summary }: Json) => summary)).toEqual([undefined, 'Odd', undefined]);
    expect((await instances())[1].originalStartTime).toBeUndefined();
    await google.ada('PATCH', `${EVENTS}/${id}`, { body: { summary: 'Even' } });
    expect((await instances())[1]).toMatchObject({
      summary: 'Even',
      originalStartTime: { dateTime: '2026-03-03T09:00:00Z' },
      end: { dateTime: '2026-03-03T12:00:00Z' },
    });
    plant({ id, status: 'cancelled' });
    expect(await shown()).toMatchObject([{ id: master.id }, { id, status: 'cancelled' }]);
  });

  test('need a calendar and an object', () => {
    expect(() => control(google.sandbox, 'plantEvent', { calendarId: 'c_none', event: {} })).toThrow('calendarId');
    expect(() => control(google.sandbox, 'plantEvent', { calendarId: ADA, event: 'x' })).toThrow('event');
  });
});
