import { manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem, revoke, secondApplication } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

/** Sunday. */
const clock = manualClock(Date.UTC(2026, 2, 1, 12));

let world: World;
let ada: Connected;
let ben: Connected;
let cleo: Connected;
beforeAll(async () => {
  world = await createWorld({ storage: sqlite({ path: ':memory:', clock }), clock }, { clock, background: false });
  ada = await world.connect('google');
  ben = await world.connect('microsoft');
  cleo = await world.connect('google');
});
afterAll(() => world.close());

let pools = 0;
const newPool = () => `pool ${++pools}`;
let days = 1;
/** A slot on a day of its own. */
const newSlot = (hour = '09') => {
  days += 1;
  const day = new Date(Date.UTC(2026, 2, days)).toISOString().slice(0, 10);
  return slotOn(day, hour);
};
const slotOn = (day: string, hour: string) => ({
  startDateTime: `${day}T${hour}:00:00`,
  endDateTime: `${day}T${hour}:30:00`,
  timeZone: 'UTC',
});
const person = ({ accountId, calendarId }: Connected, more: Json = {}) => ({
  endUserAccountId: accountId,
  calendarIds: [calendarId],
  ...more,
});
const hold = (pool: string, candidates: readonly Json[], slot: Json = newSlot(), more: Json = {}) =>
  world.call('POST', '/v1/holds', { body: { roundRobin: { pool, candidates }, ...slot, ...more } });
const chosen = async (...all: Parameters<typeof hold>): Promise<string> =>
  body(await hold(...all), 201).assignment.endUserAccountId;
const hosts = () => [ada, ben].map((each) => person(each));
const confirm = async (id: string) =>
  body(await world.call('POST', `/v1/holds/${id}/confirm`, { body: { event: { title: 'Advice' } } }), 201);

/** Asks for the hour in which ada and ben are free. */
const ask = (pool: Json, more: Json = {}, key?: string) =>
  world.call('POST', '/v1/availability', {
    body: {
      startDateTime: '2026-06-01T09:00:00Z',
      endDateTime: '2026-06-01T10:00:00Z',
      timeZone: 'UTC',
      durationMinutes: 60,
      mode: 'round-robin',
      distribution: 'max-fairness',
      participants: [hostOf('ada', ada), hostOf('ben', ben)],
      roundRobin: pool,
      ...more,
    },
    ...(key === undefined ? {} : { key }),
  });
const hostOf = (id: string, { accountId, calendarId }: Connected, more: Json = {}) => ({
  id,
  accounts: [{ endUserAccountId: accountId, calendarIds: [calendarId] }],
  ...more,
});
const lineOf = async (pool: string, more: Json = {}): Promise<string> => body(await ask({ pool }, more)).line.join(' ');

it('assigns a slot to the next host, who organizes the booking', async () => {
  const pool = newPool();
  const held = body(await hold(pool, hosts(), newSlot(), { participants: [person(cleo)] }), 201);
  expect(held).toMatchObject({
    assignment: { pool, endUserAccountId: ada.accountId },
    participants: [person(ada), person(cleo)],
  });
  expect(body(await world.call('GET', `/v1/holds/${held.id}`))).toEqual(held);
  const booking = await confirm(held.id);
  expect(booking).toMatchObject({ endUserAccountId: ada.accountId, calendarId: ada.calendarId });
  expect(booking.event.attendees.map(({ email }: Json) => email)).toContain(cleo.email);
  expect(await chosen(pool, hosts())).toBe(ben.accountId);
  expect(await lineOf(pool)).toBe('ada ben');
  expect(await chosen(pool, hosts())).toBe(ada.accountId);
  expect(await lineOf(pool)).toBe('ben ada');
  const { assignment } = body(
    await world.call('POST', '/v1/holds', { body: { participants: hosts(), ...newSlot() } }),
    201,
  );
  expect(assignment).toBe(null);
});

it('chooses a candidate who is free, and offers the slots in which one is', async () => {
  const pool = newPool();
  const slot = newSlot();
  expect(await chosen(pool, [person(ada)], slot)).toBe(ada.accountId);
  const time = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
  const event = { title: 'Busy', start: time(slot.startDateTime), end: time(slot.endDateTime) };
  body(await world.call('POST', `/v1/events/${ben.accountId}/${ben.calendarId}`, { body: event }), 201);
  expect(await chosen(pool, [...hosts(), person(cleo)], slot)).toBe(cleo.accountId);
  const openFrom = (start: string) => ({
    openHours: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], start, end: '17:00' }],
  });
  const candidates = [person(ada, openFrom('11:00')), person(ben, openFrom('10:00'))];
  // Ben has a better claim, and does not work so early.
  const early = slotOn(newSlot().startDateTime.slice(0, 10), '07');
  expect(await chosen(pool, [person(ada, openFrom('06:00')), person(ben, openFrom('10:00'))], early)).toBe(
    ada.accountId,
  );
  const refused = await hold(pool, candidates, slot, { stepMinutes: 30 });
  expectProblem(refused, 409, 'SlotTaken');
  expect(refused.body.nextSlots[0].startDateTime.slice(11, 16)).toBe('10:00');
  expect(await chosen(pool, candidates, newSlot('10'))).toBe(ben.accountId);
});

it('counts what stands: not holds that are released or expired, nor bookings that are cancelled', async () => {
  const pool = newPool();
  const first = body(await hold(pool, hosts()), 201);
  expect(await lineOf(pool)).toBe('ben ada');
  body(await world.call('DELETE', `/v1/holds/${first.id}`));
  expect(await lineOf(pool)).toBe('ada ben');
  const second = body(await hold(pool, hosts(), newSlot(), { expiresInSeconds: 60 }), 201);
  expect(await lineOf(pool)).toBe('ben ada');
  await clock.advance(60_000);
  expect(await lineOf(pool)).toBe('ada ben');
  expectProblem(
    await world.call('POST', `/v1/holds/${second.id}/confirm`, { body: { event: { title: 'Late' } } }),
    409,
    'Conflict',
  );
  const third = body(await hold(pool, hosts()), 201);
  const { token } = await confirm(third.id);
  expect(await lineOf(pool)).toBe('ben ada');
  body(await world.call('PUT', `/v1/bookings/${token}`, { body: newSlot() }));
  await clock.advance(3_600_000);
  expect(await lineOf(pool)).toBe('ben ada');
  body(await world.call('DELETE', `/v1/bookings/${token}`));
  expect(await lineOf(pool)).toBe('ada ben');
});

it('offers by weight and from an instant on', async () => {
  const pool = newPool();
  const weighted = [person(ada, { weight: 3 }), person(ben)];
  const taken = [];
  for (let turn = 0; turn < 8; turn += 1) {
    taken.push(await chosen(pool, weighted, newSlot(), { expiresInSeconds: 600 }));
    await clock.advance(1_000);
  }
  expect(taken.filter((id) => id === ada.accountId)).toHaveLength(6);
  expect(await lineOf(pool)).toBe('ben ada');
  const sinceDateTime = new Date(clock.now()).toISOString();
  expect(body(await ask({ pool, sinceDateTime })).line).toEqual(['ada', 'ben']);
  const since = { roundRobin: { pool, sinceDateTime, candidates: [person(ben), person(ada)] } };
  const held = await world.call('POST', '/v1/holds', { body: { ...since, ...newSlot() } });
  expect(body(held, 201).assignment.endUserAccountId).toBe(ben.accountId);
  expect(body(await ask({ pool, sinceDateTime })).line).toEqual(['ada', 'ben']);
});

it('explains with the recorded line, and adds up the accounts of a host', async () => {
  const pool = newPool();
  const question = { startDateTime: '2026-06-01T09:00:00Z', endDateTime: '2026-06-01T11:00:00Z', timeZone: 'UTC' };
  const both = {
    id: 'both',
    accounts: [ada, ben].map(({ accountId, calendarId }) => ({
      endUserAccountId: accountId,
      calendarIds: [calendarId],
    })),
  };
  for (let turn = 0; turn < 2; turn += 1) await chosen(pool, hosts());
  await chosen(pool, [person(cleo)]);
  const busy = [{ startDateTime: '2026-06-01T09:00:00Z', endDateTime: '2026-06-01T10:00:00Z' }];
  const participants = [both, hostOf('cleo', cleo, { busy })];
  expect(await lineOf(pool, { participants })).toBe('cleo both');
  const more = { durationMinutes: 60, mode: 'round-robin', distribution: 'max-fairness', roundRobin: { pool } };
  const asked = { ...question, ...more, participants, slotDateTime: '2026-06-01T09:00:00Z' };
  const explain = async () => {
    const answer = body(await world.call('POST', '/v1/availability/explain', { body: asked }));
    return answer.obstacles.map(({ code }: Json) => code);
  };
  expect(await explain()).toEqual(['not-next-in-line']);
  // Two each: both may be offered.
  await chosen(pool, [person(cleo)]);
  expect(await explain()).toEqual([]);
});

it("counts for its own application alone, and forgets an account's with the account", async () => {
  const pool = newPool();
  await chosen(pool, hosts());
  const other = await secondApplication(world);
  const foreign = await world.call('POST', '/v1/holds', {
    body: { roundRobin: { pool, candidates: hosts() }, ...newSlot() },
    key: other.key,
  });
  expectProblem(foreign, 404, 'NotFound');
  expect(foreign.body.details[0].path).toBe('roundRobin.candidates.0.endUserAccountId');
  expectProblem(await ask({ pool }, {}, other.key), 404, 'NotFound');
  const gone = await world.connect('google');
  await chosen(pool, [person(gone)]);
  body(await world.call('DELETE', `/v1/endUserAccounts/${gone.accountId}`));
  expectProblem(await hold(pool, [person(gone)]), 404, 'NotFound');
  expect(await lineOf(pool)).toBe('ben ada');
});

const refused = async (answer: Promise<{ readonly body: Json; readonly status: number }>, path: string) => {
  const { status, body: problem } = await answer;
  expect([status, problem.code, problem.details?.[0]?.path]).toEqual([400, 'InvalidRequest', path]);
};

it('names the field of bad input', async () => {
  const pool = newPool();
  const host = (more: Json) => ({ participants: [hostOf('ada', ada), hostOf('ben', ben, more)] });
  await refused(ask({ pool }, host({ assignments: 0 })), 'participants.1.assignments');
  await refused(
    ask({ pool }, host({ lastAssignedDateTime: '2026-01-01T00:00:00Z' })),
    'participants.1.lastAssignedDateTime',
  );
  await refused(ask({ pool }, { participants: [hostOf('ada', ada), { id: 'ben' }] }), 'participants.1.accounts');
  await refused(ask({ pool }, { mode: 'collective', distribution: undefined }), 'roundRobin');
  await refused(ask({ pool: '' }), 'roundRobin.pool');
  await refused(ask({ pool, sinceDateTime: 'yesterday' }), 'roundRobin.sinceDateTime');
  await refused(ask({}), 'roundRobin.pool');
  // Members of groups keep those of the query.
  const grouped = {
    participants: [hostOf('ada', ada), hostOf('ben', ben), { id: 'red', assignments: 3 }],
    groups: [{ id: 'rooms', members: ['red'], take: 1 }],
  };
  expect(await lineOf(pool, grouped)).toBe('ada ben');

  await refused(hold(pool, []), 'roundRobin.candidates');
  await refused(hold(pool, [person(ada, { weight: 0 })]), 'roundRobin.candidates.0.weight');
  await refused(hold(pool, [person(ada), person(ada)]), 'roundRobin.candidates.1.endUserAccountId');
  await refused(
    hold(pool, [person(ada)], newSlot(), { participants: [person(ada)] }),
    'roundRobin.candidates.0.endUserAccountId',
  );
  await refused(
    hold(pool, [person(ada), person(ben, { timeZone: 'Nowhere' })], newSlot(), { participants: [person(cleo)] }),
    'roundRobin.candidates.1.timeZone',
  );
  await refused(hold(pool, [person(ben, { maxPerDay: 0 })]), 'roundRobin.candidates.0.maxPerDay');
  await refused(world.call('POST', '/v1/holds', { body: newSlot() }), 'participants');
  const body = { roundRobin: { pool, sinceDateTime: 'soon', candidates: hosts() }, ...newSlot() };
  await refused(world.call('POST', '/v1/holds', { body }), 'roundRobin.sinceDateTime');
});

it('passes over candidates whose accounts have to be connected again, and names one where there is no other', async () => {
  const expired = await world.connect('google');
  await revoke(world, 'google', expired.email);
  const event = { title: 'Late', start: { dateTime: '2026-03-02T09:00:00Z' } };
  expectProblem(await world.call('POST', eventsPath(expired), { body: event }), 409, 'InvalidRefreshToken');
  const pool = newPool();
  const both = [person(expired), person(ada)];
  const slot = newSlot();
  expect(await chosen(pool, both, slot)).toBe(ada.accountId);
  expectProblem(await hold(pool, both, slot), 409, 'SlotTaken');
  expect(await chosen(pool, both, newSlot(), { pullFirst: true })).toBe(ada.accountId);
  const refused = await hold(pool, [person(expired)]);
  expectProblem(refused, 409, 'InvalidRefreshToken', 'roundRobin.candidates.0.endUserAccountId');
  const needed = await hold(pool, [person(ada)], newSlot(), { participants: [person(ben), person(expired)] });
  expectProblem(needed, 409, 'InvalidRefreshToken', 'participants.1.endUserAccountId');
});
