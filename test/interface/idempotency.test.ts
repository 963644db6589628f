import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, readAll } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

const START = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };

describe.each(['google', 'microsoft'] as const)('Idempotency-Key at %s', (provider) => {
  let world: World;
  let account: Connected;

  beforeAll(async () => {
    world = await createWorld();
    account = await world.connect(provider);
  });
  afterAll(() => world.close());

  const create = (key: string, sent: Json) =>
    world.call('POST', eventsPath(account), { body: sent, headers: { 'idempotency-key': key } });
  const titled = async (title: string) =>
    (await readAll(world, eventsPath(account))).data.filter((event) => event.title === title);

  it('a repetition answers what the first request created, as it was created', async () => {
    const first = await create('k1', { title: 'Once', start: START });
    const event = body(first, 201);
    await world.call('PUT', eventsPath(account, event.id), { body: { title: 'Renamed' } });
    // Another order of members is the same body.
    const second = await create('k1', { start: START, title: 'Once' });
    expect(body(second, 201)).toEqual(event);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(await titled('Once')).toEqual([]);
    expect(await titled('Renamed')).toHaveLength(1);
  });

  it('answers it even after the event has been deleted', async () => {
    const event = body(await create('deleted', { title: 'Gone', start: START }), 201);
    await world.call('DELETE', eventsPath(account, event.id));
    expect(body(await create('deleted', { title: 'Gone', start: START }), 201)).toEqual(event);
    expect(await titled('Gone')).toEqual([]);
  });

  it('concurrent requests with one key create one event and get one answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create('many', { title: 'Crowd', start: START })),
    );
    const events = answers.map((answer) => body(answer, 201));
    expect(new Set(events.map((event) => JSON.stringify(event))).size).toBe(1);
    expect(await titled('Crowd')).toHaveLength(1);
  });

  it('the same key with another body is 409, and creates nothing', async () => {
    await create('k2', { title: 'Mine', start: START });
    expectProblem(await create('k2', { title: 'Other', start: START }), 409, 'IdempotencyKeyReused');
    expect(await titled('Other')).toEqual([]);
  });

  it('other keys, other calendars and no key at all are requests of their own', async () => {
    const { id: other } = body(
      await world.call('POST', calendarsPath(account.accountId), { body: { name: 'Other' } }),
      201,
    );
    const sent = { title: 'Apart', start: START };
    const headers = { 'idempotency-key': 'k3' };
    const ids = [
      body(await create('k3', sent), 201).id,
      body(await create('k4', sent), 201).id,
      body(await world.call('POST', eventsPath(account), { body: sent }), 201).id,
      body(await world.call('POST', eventsPath({ ...account, calendarId: other }), { body: sent, headers }), 201).id,
    ];
    expect(new Set(ids).size).toBe(4);
  });

  it('a request that was refused frees its key', async () => {
    expectProblem(await create('k5', { title: 'x' }), 400, 'InvalidRequest');
    body(await create('k5', { title: 'Valid', start: START }), 201);
  });

  it('a calendar is created once for each key', async () => {
    const post = (name: string) =>
      world.call('POST', calendarsPath(account.accountId), { body: { name }, headers: { 'idempotency-key': 'cal' } });
    const [first, second] = [body(await post('Team'), 201), body(await post('Team'), 201)];
    expect(second).toEqual(first);
    expectProblem(await post('Another'), 409, 'IdempotencyKeyReused');
    const { data } = await readAll(world, calendarsPath(account.accountId));
    expect(data.filter(({ name }) => name === 'Team')).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(256), 'snow\u00e9'])('refuses the key %j, naming the header', async (key) => {
    expectProblem(await create(key, { title: 'Bad key', start: START }), 400, 'InvalidRequest', 'Idempotency-Key');
    expect(await titled('Bad key')).toEqual([]);
  });

  it('is refused where a repetition would not be recognized', async () => {
    const headers = { 'idempotency-key': 'k' };
    const answer = await world.call('POST', '/v1/endUserAccounts', { body: {}, headers });
    expectProblem(answer, 400, 'InvalidRequest', 'Idempotency-Key');
  });
});
