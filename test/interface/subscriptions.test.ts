import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, type Received, type Receiver } from './receiver.ts';
import { subscription, subscriptionCreated } from './shapes.ts';
import { body, type Connected, eventsPath, expectProblem, query, readAll } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await createReceiver();
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
  await receiver.close();
});

describe.each(PROVIDERS)('subscriptions of $providerType', ({ provider, providerType }) => {
  let account: Connected;
  let root: string;
  beforeAll(async () => {
    account = await world.connect(provider);
    root = `/v1/calendarSubscriptions/${account.accountId}`;
  });
  const post = (fields: Readonly<Record<string, unknown>> = {}) =>
    world.call('POST', root, {
      body: { calendarId: account.calendarId, webhookUrl: 'https://receiver.test/hook', ...fields },
    });
  const subscribe = async (fields: Readonly<Record<string, unknown>> = {}) => body(await post(fields), 201);
  const list = async () => body(await world.call('GET', `${root}${query({ limit: 250 })}`)).data;
  const remove = (subscriptionId: unknown) => world.call('DELETE', root, { body: { subscriptionId } });
  const clear = async () => {
    for (const { id } of await list()) body(await remove(id));
  };
  const eventsThere = provider === 'google' ? '/calendars/primary/events' : '/me/events';
  const wire = (title: string) =>
    provider === 'google'
      ? {
          summary: title,
          start: { dateTime: '2026-03-02T09:00:00Z' },
          end: { dateTime: '2026-03-02T10:00:00Z' },
        }
      : {
          subject: title,
          start: { dateTime: '2026-03-02T09:00:00', timeZone: 'UTC' },
          end: { dateTime: '2026-03-02T10:00:00', timeZone: 'UTC' },
        };

  describe('POST', () => {
    it('answers id and secret with 201, and the list shows it without the secret', async () => {
      await clear();
      const created = await subscribe();
      expect(subscriptionCreated(created)).toBeUndefined();
      const page = body(await world.call('GET', root));
      expect(page.nextPageToken).toBeNull();
      expect(page.data).toHaveLength(1);
      expect(subscription(page.data[0])).toBeUndefined();
      expect(page.data[0]).toMatchObject({
        id: created.webhookSubscriptionId,
        provider: providerType,
        url: 'https://receiver.test/hook',
        calendarId: account.calendarId,
        endUserAccountId: account.accountId,
      });
      expect(JSON.stringify(page)).not.toContain(created.endpointSecret);
      expect(Date.parse(page.data[0].expiration)).toBeGreaterThan(Date.now());
      expect(page.data[0].subscriptionId).not.toMatch(/^poll_/);
    });

    it('a second one joins the one push channel of the calendar', async () => {
      await clear();
      await subscribe();
      await subscribe({ webhookUrl: 'https://receiver.test/other', rateLimit: 2.5 });
      const [first, second] = await list();
      expect(second.subscriptionId).toBe(first.subscriptionId);
      expect(second.resourceId).toBe(first.resourceId);
      expect(second.id).not.toBe(first.id);
    });

    it('has no rate limit when that is null, as when it is left out', async () => {
      await clear();
      await subscribe({ rateLimit: null });
      await subscribe({ webhookUrl: 'https://receiver.test/other' });
      expect((await list()).map(({ rateLimit }: Json) => rateLimit)).toEqual([null, null]);
    });

    it('of the whole account needs no calendarId', async () => {
      await clear();
      await subscribe({ calendarId: undefined, subscriptionType: 'calendar' });
      const [item] = await list();
      expect(subscription(item)).toBeUndefined();
    });

    it.each([
      ['calendarId', { calendarId: undefined }],
      ['calendarId', { calendarId: 7 }],
      ['webhookUrl', { webhookUrl: undefined }],
      ['webhookUrl', { webhookUrl: 'not a url' }],
      ['webhookUrl', { webhookUrl: 'http://10.0.0.1/hook' }],
      ['webhookUrl', { webhookUrl: 'ftp://receiver.test/hook' }],
      ['webhookUrl', { webhookUrl: 'https://user:password@receiver.test/hook' }],
      ['webhookUrl', { webhookUrl: 'https://receiver.test:25/hook' }],
      ['webhookUrl', { webhookUrl: `https://receiver.test/${'x'.repeat(2_048)}` }],
      ['webhookUrl', { webhookUrl: 'https://10.0.0.1/hook' }],
      ['webhookUrl', { webhookUrl: 'https://192.168.1.1/hook' }],
      ['webhookUrl', { webhookUrl: 'https://169.254.169.254/latest/meta-data' }],
      ['webhookUrl', { webhookUrl: 'https://[::1]/hook' }],
      ['webhookUrl', { webhookUrl: 'https://[::ffff:10.0.0.1]/hook' }],
      ['webhookUrl', { webhookUrl: 'https://0x0a000001/hook' }],
      ['rateLimit', { rateLimit: 0 }],
      ['rateLimit', { rateLimit: 0.5 }],
      ['rateLimit', { rateLimit: '5' }],
      ['subscriptionType', { subscriptionType: 'everything' }],
      ['secret', { secret: 'mine' }],
    ])('refuses a wrong %s: %j', async (field, wrong) => {
      const before = await list();
      expectProblem(await post(wrong), 400, 'InvalidRequest', field);
      expect(await list()).toEqual(before);
    });

    it('refuses http and every address inside where no network is allowed', async () => {
      const strict = await createWorld({ webhooks: {} });
      const { accountId, calendarId } = await strict.connect(provider);
      for (const webhookUrl of ['http://receiver.test/hook', 'https://127.0.0.1/hook', 'https://localhost/hook']) {
        const sent = { body: { calendarId, webhookUrl } };
        const answer = await strict.call('POST', `/v1/calendarSubscriptions/${accountId}`, sent);
        expectProblem(answer, 400, 'InvalidRequest', 'webhookUrl');
      }
      await strict.close();
    });

    it('404 for an unknown calendar', async () => {
      expectProblem(await post({ calendarId: 'unknown' }), 404, 'NotFound', 'calendarId');
    });
  });

  describe('GET', () => {
    it.each(['limit', 'pageSize'])('pages by %s', async (name) => {
      await clear();
      for (let index = 0; index < 3; index += 1) await subscribe({ webhookUrl: `https://receiver.test/${index}` });
      const first = body(await world.call('GET', `${root}${query({ [name]: 2 })}`));
      expect(first.data).toHaveLength(2);
      const pageToken = first.nextPageToken;
      expect(encodeURIComponent(pageToken)).toBe(pageToken);
      const second = body(await world.call('GET', `${root}${query({ pageToken })}`));
      expect(second.nextPageToken).toBeNull();
      const ids = [...first.data, ...second.data].map(({ id }: Json) => id);
      expect(new Set(ids).size).toBe(3);
      const other = await world.connect(provider);
      const elsewhere = `/v1/calendarSubscriptions/${other.accountId}${query({ pageToken })}`;
      expectProblem(await world.call('GET', elsewhere), 400, 'InvalidPageToken');
      expectProblem(await world.call('GET', `${root}?pageToken=nonsense`), 400, 'InvalidPageToken');
    });

    it.each([
      ['limit', { limit: 0 }],
      ['limit', { limit: 251 }],
      ['pageSize', { pageSize: 'x' }],
      ['offset', { offset: 1 }],
    ])('refuses a wrong %s: %j', async (name, parameters) => {
      expectProblem(await world.call('GET', `${root}${query(parameters)}`), 400, 'InvalidRequest', name);
    });
  });

  describe('DELETE', () => {
    it('by our id, in the body or in the query; then it is 404', async () => {
      const { webhookSubscriptionId: first } = await subscribe();
      const { webhookSubscriptionId: second } = await subscribe();
      expect(body(await remove(first))).toEqual({ success: true });
      expect(body(await world.call('DELETE', `${root}${query({ subscriptionId: second })}`))).toEqual({
        success: true,
      });
      expectProblem(await remove(first), 404, 'NotFound');
      const left = (await list()).map(({ id }: Json) => id);
      expect(left).not.toContain(first);
      expect(left).not.toContain(second);
    });

    it('by the id of the provider’s channel when exactly one uses it, else 409', async () => {
      await clear();
      await subscribe();
      await subscribe();
      const [{ id, subscriptionId }] = await list();
      expectProblem(await remove(subscriptionId), 409, 'Conflict');
      expect(await list()).toHaveLength(2);
      body(await remove(id));
      expect(body(await remove(subscriptionId))).toEqual({ success: true });
      expect(await list()).toEqual([]);
    });

    it('404 for one of another account', async () => {
      const { webhookSubscriptionId } = await subscribe();
      const other = await world.connect(provider);
      const answer = await world.call('DELETE', `/v1/calendarSubscriptions/${other.accountId}`, {
        body: { subscriptionId: webhookSubscriptionId },
      });
      expectProblem(answer, 404, 'NotFound');
      expect((await list()).map(({ id }: Json) => id)).toContain(webhookSubscriptionId);
    });

    it.each([
      ['subscriptionId', {}],
      ['subscriptionId', { subscriptionId: 7 }],
      ['id', { subscriptionId: 'whs_x', id: 'x' }],
    ])('refuses a wrong %s: %j', async (field, sent) => {
      expectProblem(await world.call('DELETE', root, { body: sent }), 400, 'InvalidRequest', field);
    });

    it('refuses an unknown parameter, with a body too', async () => {
      const { webhookSubscriptionId: subscriptionId } = await subscribe();
      for (const sent of [{ body: { subscriptionId } }, {}]) {
        const path = `${root}${query({ subscriptionId, force: true })}`;
        expectProblem(await world.call('DELETE', path, sent), 400, 'InvalidRequest', 'force');
      }
      const alone = await world.call('DELETE', `${root}${query({ force: true })}`, { body: { subscriptionId } });
      expectProblem(alone, 400, 'InvalidRequest', 'force');
      expect((await list()).map(({ id }: Json) => id)).toContain(subscriptionId);
    });
  });

  describe('messages', () => {
    const verify = ({ headers, body: text }: Received, secret: string): Json =>
      new Webhook(secret).verify(text, headers as Record<string, string>);

    it('a change at the provider is told, signed, and fetched with the sync token', async () => {
      const person = await world.connect(provider);
      const { nextSyncToken: syncToken } = await readAll(world, eventsPath(person));
      const path = `/${provider}/change`;
      const sent = { calendarId: person.calendarId, webhookUrl: `${receiver.url}${path}` };
      const { endpointSecret } = body(
        await world.call('POST', `/v1/calendarSubscriptions/${person.accountId}`, { body: sent }),
        201,
      );
      const told = receiver.next(path);
      await world.atProvider(provider, person.email, 'POST', eventsThere, wire('From outside'));
      const message = await told;

      const payload = verify(message, endpointSecret);
      expect(Object.keys(payload).sort()).toEqual(['eventType', 'timestamp']);
      expect(payload.eventType).toBe('calendar.event.changed');
      expect(Math.abs(Date.parse(payload.timestamp) - Date.now())).toBeLessThan(60_000);
      for (const name of ['id', 'timestamp', 'signature']) {
        expect(message.headers[`hook-${name}`]).toBe(message.headers[`webhook-${name}`]);
      }
      expect(message.headers['hook-id']).toMatch(/^msg_\w+$/);
      expect(message.headers['content-type']).toMatch(/^application\/json/);
      expect(Math.abs(Number(message.headers['hook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
      expect(() => verify({ ...message, body: `${message.body} ` }, endpointSecret)).toThrow();
      const { webhookSubscriptionId: _id, endpointSecret: other } = await subscribe();
      expect(() => verify(message, other)).toThrow();

      const { data } = await readAll(world, eventsPath(person), { syncToken });
      expect(data.map(({ title }) => title)).toEqual(['From outside']);
    });

    it('a change through the interface is told too, to every subscription, and none after deletion', async () => {
      const person = await world.connect(provider);
      const mine = `/v1/calendarSubscriptions/${person.accountId}`;
      const paths = [`/${provider}/one`, `/${provider}/two`] as const;
      const made: Json[] = [];
      for (const path of paths) {
        const sent = { calendarId: person.calendarId, webhookUrl: `${receiver.url}${path}` };
        made.push(body(await world.call('POST', mine, { body: sent }), 201));
      }
      const first = paths.map((path) => receiver.next(path));
      const create = { title: 'Mine', start: { dateTime: '2026-03-02T09:00:00Z' } };
      const event = body(await world.call('POST', eventsPath(person), { body: create }), 201);
      for (const [index, told] of (await Promise.all(first)).entries()) {
        expect(verify(told, made[index].endpointSecret).eventType).toBe('calendar.event.changed');
      }
      body(await world.call('DELETE', mine, { body: { subscriptionId: made[0].webhookSubscriptionId } }));
      const silent = receiver.received.filter(({ path }) => path === paths[0]).length;
      const second = receiver.next(paths[1]);
      body(await world.call('PUT', eventsPath(person, event.id), { body: { title: 'Changed' } }));
      await second;
      expect(receiver.received.filter(({ path }) => path === paths[0])).toHaveLength(silent);
    });
  });
});
