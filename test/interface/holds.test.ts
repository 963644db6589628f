import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem, secondApplication } from './steps.ts';
import { type Answer, createWorld, type Json, PROVIDERS, type World } from './world.ts';

/** Sunday. */
const NOW = Date.UTC(2026, 2, 1, 12);
const clock = manualClock(NOW);

let world: World;
beforeAll(async () => {
  world = await createWorld({ storage: sqlite({ path: ':memory:', clock }), clock }, { clock, background: false });
});
afterAll(() => world.close());

const participant = ({ accountId, calendarId }: Connected) => ({
  endUserAccountId: accountId,
  calendarIds: [calendarId],
});
const slotAt = (hour: string, until: string, day = '2026-03-03') => ({
  startDateTime: `${day}T${hour}:00`,
  endDateTime: `${day}T${until}:00`,
  timeZone: 'Europe/London',
});
const take = (participants: readonly Connected[], slot: Json, more: Json = {}): Promise<Answer> =>
  world.call('POST', '/v1/holds', { body: { participants: participants.map(participant), ...slot, ...more } });
const confirm = (holdId: string, event: Json = { title: 'Advice' }, more: Json = {}): Promise<Answer> =>
  world.call('POST', `/v1/holds/${holdId}/confirm`, { body: { event, ...more } });
/** Lets time pass until work is done that waits for other work. */
async function whileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(10);
  return await work;
}
const listed = async (account: Connected): Promise<readonly Json[]> =>
  body(await world.call('GET', eventsPath(account))).data;
const startsOf = (answer: Answer): readonly string[] =>
  answer.body.nextSlots.map(({ startDateTime }: Json) => startDateTime.slice(8, 16));

describe.each(PROVIDERS)('holds in calendars of $providerType', ({ provider }) => {
  let ada: Connected;
  let ben: Connected;
  beforeAll(async () => {
    ada = await world.connect(provider);
    ben = await world.connect(provider);
  });

  it('takes a slot for all participants, until it expires', async () => {
    const held = body(await take([ada, ben], slotAt('09:00', '10:00'), { expiresInSeconds: 60 }), 201);
    expect(held).toEqual({
      id: expect.stringMatching(/^hld_\w{22}$/),
      status: 'held',
      startDateTime: '2026-03-03T09:00:00+00:00',
      endDateTime: '2026-03-03T10:00:00+00:00',
      timeZone: 'Europe/London',
      participants: [participant(ada), participant(ben)],
      expiresAt: new Date(clock.now() + 60_000).toISOString(),
      createdAt: new Date(clock.now()).toISOString(),
      assignment: null,
      bookingToken: null,
    });
    const refused = await take([ben], slotAt('09:30', '10:30'));
    expectProblem(refused, 409, 'SlotTaken');
    expect(startsOf(refused)).toEqual(['03T10:00', '03T10:15', '03T10:30', '03T10:45', '03T11:00']);
    await clock.advance(60_000);
    expect(body(await world.call('GET', `/v1/holds/${held.id}`)).status).toBe('expired');
    expectProblem(await confirm(held.id), 409, 'Conflict');
    const again = body(await take([ben], slotAt('09:30', '10:30')), 201);
    body(await world.call('DELETE', `/v1/holds/${again.id}`));
    expectProblem(await world.call('GET', `/v1/holds/${again.id}`), 404, 'NotFound');
    body(await world.call('DELETE', `/v1/holds/${held.id}`));
  });

  it('takes none in which an event lies, and looks at the provider first where that is asked for', async () => {
    const time = { dateTime: '2026-03-04T09:00:00', timeZone: 'Europe/London' };
    body(await world.call('POST', eventsPath(ada), { body: { title: 'Busy', start: time } }), 201);
    const refused = await take([ben, ada], slotAt('09:30', '10:30', '2026-03-04'));
    expectProblem(refused, 409, 'SlotTaken');
    expect(startsOf(refused)[0]).toBe('04T10:00');
    const later = await take([ada], slotAt('12:00', '13:00', '2026-03-04'));
    body(await world.call('DELETE', `/v1/holds/${body(later, 201).id}`));
    const [start, end] = ['12:00:00', '13:00:00'].map((hour) => ({ dateTime: `2026-03-04T${hour}`, timeZone: 'UTC' }));
    const isGoogle = provider === 'google';
    const event = { [isGoogle ? 'summary' : 'subject']: 'New at the provider', start, end };
    await world.atProvider(provider, ada.email, 'POST', isGoogle ? '/calendars/primary/events' : '/me/events', event);
    const seen = await take([ada], slotAt('12:00', '13:00', '2026-03-04'), { pullFirst: true });
    expectProblem(seen, 409, 'SlotTaken');
  });

  it('writes one event however often it is confirmed, and invites the other participants', async () => {
    const held = body(await take([ada, ben], slotAt('09:00', '10:00', '2026-03-05')), 201);
    const before = (await listed(ada)).length;
    const event = { title: 'Advice', attendees: [{ email: 'guest@example.com', name: 'Guest' }] };
    const answers = await whileTimePasses(Promise.all([1, 2, 3].map(() => confirm(held.id, event))));
    const [first, ...others] = answers.map((answer) => body(answer, 201));
    for (const other of others) expect(other).toEqual(first);
    expect(body(await confirm(held.id, event), 201)).toEqual(first);
    expect((await listed(ada)).length).toBe(before + 1);
    expect(first).toMatchObject({
      token: expect.stringMatching(new RegExp(`^${held.id}\\.[\\w-]{43}$`)),
      holdId: held.id,
      startDateTime: '2026-03-05T09:00:00+00:00',
      endUserAccountId: ada.accountId,
      calendarId: ada.calendarId,
      event: { title: 'Advice', start: { dateTime: '2026-03-05T09:00:00+00:00', timeZone: 'Europe/London' } },
    });
    const invited = first.event.attendees.map(({ email }: Json) => email);
    expect(invited).toEqual(expect.arrayContaining(['guest@example.com', ben.email]));
    expectProblem(await confirm(held.id, { title: 'Other' }), 409, 'Conflict');
    expect(body(await world.call('GET', `/v1/holds/${held.id}`)).status).toBe('booked');
    expectProblem(await world.call('DELETE', `/v1/holds/${held.id}`), 409, 'Conflict');
    expectProblem(await take([ben], slotAt('09:00', '09:30', '2026-03-05')), 409, 'SlotTaken');
    expect(body(await world.call('GET', `/v1/bookings/${first.token}`))).toEqual(first);
  });

  it('is released by a confirmation that finds an event in its slot', async () => {
    const held = body(await take([ada], slotAt('09:00', '10:00', '2026-03-06')), 201);
    const time = { dateTime: '2026-03-06T09:45:00', timeZone: 'Europe/London' };
    // The person books over the hold, in their own program.
    body(await world.call('POST', eventsPath(ada), { body: { title: 'First', start: time } }), 201);
    const before = (await listed(ada)).length;
    const refused = await confirm(held.id);
    expectProblem(refused, 409, 'SlotTaken');
    expect(startsOf(refused)[0]).toBe('06T10:45');
    expect((await listed(ada)).length).toBe(before);
    expectProblem(await world.call('GET', `/v1/holds/${held.id}`), 404, 'NotFound');
  });

  it('moves and cancels a booking by its token', async () => {
    const held = body(await take([ada, ben], slotAt('09:00', '10:00', '2026-03-09')), 201);
    const { token, event } = body(await confirm(held.id), 201);
    const path = `/v1/bookings/${token}`;
    await take([ben], slotAt('11:00', '12:00', '2026-03-09'));
    const refused = await world.call('PUT', path, { body: slotAt('10:30', '11:30', '2026-03-09') });
    expectProblem(refused, 409, 'SlotTaken');
    expect(startsOf(refused)[0]).toBe('09T12:00');
    // Half an hour later: its own time is not in the way.
    const moved = body(await world.call('PUT', path, { body: slotAt('09:30', '10:30', '2026-03-09') }));
    expect(moved).toMatchObject({ token, startDateTime: '2026-03-09T09:30:00+00:00', event: { id: event.id } });
    expect(moved.event.start.dateTime).toBe('2026-03-09T09:30:00+00:00');
    expect(body(await world.call('GET', path))).toEqual(moved);
    body(await take([ada], slotAt('09:00', '09:30', '2026-03-09')), 201);
    expectProblem(await take([ben], slotAt('10:00', '10:30', '2026-03-09')), 409, 'SlotTaken');
    body(await world.call('DELETE', path));
    expect((await listed(ada)).some(({ id }) => id === event.id)).toBe(false);
    expectProblem(await world.call('DELETE', path), 404, 'NotFound');
    body(await take([ada], slotAt('09:30', '10:30', '2026-03-09')), 201);
  });

  it('shows a booking whose event a person has deleted, and cancels it', async () => {
    const held = body(await take([ada], slotAt('15:00', '16:00', '2026-03-09')), 201);
    const { token, event } = body(await confirm(held.id), 201);
    body(await world.call('DELETE', eventsPath(ada, event.id)));
    expect(body(await world.call('GET', `/v1/bookings/${token}`)).event).toBe(null);
    const moved = await world.call('PUT', `/v1/bookings/${token}`, { body: slotAt('17:00', '18:00') });
    expectProblem(moved, 404, 'NotFound');
    body(await world.call('DELETE', `/v1/bookings/${token}`));
  });

  it('makes its time busy in availability, and in no list', async () => {
    const held = body(await take([ada], slotAt('09:00', '10:00', '2026-03-11')), 201);
    const offered = async () => {
      const query = {
        ...{ startDateTime: '2026-03-11T08:00:00', endDateTime: '2026-03-11T11:00:00', timeZone: 'Europe/London' },
        durationMinutes: 60,
        stepMinutes: 60,
        participants: [ada, ben].map((each) => ({ id: each.accountId, accounts: [participant(each)] })),
      };
      const { slots } = body(await world.call('POST', '/v1/availability', { body: query }));
      return slots.map(({ start }: Json) => start.dateTime.slice(11, 16));
    };
    expect(await offered()).toEqual(['08:00', '10:00']);
    expect((await listed(ada)).filter(({ start }) => start.dateTime.startsWith('2026-03-11'))).toEqual([]);
    body(await world.call('DELETE', `/v1/holds/${held.id}`));
    expect(await offered()).toEqual(['08:00', '09:00', '10:00']);
  });

  it('belongs to its application', async () => {
    const held = body(await take([ada], slotAt('18:00', '19:00')), 201);
    const { token } = body(await confirm(held.id), 201);
    const { key } = await secondApplication(world);
    const calls = [
      world.call('POST', '/v1/holds', { key, body: { participants: [participant(ada)], ...slotAt('20:00', '21:00') } }),
      world.call('GET', `/v1/holds/${held.id}`, { key }),
      world.call('DELETE', `/v1/holds/${held.id}`, { key }),
      world.call('POST', `/v1/holds/${held.id}/confirm`, { key, body: { event: { title: 'x' } } }),
      world.call('GET', `/v1/bookings/${token}`, { key }),
      world.call('PUT', `/v1/bookings/${token}`, { key, body: slotAt('20:00', '21:00') }),
      world.call('DELETE', `/v1/bookings/${token}`, { key }),
    ];
    for (const answer of await Promise.all(calls)) expectProblem(answer, 404, 'NotFound');
    const wrong = [token.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')), held.id, 'x'];
    for (const each of wrong) expectProblem(await world.call('GET', `/v1/bookings/${each}`), 404, 'NotFound');
  });

  it('of many requests for one slot exactly one gets it, and the others the next ones', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        take(index % 2 === 0 ? [ada, ben] : [ben, ada], slotAt('09:00', '10:00', '2026-03-10')),
      ),
    );
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, 409, 'SlotTaken');
      expect(startsOf(answer)[0]).toBe('10T10:00');
    }
    body(await confirm(won[0]?.body.id), 201);
  });
});

describe('bodies of holds', () => {
  let ada: Connected;
  beforeAll(async () => {
    ada = await world.connect('google');
  });

  it.each<[string, string, Json]>([
    ['startDateTime', 'in the past', { startDateTime: '2026-02-28T09:00:00' }],
    ['startDateTime', 'a fraction', { startDateTime: '2026-03-03T09:00:00.5' }],
    ['startDateTime', 'no date-time', { startDateTime: 'tomorrow' }],
    ['endDateTime', 'too short', { endDateTime: '2026-03-03T09:00:30' }],
    ['endDateTime', 'too long', { endDateTime: '2026-04-04T09:00:00' }],
    ['timeZone', 'unknown', { timeZone: 'Europe/Nowhere' }],
    ['expiresInSeconds', 'more than ten minutes', { expiresInSeconds: 601 }],
    ['expiresInSeconds', 'too few', { expiresInSeconds: 9 }],
    ['participants', 'none', { participants: [] }],
    ['participants.0.calendarIds', 'no calendars', { participants: [{ endUserAccountId: 'x', calendarIds: [] }] }],
    [
      'participants.1.endUserAccountId',
      'an account twice',
      { participants: ['a', 'b'].map((calendar) => ({ endUserAccountId: 'x', calendarIds: [calendar] })) },
    ],
  ])('%s: %s is refused', async (path, _, patch) => {
    expectProblem(await take([ada], { ...slotAt('09:00', '10:00'), ...patch }), 400, 'InvalidRequest', path);
  });

  it.each([61, 65, 124, 2_678_399])('a slot of %i seconds is one', async (seconds) => {
    const end = new Date(Date.UTC(2026, 5, 1, 9) + seconds * 1_000).toISOString();
    const held = body(
      await take([ada], {
        ...slotAt('09:00', '10:00'),
        startDateTime: '2026-06-01T09:00:00Z',
        endDateTime: end,
      }),
      201,
    );
    expect((await world.call('DELETE', `/v1/holds/${held.id}`)).status).toBe(200);
  });

  it('names what is unknown', async () => {
    const slot = slotAt('09:00', '10:00');
    const calendar = { endUserAccountId: ada.accountId, calendarIds: [ada.calendarId, 'none@example.com'] };
    const account = { ...participant(ada), endUserAccountId: 'acc_none' };
    for (const [unknown, path] of [
      [calendar, 'participants.0.calendarIds.1'],
      [account, 'participants.0.endUserAccountId'],
    ] as const) {
      for (const pullFirst of [false, true]) {
        const refused = await world.call('POST', '/v1/holds', {
          body: { ...slot, participants: [unknown], pullFirst },
        });
        expectProblem(refused, 404, 'NotFound', path);
      }
    }
    const held = body(await take([ada], slotAt('09:00', '10:00')), 201);
    const timed = { title: 'x', start: { dateTime: '2026-03-03T09:00:00' } };
    const refused = await world.call('POST', `/v1/holds/${held.id}/confirm`, { body: { event: timed } });
    expect([refused.status, refused.body.code]).toEqual([400, 'InvalidRequest']);
    expect(body(await world.call('GET', `/v1/holds/${held.id}`)).status).toBe('held');
  });
});
