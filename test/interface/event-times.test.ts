import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarEvent } from './shapes.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(PROVIDERS)('times of events of $providerType', ({ provider }) => {
  /** Its calendar is in New York, its primary one in Berlin. */
  let account: Connected;
  beforeAll(async () => {
    const { accountId, email } = await world.connect(provider);
    const fields = { name: 'New York', timeZone: 'America/New_York' };
    const calendar = body(await world.call('POST', calendarsPath(accountId), { body: fields }), 201);
    account = { accountId, email, calendarId: calendar.id };
  });
  const post = (fields: Readonly<Record<string, unknown>>) =>
    world.call('POST', eventsPath(account), { body: { title: 'Timed', ...fields } });
  const create = async (fields: Readonly<Record<string, unknown>>) => {
    const event = body(await post(fields), 201);
    expect(calendarEvent(event)).toBeUndefined();
    expect(body(await world.call('GET', eventsPath(account, event.id)))).toEqual(event);
    return event;
  };

  it.each([
    [
      'an offset is that instant',
      { dateTime: '2026-03-02T09:00:00+05:30' },
      '2026-03-01T22:30:00-05:00',
      'America/New_York',
    ],
    ['Z is UTC', { dateTime: '2026-03-02T09:00:00Z' }, '2026-03-02T04:00:00-05:00', 'America/New_York'],
    [
      'an offset beats the zone, which is for display',
      { dateTime: '2026-03-02T09:00:00Z', timeZone: 'Asia/Tokyo' },
      '2026-03-02T18:00:00+09:00',
      'Asia/Tokyo',
    ],
    [
      'without offset: wall time in its zone',
      { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' },
      '2026-03-02T09:00:00+01:00',
      'Europe/Berlin',
    ],
    [
      'without zone: wall time of the calendar',
      { dateTime: '2026-03-02T09:00:00' },
      '2026-03-02T09:00:00-05:00',
      'America/New_York',
    ],
    [
      'a null zone is no zone',
      { dateTime: '2026-03-02T09:00:00', timeZone: null },
      '2026-03-02T09:00:00-05:00',
      'America/New_York',
    ],
    [
      'Windows names',
      { dateTime: '2026-03-02T09:00:00', timeZone: 'Tokyo Standard Time' },
      '2026-03-02T09:00:00+09:00',
      'Asia/Tokyo',
    ],
    [
      'aliases, as they were spelled',
      { dateTime: '2026-03-02T09:00:00', timeZone: 'Asia/Calcutta' },
      '2026-03-02T09:00:00+05:30',
      'Asia/Calcutta',
    ],
    [
      'new names',
      { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Kyiv' },
      '2026-03-02T09:00:00+02:00',
      'Europe/Kyiv',
    ],
    [
      'names of any case, as they are spelled',
      { dateTime: '2026-03-02T09:00:00', timeZone: 'europe/berlin' },
      '2026-03-02T09:00:00+01:00',
      'Europe/Berlin',
    ],
    [
      'aliases of any case, as they are spelled',
      { dateTime: '2026-03-02T09:00:00', timeZone: 'us/PACIFIC' },
      '2026-03-02T09:00:00-08:00',
      'US/Pacific',
    ],
    [
      'a gap is shifted by the offset before it',
      { dateTime: '2026-03-08T02:30:00' },
      '2026-03-08T03:30:00-04:00',
      'America/New_York',
    ],
    [
      'an overlap is its first time',
      { dateTime: '2026-11-01T01:30:00' },
      '2026-11-01T01:30:00-04:00',
      'America/New_York',
    ],
    [
      'the second time needs its offset',
      { dateTime: '2026-11-01T01:30:00-05:00' },
      '2026-11-01T01:30:00-05:00',
      'America/New_York',
    ],
    ['without seconds', { dateTime: '2026-03-02T09:00' }, '2026-03-02T09:00:00-05:00', 'America/New_York'],
  ])('%s', async (_rule, start, dateTime, timeZone) => {
    const event = await create({ start });
    // A zone may be answered under another of its names only if that is what the user spelled.
    expect(event.start).toEqual({ dateTime, timeZone });
    expect(Date.parse(event.end.dateTime) - Date.parse(event.start.dateTime)).toBe(3_600_000);
  });

  it('start and end may have zones of their own', async () => {
    const event = await create({
      start: { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-03-02T12:00:00', timeZone: 'America/New_York' },
    });
    expect(Date.parse(event.start.dateTime)).toBe(Date.parse('2026-03-02T08:00:00Z'));
    expect(Date.parse(event.end.dateTime)).toBe(Date.parse('2026-03-02T17:00:00Z'));
  });

  describe('all-day events', () => {
    it.each([
      [
        'plain dates',
        { dateTime: '2026-03-02' },
        { dateTime: '2026-03-04' },
        '2026-03-02T00:00:00',
        '2026-03-04T00:00:00',
      ],
      [
        'midnights',
        { dateTime: '2026-03-02T00:00:00' },
        { dateTime: '2026-03-03T00:00:00' },
        '2026-03-02T00:00:00',
        '2026-03-03T00:00:00',
      ],
      ['no end: one day', { dateTime: '2026-03-02' }, undefined, '2026-03-02T00:00:00', '2026-03-03T00:00:00'],
      [
        'a day of 23 hours',
        { dateTime: '2026-03-08', timeZone: 'America/New_York' },
        { dateTime: '2026-03-09', timeZone: 'America/New_York' },
        '2026-03-08T00:00:00',
        '2026-03-09T00:00:00',
      ],
    ])('take %s and answer without offset, end exclusive', async (_rule, start, end, from, to) => {
      const event = await create({ isAllDay: true, start, ...(end === undefined ? {} : { end }) });
      expect(event).toMatchObject({ isAllDay: true, start: { dateTime: from }, end: { dateTime: to } });
    });

    it('become timed and back', async () => {
      const event = await create({ isAllDay: true, start: { dateTime: '2026-03-02' } });
      const put = async (sent: unknown) => body(await world.call('PUT', eventsPath(account, event.id), { body: sent }));
      const timed = await put({
        isAllDay: false,
        start: { dateTime: '2026-03-02T09:00:00' },
        end: { dateTime: '2026-03-02T10:00:00' },
      });
      expect(calendarEvent(timed)).toBeUndefined();
      expect(timed).toMatchObject({ isAllDay: false, start: { dateTime: '2026-03-02T09:00:00-05:00' } });
      const back = await put({ isAllDay: true, start: { dateTime: '2026-03-05' }, end: { dateTime: '2026-03-06' } });
      expect(calendarEvent(back)).toBeUndefined();
      expect(back).toMatchObject({ isAllDay: true, start: { dateTime: '2026-03-05T00:00:00' } });
    });

    it('of a series have occurrences with date ids, and exceptions with a date as original start', async () => {
      const series = await create({
        isAllDay: true,
        start: { dateTime: '2026-03-02' },
        recurrence: ['RRULE:FREQ=DAILY;INTERVAL=7;COUNT=3'],
      });
      const window = query({ startDateTime: '2026-03-01T00:00:00', endDateTime: '2026-04-01T00:00:00' });
      const occurrences = `${eventsPath(account, series.id)}/occurrences${window}`;
      const { data } = body(await world.call('GET', occurrences));
      expect(data.map(({ id }: Json) => id)).toEqual(['02', '09', '16'].map((day) => `${series.id}_202603${day}`));
      for (const occurrence of data) {
        expect(calendarEvent(occurrence)).toBeUndefined();
        expect(occurrence).toMatchObject({ isAllDay: true, recurringEventId: series.id, recurrence: null });
      }
      const moved = { start: { dateTime: '2026-03-11' }, end: { dateTime: '2026-03-12' } };
      const exception = body(await world.call('PUT', eventsPath(account, data[1].id), { body: moved }));
      expect(calendarEvent(exception)).toBeUndefined();
      expect(exception).toMatchObject({
        id: data[1].id,
        isException: true,
        originalStart: { date: '2026-03-09' },
        start: { dateTime: '2026-03-11T00:00:00' },
      });
    });
  });

  it.each([
    ['start.dateTime', { start: { dateTime: '2026-13-02T09:00:00' } }],
    ['start.dateTime', { start: { dateTime: '2026-03-02T25:00:00' } }],
    ['start.dateTime', { start: { dateTime: '2026-03-02 09:00' } }],
    ['start.dateTime', { start: { dateTime: '02.03.2026' } }],
    ['start.dateTime', { start: { dateTime: '1772442000' } }],
    ['start.dateTime', { start: { dateTime: '' } }],
    ['start.dateTime', { isAllDay: true, start: { dateTime: 'March' } }],
    ['start.dateTime', { isAllDay: true, start: { dateTime: '2026-03-02T09:00:00' } }],
    ['start.timeZone', { start: { dateTime: '2026-03-02T09:00:00', timeZone: '' } }],
    ['start.timeZone', { start: { dateTime: '2026-03-02T09:00:00', timeZone: 'GMT+1' } }],
    ['start.timeZone', { start: { dateTime: '2026-03-02T09:00:00', timeZone: 'UTC+01:00' } }],
    ['end', { start: { dateTime: '2026-03-02T09:00:00Z' }, end: { dateTime: '2026-03-02T08:59:59Z' } }],
    ['end', { isAllDay: true, start: { dateTime: '2026-03-02' }, end: { dateTime: '2026-03-01' } }],
    ['end', { start: { dateTime: '9999-12-30T23:59:59Z' } }],
    ['start.dateTime', { start: { dateTime: '9999-12-31T23:59:59Z', timeZone: 'America/New_York' } }],
    ['start.dateTime', { start: { dateTime: '0001-01-01T00:00:00Z', timeZone: 'America/New_York' } }],
    ['end', { isAllDay: true, start: { dateTime: '9999-12-31' } }],
    ['recurrence.0', { recurrence: ['RRULE:FREQ=SOMETIMES'] }],
    ['recurrence.0', { recurrence: ['RRULE:FREQ=HOURLY'] }],
    ['recurrence.0', { recurrence: ['RRULE:FREQ=DAILY;COUNT=0'] }],
    ['recurrence.0', { recurrence: ['DTSTART:20260302T090000Z'] }],
    ['recurrence.0', { recurrence: ['nonsense'] }],
    ['recurrence.1', { recurrence: ['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'] }],
  ])('a wrong %s is 400: %j', async (path, wrong) => {
    const answer = await post({ start: { dateTime: '2026-03-02T09:00:00' }, ...wrong });
    expectProblem(answer, 400, 'InvalidRequest');
    const paths = answer.body.details.map((detail: Json) => detail.path);
    expect(paths.some((named: string) => named === path || path.startsWith(`${named}.`))).toBe(true);
  });

  it('a start that its rule does not produce is 400, naming the first date that fits', async () => {
    const answer = await post({
      start: { dateTime: '2026-03-03T09:00:00' },
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
    });
    expectProblem(answer, 400, 'InvalidRequest');
    expect(answer.body.detail).toContain('2026-03-09');
  });

  it('a bare rule is answered with RRULE:', async () => {
    const event = await create({ start: { dateTime: '2026-03-02T09:00:00' }, recurrence: ['FREQ=DAILY;COUNT=2'] });
    expect(event).toMatchObject({ isRecurring: true, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
  });

  it('a series keeps wall time over a change of clocks', async () => {
    const series = await create({
      start: { dateTime: '2026-03-07T09:00:00' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const window = query({ startDateTime: '2026-03-07T00:00:00', endDateTime: '2026-03-12T00:00:00' });
    const { data } = body(await world.call('GET', `${eventsPath(account, series.id)}/occurrences${window}`));
    expect(data.map(({ start }: Json) => start.dateTime)).toEqual([
      '2026-03-07T09:00:00-05:00',
      '2026-03-08T09:00:00-04:00',
      '2026-03-09T09:00:00-04:00',
    ]);
    expect(data.map(({ id }: Json) => id)).toEqual(
      ['20260307T140000Z', '20260308T130000Z', '20260309T130000Z'].map((slot) => `${series.id}_${slot}`),
    );
  });

  it.each([
    ['a rule that Graph has no pattern for', ['RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO'], '2026-05-11T09:00:00'],
    ['extra dates', ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;TZID=America/New_York:20260310T090000'], '2026-03-02T09:00:00'],
  ])('%s: kept whole, or 422 naming recurrence; never approximated', async (_what, recurrence, dateTime) => {
    const answer = await post({ start: { dateTime }, recurrence });
    if (provider === 'google') expect(body(answer, 201).isRecurring).toBe(true);
    else expectProblem(answer, 422, 'UnsupportedByProvider', 'recurrence');
  });
});
