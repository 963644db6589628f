import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { connectCalDav, createSchedulingWorld } from './scheduling-world.ts';
import { body, type Connected, eventsPath, expectProblem, secondApplication, withOneBitChanged } from './steps.ts';
import type { Json, World } from './world.ts';

const clock = movableClock();
clock.pass(Date.UTC(2030, 2, 4, 8, 30) - clock.now());
const at = (time: string, day = 4) => `2030-03-0${day}T${time}:00Z`;

let world: World;
let google: Connected;
let microsoft: Connected;
let caldav: Connected;
beforeAll(async () => {
  world = await createSchedulingWorld({ clock });
  [google, microsoft, caldav] = [
    await world.connect('google'),
    await world.connect('microsoft'),
    await connectCalDav(world),
  ];
  const put = async (account: Connected, from: string, to: string, fields: object = {}) => {
    const sent = { title: 'Secret', start: { dateTime: from }, end: { dateTime: to }, ...fields };
    body(await world.call('POST', eventsPath(account), { body: sent }), 201);
  };
  await put(google, at('10:00'), at('11:00'));
  await put(microsoft, at('11:00'), at('12:00'), { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
  await put(caldav, at('13:00'), at('14:00'));
  await put(google, '2030-03-06', '2030-03-07', { isAllDay: true, transparency: 'opaque' });
}, 60_000);
afterAll(() => world.close());

const of = (account: Connected) => ({
  accounts: [{ endUserAccountId: account.accountId, calendarIds: [account.calendarId] }],
});
const QUESTION = {
  startDateTime: at('09:00'),
  endDateTime: at('15:00'),
  timeZone: 'UTC',
  durationMinutes: 60,
  stepMinutes: 60,
};
const send = (fields: Json, path = '/v1/availability', key?: string) =>
  world.call('POST', path, { body: { ...QUESTION, ...fields }, ...(key === undefined ? {} : { key }) });
const ask = async (fields: Json) => body(await send(fields));
const starts = async (fields: Json) =>
  (await ask(fields)).slots.map(({ start }: Json) => new Date(start.dateTime).toISOString().slice(11, 16));
const everyone = () => [
  { id: 'ada', ...of(google) },
  { id: 'ben', ...of(microsoft) },
  { id: 'cleo', ...of(caldav) },
];

describe('POST /v1/availability', () => {
  it('finds when people of three providers can meet, in the zone asked for', async () => {
    const answer = await ask({ participants: everyone(), timeZone: 'Asia/Tokyo' });
    expect(answer).toEqual({
      slots: [
        ['18:00', '19:00', 1],
        ['21:00', '22:00', 2],
        ['23:00', '00:00', 3],
      ].map(([start, end, rank]) => ({
        start: { dateTime: `2030-03-04T${start}:00+09:00`, timeZone: 'Asia/Tokyo' },
        end: { dateTime: `2030-03-0${end === '00:00' ? 5 : 4}T${end}:00+09:00`, timeZone: 'Asia/Tokyo' },
        participants: ['ada', 'ben', 'cleo'],
        absent: [],
        rank,
        reason: 'all required participants are free',
      })),
      total: 3,
      line: [],
      nextPageToken: null,
    });
  });

  it('counts busy time of the request, of any zone, as that of calendars', async () => {
    const busy = [{ startDateTime: '2030-03-04T07:00:00', endDateTime: '2030-03-04T08:30:00' }];
    const participants = [...everyone(), { id: 'dan', timeZone: 'America/New_York', busy }];
    expect(await starts({ participants })).toEqual(['09:00', '14:00']);
  });

  it('ranks slots by who is absent, and takes any of a group', async () => {
    const [ada = {}, ben = {}, cleo = {}] = everyone();
    const participants = [ada, { ...ben, role: 'optional' }, cleo, { id: 'room', busy: [] }];
    const groups = [{ id: 'rooms', members: ['cleo', 'room'], take: 1 }];
    const { slots } = await ask({ participants, groups, orderBy: 'rank' });
    expect(
      slots.map(({ start, absent, participants: taken }: Json) => [start.dateTime.slice(11, 13), taken, absent]),
    ).toEqual([
      ['09', ['ada', 'ben', 'cleo'], []],
      ['12', ['ada', 'ben', 'cleo'], []],
      ['13', ['ada', 'ben', 'room'], []],
      ['14', ['ada', 'ben', 'cleo'], []],
      ['11', ['ada', 'cleo'], ['ben']],
    ]);
  });

  it('gives a round-robin booking to hosts in turn, by the assignments of the request', async () => {
    const [ada = {}, ben = {}] = everyone();
    const participants = [
      { ...ada, assignments: 1, lastAssignedDateTime: at('08:00') },
      { ...ben, assignments: 0 },
    ];
    const query = { mode: 'round-robin', participants };
    const hosts = async (fields: Json) =>
      (await ask({ ...query, ...fields })).slots.map(
        ({ start, participants: [host] }: Json) => `${start.dateTime.slice(11, 13)} ${host}`,
      );
    expect(await hosts({})).toEqual(['09 ben', '10 ben', '11 ada', '12 ben', '13 ben', '14 ben']);
    expect(await hosts({ distribution: 'max-fairness' })).toEqual(['09 ben', '10 ben', '12 ben', '13 ben', '14 ben']);
    expect((await ask(query)).line).toEqual(['ben', 'ada']);
  });

  it('keeps to rules of the query and of participants', async () => {
    const [ada = {}] = everyone();
    const only = (fields: Json, ofQuery: Json = {}) => starts({ participants: [{ ...ada, ...fields }], ...ofQuery });
    expect(await only({ bufferAfterMinutes: 30 })).toEqual(['11:00', '12:00', '13:00', '14:00']);
    expect(await only({}, { rules: { bufferBeforeMinutes: 1 } })).toEqual(['09:00', '12:00', '13:00', '14:00']);
    const openHours = [
      { days: ['MO'], start: '08:00', end: '08:30' },
      { days: ['MO'], start: '08:30', end: '09:00' },
    ];
    expect(await only({ timeZone: 'America/New_York', openHours })).toEqual(['13:00']);
    expect(await only({ holidays: ['2030-03-04'] })).toEqual([]);
    const bookings = [{ startDateTime: at('13:00'), endDateTime: at('14:00') }];
    expect(await only({ bookings, maxPerDay: 1 })).toEqual([]);
    expect(await only({ bookings, minGapMinutes: 60 })).toEqual(['09:00', '11:00']);
    const days = { startDateTime: at('10:00', 6), endDateTime: at('11:00', 6) };
    expect(await only({}, days)).toEqual([]);
    expect(await only({}, { ...days, isAllDayBusy: false })).toEqual(['10:00']);
  });

  it('begins after the notice, and never before now', async () => {
    const [ada = {}] = everyone();
    const early = { participants: [ada], startDateTime: at('00:00') };
    expect((await starts(early))[0]).toBe('09:00');
    expect((await starts({ ...early, noticeMinutes: 240 }))[0]).toBe('13:00');
  });

  it('answers ranges', async () => {
    const { ranges, slots } = await ask({ participants: everyone(), result: 'ranges' });
    expect(slots).toBeUndefined();
    expect(ranges.map(({ start, end }: Json) => [start.dateTime.slice(11, 16), end.dateTime.slice(11, 16)])).toEqual([
      ['09:00', '10:00'],
      ['12:00', '13:00'],
      ['14:00', '15:00'],
    ]);
  });

  it('comes in pages, whose tokens belong to the query and the application', async () => {
    const query = { participants: everyone(), limit: 2 };
    const first = await ask(query);
    const second = await ask({ ...query, pageToken: first.nextPageToken });
    expect([first.slots.length, second.slots.length, second.nextPageToken]).toEqual([2, 1, null]);
    expect([...first.slots, ...second.slots]).toEqual((await ask({ participants: everyone() })).slots);
    const { nextPageToken } = first;
    for (const fields of [
      { pageToken: withOneBitChanged(nextPageToken) },
      { pageToken: nextPageToken, durationMinutes: 30 },
      { pageToken: nextPageToken, orderBy: 'rank' },
      { pageToken: 'none' },
    ])
      expectProblem(await send({ ...query, ...fields }), 400, 'InvalidPageToken', 'pageToken');
    const { key } = await secondApplication(world);
    expectProblem(await send({ ...query, pageToken: nextPageToken }, '/v1/availability', key), 400, 'InvalidPageToken');
  });

  it('is 404 for accounts of another application, as for those that never existed, and for unknown calendars', async () => {
    const { key } = await secondApplication(world);
    const path = 'participants.1.accounts.0';
    for (const endUserAccountId of [google.accountId, 'acc_none']) {
      const participants = [{ id: 'x' }, { id: 'y', accounts: [{ endUserAccountId }] }];
      const answer = await send({ participants }, '/v1/availability', key);
      expectProblem(answer, 404, 'NotFound', `${path}.endUserAccountId`);
    }
    const unknown = { endUserAccountId: google.accountId, calendarIds: [google.calendarId, 'none'] };
    const answer = await send({ participants: [{ id: 'x' }, { id: 'y', accounts: [unknown] }] });
    expectProblem(answer, 404, 'NotFound', `${path}.calendarIds.1`);
  });

  it('refuses a query when the account of a participant cannot be read', async () => {
    const gone = await world.connect('google');
    await world.engine.operations.expire(world.applicationId, gone.accountId);
    const participants = [...everyone(), { id: 'dan', role: 'optional', ...of(gone) }];
    expectProblem(await send({ participants }), 409, 'InvalidRefreshToken', 'participants.3.accounts.0');
  });

  const one = { id: 'x' };
  it.each([
    ['participants', { participants: [] }],
    ['participants.0.id', { participants: [{}] }],
    ['participants.1.id', { participants: [one, one] }],
    ['participants.0.role', { participants: [{ ...one, role: 'host' }] }],
    ['participants.0.timeZone', { participants: [{ ...one, timeZone: 'Nowhere' }] }],
    ['participants.0.weekends', { participants: [{ ...one, weekends: true }] }],
    [
      'participants.0.busy.0.endDateTime',
      { participants: [{ ...one, busy: [{ startDateTime: at('10:00'), endDateTime: at('09:00') }] }] },
    ],
    [
      'participants.0.busy.0.startDateTime',
      { participants: [{ ...one, busy: [{ startDateTime: 'noon', endDateTime: at('09:00') }] }] },
    ],
    [
      'participants.0.openHours.0.end',
      { participants: [{ ...one, openHours: [{ days: ['MO'], start: '09:00', end: '25:00' }] }] },
    ],
    ['participants.0.holidays.0', { participants: [{ ...one, holidays: ['2030-02-30'] }] }],
    ['durationMinutes', { participants: [one], durationMinutes: 0 }],
    ['stepMinutes', { participants: [one], stepMinutes: 1_441 }],
    ['endDateTime', { participants: [one], endDateTime: '2031-03-06T00:00:00Z' }],
    ['groups.0.members.0', { participants: [one], groups: [{ id: 'g', members: ['y'], take: 1 }] }],
    ['distribution', { participants: [one], distribution: 'max-fairness' }],
    ['participants', { participants: [{ ...one, role: 'optional' }] }],
    [
      'participants',
      {
        participants: Array.from({ length: 28 }, (_, index) => ({ id: `${index}` })),
        endDateTime: at('09:00', 4).replace('2030', '2031'),
      },
    ],
    ['limit', { participants: [one], limit: 1_001 }],
  ])('names %s when it violates its rule', async (path, fields) => {
    expectProblem(await send(fields), 400, 'InvalidRequest', path);
  });
});

describe('POST /v1/availability/explain', () => {
  it('says what stands against a slot, without the contents of events', async () => {
    const answer = body(
      await send({ participants: everyone(), slotDateTime: at('11:00') }, '/v1/availability/explain'),
    );
    const obstacle = {
      code: 'busy',
      participantId: 'ben',
      text: 'ben is busy from 2030-03-04T11:00:00+00:00 to 2030-03-04T12:00:00+00:00',
      start: { dateTime: '2030-03-04T11:00:00+00:00', timeZone: 'UTC' },
      end: { dateTime: '2030-03-04T12:00:00+00:00', timeZone: 'UTC' },
    };
    expect(answer).toEqual({
      start: obstacle.start,
      end: obstacle.end,
      isOffered: false,
      obstacles: [obstacle],
      participants: [
        { id: 'ada', isFree: true, obstacles: [] },
        { id: 'ben', isFree: false, obstacles: [obstacle] },
        { id: 'cleo', isFree: true, obstacles: [] },
      ],
    });
    expect(JSON.stringify(answer)).not.toContain('Secret');
  });

  it('agrees with the slots for every start', async () => {
    const offered = await starts({ participants: everyone() });
    for (const time of ['08:00', '09:00', '09:30', '10:00', '11:00', '12:00', '13:00', '14:00', '14:30']) {
      const sent = { participants: everyone(), slotDateTime: at(time) };
      const { isOffered } = body(await send(sent, '/v1/availability/explain'));
      expect([time, isOffered]).toEqual([time, offered.includes(time)]);
    }
  });

  it('reads the calendars where a slot outside of the window lies', async () => {
    const sent = { participants: everyone(), slotDateTime: at('11:00', 5) };
    const { obstacles } = body(await send(sent, '/v1/availability/explain'));
    expect(obstacles.map(({ code }: Json) => code)).toEqual(['outside-window', 'busy']);
  });
});
