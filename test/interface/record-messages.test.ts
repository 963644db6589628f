import { createClient, type EventMessage } from '@kalends/client';
import { type EventCopy, eventCopy, foldMessage, mergeSync } from '@kalends/client/copy';
import { verifyWebhook } from '@kalends/client/webhooks';
import { eventMessage } from 'kalends/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReceiver, type Received, type Receiver } from './receiver.ts';
import { body, type Connected, eventsPath, expectProblem } from './steps.ts';
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

/** Demands that the OpenAPI document describes a message: its headers, its type, and each of its fields. */
async function expectDescribed(name: string, { headers, body: text }: Pick<Received, 'headers' | 'body'>) {
  const { webhooks, components } = body(await world.call('GET', '/v1/openapi.json', { key: null }));
  const { parameters, requestBody } = webhooks[name].post;
  const signed = Object.keys(headers).filter((header) => /^(web)?hook-/.test(header));
  expect(parameters.map((each: Json) => each.name).sort()).toEqual(signed.sort());
  for (const each of parameters) expect(each).toMatchObject({ in: 'header', required: true });
  const { $ref } = requestBody.content[headers['content-type']?.split(';')[0] ?? ''].schema;
  const { properties, required } = components.schemas[$ref.replace('#/components/schemas/', '')];
  expect(Object.keys(properties).sort()).toEqual(Object.keys(JSON.parse(text)).sort());
  expect(required.toSorted()).toEqual(Object.keys(properties).sort());
}

describe.each(PROVIDERS)('messages with records at $providerType', ({ provider }) => {
  let account: Connected;
  let copy: EventCopy;
  let syncs = 0;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  const subscriptionsPath = () => `/v1/calendarSubscriptions/${account.accountId}`;
  const subscribe = async (path: string, fields: Json = {}): Promise<Json> => {
    const { calendarId } = account;
    const sent = { calendarId, webhookUrl: `${receiver.url}${path}`, detail: 'record', ...fields };
    return body(await world.call('POST', subscriptionsPath(), { body: sent }), 201);
  };
  const sync = async () => {
    const client = createClient({
      baseUrl: 'http://kalends.test',
      apiKey: world.apiKey,
      fetch: (url, init) => world.handler(new Request(url, init)),
    });
    const { accountId, calendarId } = account;
    const query = copy.syncToken === undefined ? {} : { syncToken: copy.syncToken };
    mergeSync(copy, await client.events.sync(accountId, calendarId, query));
    syncs += 1;
  };
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Rome' };
  const listed = async () => body(await world.call('GET', eventsPath(account))).data as Json[];
  const get = async (id: string) => body(await world.call('GET', eventsPath(account, id)));

  it('tell each change with the event as a GET shows it, signed, and keep a copy without any further read', async () => {
    const path = `/${provider}/records`;
    const { endpointSecret } = await subscribe(path);
    copy = eventCopy();
    await sync();
    const told = async (change: () => Promise<unknown>, type: string): Promise<EventMessage['data']> => {
      const next = receiver.next(path);
      await change();
      const { headers, body: text } = await next;
      expect(headers['content-type']).toBe('application/json');
      await expectDescribed('eventNotification', { headers, body: text });
      const { message } = verifyWebhook(text, headers, endpointSecret);
      expect(eventMessage.safeParse(message).error).toBeUndefined();
      expect(message.eventType).toBe(type);
      expect(foldMessage(copy, message)).toBe(true);
      return (message as EventMessage).data;
    };
    const create = (sent: Json) => world.call('POST', eventsPath(account), { body: sent });

    const created = await told(() => create({ title: 'One', start }), 'event.created');
    const { accountId: endUserAccountId, calendarId } = account;
    expect(created).toMatchObject({ endUserAccountId, calendarId, event: { title: 'One' }, occurrences: [] });
    expect(created.event).toEqual(await get(created.eventId));
    const one = eventsPath(account, created.eventId);
    const updated = await told(() => world.call('PUT', one, { body: { title: 'Two' } }), 'event.updated');
    expect(updated.previousRevision).toBe(created.revision);
    expect(updated.event).toEqual(await get(created.eventId));

    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
    const series = await told(() => create({ title: 'Daily', start, recurrence }), 'event.created');
    const inMarch = 'startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
    const seriesPath = eventsPath(account, series.eventId);
    const occurrences = body(await world.call('GET', `${seriesPath}/occurrences?${inMarch}`)).data as Json[];
    const [first, second] = occurrences.map(({ id }) => String(id)) as [string, string];
    const moved = await told(
      () => world.call('PUT', eventsPath(account, first), { body: { title: 'Moved' } }),
      'event.updated',
    );
    expect(moved).toMatchObject({ eventId: series.eventId, event: { title: 'Daily', recurrence } });
    expect(moved.occurrences).toEqual([await get(first)]);
    await told(() => world.call('DELETE', eventsPath(account, second)), 'event.updated');
    // The cancelled occurrence shows the title of its series.
    const renamed = await told(() => world.call('PUT', seriesPath, { body: { title: 'Renamed' } }), 'event.updated');
    expect(renamed.occurrences).toMatchObject([{ id: second, title: 'Renamed', isCancelled: true }]);
    const deleted = await told(() => world.call('DELETE', one), 'event.deleted');
    expect(deleted).toMatchObject({ eventId: created.eventId, event: null, occurrences: [] });

    const byId = (events: Iterable<Json>) => [...events].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(byId(copy.records.values())).toEqual(byId(await listed()));
    expect(syncs).toBe(1);
  });

  it('go out as CloudEvents where these are asked for, with or without a record', async () => {
    const [rich, plain] = [`/${provider}/cloud`, `/${provider}/plain-cloud`];
    const format = 'cloudevents';
    const { webhookSubscriptionId: id, endpointSecret } = await subscribe(rich, { format });
    const other = await subscribe(plain, { format, detail: 'change' });
    const next = [receiver.next(rich), receiver.next(plain)] as const;
    body(await world.call('POST', eventsPath(account), { body: { title: 'Cloud', start } }), 201);
    const [{ headers, body: text }, simple] = await Promise.all(next);
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    const event = JSON.parse(text);
    expect(event).toEqual({
      specversion: '1.0',
      id: headers['hook-id'],
      source: `/v1/calendarSubscriptions/${account.accountId}/${id}`,
      type: 'event.created',
      subject: event.data.eventId,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      datacontenttype: 'application/json',
      data: expect.objectContaining({ event: expect.objectContaining({ title: 'Cloud' }) }),
    });
    await expectDescribed('eventNotification', { headers, body: text });
    await expectDescribed('calendarNotification', simple);
    const { message } = verifyWebhook(text, headers, endpointSecret);
    expect(message).toEqual({ eventType: event.type, timestamp: event.time, data: event.data });
    expect(eventMessage.safeParse(message).error).toBeUndefined();
    expect(JSON.parse(simple.body)).toMatchObject({ specversion: '1.0', type: 'calendar.event.changed' });
    expect(Object.keys(verifyWebhook(simple.body, simple.headers, other.endpointSecret).message)).toEqual([
      'eventType',
      'timestamp',
    ]);
  });

  it('show in the list of subscriptions, and in the log of deliveries without their records', async () => {
    const rows = body(await world.call('GET', subscriptionsPath())).data as Json[];
    expect(rows.map(({ detail, format }) => `${detail} ${format}`)).toEqual([
      'record plain',
      'record cloudevents',
      'change cloudevents',
    ]);
    const log = body(await world.call('GET', `${subscriptionsPath()}/${rows[0]?.id}/deliveries`)).data as Json[];
    const { eventType, data } = JSON.parse(log.at(-1)?.request);
    expect([log.at(-1)?.eventType, eventType]).toEqual(['event.created', 'event.created']);
    expect(Object.keys(data)).toEqual(['endUserAccountId', 'calendarId', 'eventId', 'revision', 'previousRevision']);
  });

  it.each([
    ['detail', { detail: 'records' }],
    ['detail', { detail: null }],
    ['format', { format: 'xml' }],
  ])('refuse another %s, %o', async (field, fields) => {
    const sent = { calendarId: account.calendarId, webhookUrl: `${receiver.url}/x`, ...fields };
    expectProblem(await world.call('POST', subscriptionsPath(), { body: sent }), 400, 'InvalidRequest', field);
  });
});
