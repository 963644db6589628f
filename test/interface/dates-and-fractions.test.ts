import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem, query } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(PROVIDERS)('dates and fractions of $providerType', ({ provider }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  const post = (fields: Readonly<Record<string, unknown>>) =>
    world.call('POST', eventsPath(account), { body: { title: 'Timed', ...fields } });
  const put = (id: string, fields: Readonly<Record<string, unknown>>) =>
    world.call('PUT', eventsPath(account, id), { body: fields });

  it('a date is a day of an all-day event, alone or beside a dateTime that is one', async () => {
    const [first, last] = [{ dateTime: '2026-03-01T00:00:00' }, { dateTime: '2026-03-03T00:00:00' }];
    for (const end of [
      { date: '2026-03-03' },
      { dateTime: '2026-03-03' },
      { date: '2026-03-03', timeZone: 'Asia/Tokyo' },
    ]) {
      const event = body(await post({ start: { date: '2026-03-01' }, end }), 201);
      expect(event).toMatchObject({ isAllDay: true, start: first, end: last });
    }
    const day = body(await post({ start: { date: '2026-03-02' } }), 201);
    expect(day).toMatchObject({ isAllDay: true, end: last });
  });

  it('a date makes a timed event all-day; the original start of an occurrence can be sent as its start', async () => {
    const timed = body(await post({ start: { dateTime: '2026-03-02T09:00:00Z' } }), 201);
    expect(body(await put(timed.id, { start: { date: '2026-03-05' }, end: { date: '2026-03-06' } }))).toMatchObject({
      isAllDay: true,
      start: { dateTime: '2026-03-05T00:00:00' },
    });
    const series = body(await post({ start: { date: '2026-03-02' }, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }), 201);
    const { originalStart } = body(await world.call('GET', eventsPath(account, `${series.id}_20260304`)));
    expect(originalStart).toEqual({ date: '2026-03-04' });
    const sent = { start: originalStart, end: { date: '2026-03-05' }, title: 'Mine' };
    const occurrence = body(await put(`${series.id}_20260304`, sent));
    expect(occurrence).toMatchObject({ title: 'Mine', start: { dateTime: '2026-03-04T00:00:00' }, originalStart });
  });

  it.each([
    ['start.date', { start: { date: '2026-03-01', dateTime: '2026-03-01T09:00:00' } }],
    ['start.date', { start: { date: '2026-03-01' }, isAllDay: false }],
    ['start.date', { start: { date: '2026-03-01T09:00:00Z' } }],
    ['start.date', { start: { date: '2026-02-30' } }],
    ['start.dateTime', { start: {} }],
    ['start.dateTime', { start: { timeZone: 'UTC' } }],
    ['end.dateTime', { start: { date: '2026-03-01' }, end: { dateTime: '2026-03-02T09:00:00' } }],
    ['end.date', { start: { dateTime: '2026-03-01T08:00:00Z' }, end: { date: '2026-03-02' }, isAllDay: false }],
    ['start.dateTime', { start: { dateTime: '2026-03-01T09:00:00.5Z' } }],
    ['start.dateTime', { start: { dateTime: '2026-03-01T09:00:00.0000001' } }],
    ['end.dateTime', { start: { dateTime: '2026-03-01T09:00:00Z' }, end: { dateTime: '2026-03-01T10:00:00,001Z' } }],
  ])('a wrong %s is 400: %j', async (path, fields) => {
    expectProblem(await post(fields), 400, 'InvalidRequest', path);
    const event = body(await post({ start: { dateTime: '2026-03-01T09:00:00Z' } }), 201);
    expectProblem(await put(event.id, fields), 400, 'InvalidRequest', path);
  });

  it('a fraction of zero is none', async () => {
    const start = { dateTime: new Date(Date.UTC(2026, 2, 1, 9)).toISOString(), timeZone: 'UTC' };
    const event = body(await post({ start, end: { dateTime: '2026-03-01T10:00:00.0000000', timeZone: 'UTC' } }), 201);
    expect([event.start.dateTime, event.end.dateTime]).toEqual([
      '2026-03-01T09:00:00+00:00',
      '2026-03-01T10:00:00+00:00',
    ]);
  });

  it('windows are compared to the last digit', async () => {
    const [at, until] = ['2027-05-03T09:00:00', '2027-05-03T10:00:00'];
    const { id } = body(await post({ start: { dateTime: `${at}Z` }, end: { dateTime: `${until}Z` } }), 201);
    const listed = async (startDateTime: string, endDateTime: string) => {
      const answer = await world.call('GET', `${eventsPath(account)}${query({ startDateTime, endDateTime })}`);
      return body(answer).data.some((event: Json) => event.id === id);
    };
    expect(await listed(`${at}.000Z`, `${until}.000000Z`)).toBe(true);
    expect(await listed(`${at}.000000001Z`, `${until}Z`)).toBe(false);
    expect(await listed(`${at}.001Z`, `${until}Z`)).toBe(false);
    expect(await listed(`${at}Z`, `${until}.000000001Z`)).toBe(true);
    expect(await listed('2027-05-03T08:59:59.999999Z', '2027-05-03T09:59:59.999999999Z')).toBe(false);
  });

  it('busy slots are cut where the window is, to the millisecond', async () => {
    const day = '2027-06-01T';
    body(await post({ start: { dateTime: `${day}09:00:00Z` }, end: { dateTime: `${day}10:00:00Z` } }), 201);
    const busy = async (startDateTime: string, endDateTime: string) => {
      const sent = { startDateTime, endDateTime, timeZone: 'Europe/Berlin', calendarIds: [account.calendarId] };
      const [{ busySlots }] = body(await world.call('POST', `/v1/freeBusy/${account.accountId}`, { body: sent }));
      return busySlots.map(({ start, end }: Json) => [start.dateTime, end.dateTime]);
    };
    expect(await busy(`${day}09:15:00.250Z`, `${day}09:45:00.007Z`)).toEqual([
      [`${day}11:15:00.250+02:00`, `${day}11:45:00.007+02:00`],
    ]);
    expect(await busy(`${day}08:00:00.5Z`, `${day}11:00:00.5Z`)).toEqual([
      [`${day}11:00:00+02:00`, `${day}12:00:00+02:00`],
    ]);
    expect(await busy(`${day}10:00:00.0001Z`, `${day}11:00:00Z`)).toEqual([]);
  });
});
