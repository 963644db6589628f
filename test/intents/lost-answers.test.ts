import type { Engine } from 'kalends';
import type { CalendarEvent } from 'kalends/model';
import type { Fetch } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWhole } from '../simulation/mirrored.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';

/** The fate of matching requests, once or always: their answers are lost after they were carried out, or never come. */
interface Trouble {
  readonly method: string;
  readonly kind: 'answer lost' | 'refused 503' | 'request lost';
}

describe.each(['google', 'microsoft'] as const)('answers lost between us and %s', (provider) => {
  let world: SimulatedWorld;
  let engine: Engine;
  let trouble: Trouble | undefined;
  let address: Parameters<typeof readWhole>[1];

  beforeEach(async () => {
    trouble = undefined;
    world = await createSimulatedWorld({ provider, seed: 3 });
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init);
      const isMet = trouble?.method === request.method && /\/events/.test(request.url);
      if (isMet && trouble?.kind === 'refused 503') return Response.json({ error: {} }, { status: 503 });
      if (isMet && trouble?.kind === 'request lost') throw new TypeError('fetch failed: the connection was reset');
      const response = await world.reach(request);
      if (isMet) throw new TypeError('fetch failed: the other side closed the connection');
      return response;
    };
    const storage = { ...world.storage, open: async () => undefined, close: async () => undefined };
    engine = engineOn({ storage, fetch, clock: world.time, seed: 9 });
    const caller = { applicationId: world.applicationId };
    address = { caller, accountId: world.accountId, calendarId: world.person.calendarIds[0] };
    await world.time.until(readWhole(engine, address, {}));
  });
  afterEach(async () => {
    await world.time.until(engine.stop());
    await world.close();
  });

  const place = () => [address.caller, address.accountId, address.calendarId] as const;
  const create = (title: string, more: object = {}) =>
    world.time.until(engine.events.create(...place(), { title, start: { dateTime: '2026-03-04T09:00:00' }, ...more }));
  const titles = async () => {
    const { data } = await world.time.until(readWhole(engine, address, {}));
    return (data as CalendarEvent[]).map(({ title }) => title).sort();
  };
  const revision = async () => (await world.storage.mirror.find({ ...address.caller, ...address }))!.revision;
  const isAnythingOpen = async () => (await world.storage.intents.nextAbandonedAt()) !== null;

  it('a PUT that was carried out shows, whether its caller heard of it or not', async () => {
    const { id } = await create('before');
    trouble = { method: 'PATCH', kind: 'answer lost' };
    const outcome = await world.time.until(
      engine.events.update(...place(), id, { title: 'after' }).then(
        () => 'done',
        (error) => error.code,
      ),
    );
    // A later read may show that it was done, or leave open which write did it.
    expect(['done', 'ProviderUnavailable']).toContain(outcome);
    trouble = undefined;
    expect(await isAnythingOpen()).toBe(false);
    expect((await world.time.until(engine.events.get(...place(), id))).title).toBe('after');
    expect(await titles()).toEqual(['after']);
  });

  it('a DELETE that was carried out shows', async () => {
    const { id } = await create('before');
    trouble = { method: 'DELETE', kind: 'answer lost' };
    await world.time.until(engine.events.delete(...place(), id).catch(() => undefined));
    trouble = undefined;
    expect(await isAnythingOpen()).toBe(false);
    expect(await titles()).toEqual([]);
  });

  it('a write that was not carried out leaves nothing behind', async () => {
    const { id } = await create('before');
    trouble = { method: 'PATCH', kind: 'refused 503' };
    const failed = engine.events.update(...place(), id, { title: 'after' });
    await expect(world.time.until(failed)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    trouble = undefined;
    expect(await isAnythingOpen()).toBe(false);
    expect(await titles()).toEqual(['before']);
  });

  it('a POST whose answers are all lost makes one event, which shows without another request', async () => {
    trouble = { method: 'POST', kind: 'answer lost' };
    await world.time.until(
      engine.events.create(...place(), { title: 'new', start: { dateTime: '2026-03-04T09:00:00' } }).catch(() => 0),
    );
    trouble = undefined;
    await engine.start();
    await world.time.pass(20_000);
    expect(await titles()).toEqual(['new']);
    expect(await world.person.ids(0)).toHaveLength(1);
    expect(await isAnythingOpen()).toBe(false);
  });

  it('with its key the lost event is found again', async () => {
    const post = () =>
      engine.events.create(
        ...place(),
        { title: 'new', start: { dateTime: '2026-03-04T09:00:00' } },
        { idempotencyKey: 'k' },
      );
    for (const kind of ['answer lost', 'request lost', 'answer lost'] as const) {
      trouble = { method: 'POST', kind };
      await world.time.until(post().catch(() => 0));
    }
    trouble = undefined;
    const event = await world.time.until(post());
    expect(await world.person.ids(0)).toEqual([event.id]);
    expect(await world.time.until(post())).toEqual(event);
  });

  it('the provider’s echo of our writes makes no version and no message', async () => {
    const subscription = { calendarId: address.calendarId, webhookUrl: 'http://127.0.0.1:8080/hook' };
    await world.time.until(engine.subscriptions.create(address.caller, address.accountId, subscription));
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    const single = await create('single');
    const series = await create('series', { recurrence });
    const { data } = await world.time.until(
      engine.events.listOccurrences(...place(), series.id, {
        startDateTime: '2026-03-01T00:00:00Z',
        endDateTime: '2026-04-01T00:00:00Z',
      }),
    );
    await world.time.until(engine.events.update(...place(), single.id, { title: 'single, renamed' }));
    await world.time.until(engine.events.update(...place(), data[1]!.id, { title: 'an exception' }));
    await world.time.until(engine.events.delete(...place(), data[2]!.id));
    const [written, sent] = [await revision(), await messages()];
    const account = { ...address.caller, ...address };
    for (let round = 0; round < 2; round++) {
      await world.storage.schedule.hint(account);
      await world.time.until(readWhole(engine, address, {}));
    }
    expect(await revision()).toBe(written);
    expect(await messages()).toEqual(sent);
    expect(written).toBe(5);
  });

  /** Messages that wait, as they stand. */
  async function messages() {
    const claims = (await world.storage.outbox.acknowledgeAndClaim([], { limit: 50, leaseMs: 1 })).claims;
    await world.time.pass(10);
    return claims.map(({ message }) => message.id);
  }
});
