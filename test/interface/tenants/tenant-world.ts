import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Handler } from '@kalends/http';
import { sqlite } from '@kalends/sqlite';
import { openRows } from '../../storages/database-rows.ts';
import { ADMIN_TOKEN, adminOf } from '../admin-world.ts';
import { type MovableClock, movableClock } from '../movable-clock.ts';
import { body, calendarsPath, eventsPath, secondApplication } from '../steps.ts';
import { type Answer, createWorld, type Json, type ProviderName, type World } from '../world.ts';

/** Ids and tokens of one tenant, by the names of parameters and fields. */
export type Ids = Readonly<Record<string, string>>;

export interface TenantWorld {
  readonly world: World;
  readonly clock: MovableClock;
  readonly admin: Handler;
  /** Application with accounts of its own, and a full key. */
  readonly own: { readonly key: string; readonly ids: Ids };
  /** A second account of the same application. */
  readonly ownOther: Ids;
  /** Another application's. */
  readonly foreign: { readonly key: string; readonly ids: Ids };
  send(handler: Handler, request: SentRequest): Promise<Answer>;
  /** Number of calls that the sandbox has had. */
  providerCalls(): Promise<number>;
  /** Everything in the database besides rows with these ids, but for measurements and the times at which keys were used. */
  state(besides?: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Two applications whose accounts at one provider have a calendar, an event, receivers and messages each. */
export async function createTenantWorld(provider: ProviderName): Promise<TenantWorld> {
  const clock = movableClock();
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  const path = join(folder, 'kalends.db');
  const world = await createWorld({ storage: sqlite({ path }), clock }, { background: false });
  const rows = await openRows(path);
  // Measurements name no tenant, and are written some time after what they measure.
  const tables = (await rows.tables()).filter((table) => table !== 'kalends_measurement');
  const second = await secondApplication(world);
  const connect = (applicationId: string, key: string, email: string) =>
    connectTenant(world, provider, { applicationId, key, email });
  const { key: ownKey, applicationId } = second;
  const own = await connect(applicationId, ownKey, 'own@people.example');
  const ownOther = await connect(applicationId, ownKey, 'other@people.example');
  const foreign = await connect(world.applicationId, world.apiKey, 'foreign@people.example');
  const withMessage = async (ids: Ids) => {
    const { kalends_message: messages = [] } = await rows.read(['kalends_message']);
    const message = messages.find((each) => each['target_id'] === ids['webhookEndpointId']);
    return { ...ids, messageId: String(message?.['id']) };
  };
  return {
    world,
    clock,
    admin: adminOf(world, { token: ADMIN_TOKEN, failureLimit: false }).handler,
    own: { key: ownKey, ids: await withMessage(own) },
    ownOther: await withMessage(ownOther),
    foreign: { key: world.apiKey, ids: await withMessage(foreign) },
    async send(handler, { method, path: target, headers, body: sent }) {
      const withBody = sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) };
      const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' };
      const request = new Request(`http://kalends.test${target}`, {
        method,
        headers: { ...type, ...headers },
        ...withBody,
      });
      const response = await handler(request);
      const text = await response.text();
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    async providerCalls() {
      const response = await world.sandbox.fetch(new Request('http://sandbox.test/_sandbox/counts'));
      return (
        JSON.stringify(await response.json())
          .match(/:(\d+)/g)
          ?.reduce((sum, part) => sum + Number(part.slice(1)), 0) ?? 0
      );
    },
    async state(besides = []) {
      const isRead = (row: unknown) => !besides.some((id) => JSON.stringify(row).includes(id));
      const all = Object.entries(await rows.read(tables));
      const read = Object.fromEntries(all.map(([table, each]) => [table, each.filter(isRead)]));
      return JSON.parse(JSON.stringify(read, (name, value) => (name === 'last_used_at' ? undefined : value)));
    },
    async close() {
      await rows.close();
      await world.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function connectTenant(
  world: World,
  provider: ProviderName,
  { applicationId, key, email }: { readonly applicationId: string; readonly key: string; readonly email: string },
): Promise<Ids> {
  const call = async (method: string, path: string, sent?: unknown, status = 200): Promise<Json> =>
    body(await world.call(method, path, { key, body: sent }), status);
  const hook = { webhookUrl: 'http://127.0.0.1:49999/hook' };
  const { webhookEndpointId } = await call('POST', '/v1/webhookEndpoints', hook, 201);
  world.sandbox[provider].addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
  const refreshToken = world.refreshToken(provider, email);
  const providerType = provider === 'google' ? 'PROVIDER_A' : 'PROVIDER_B';
  const account = await call('POST', '/v1/endUserAccounts', { email, providerType, refreshToken }, 201);
  const calendars = await call('GET', calendarsPath(account.id));
  const { id: calendarId } = calendars.data.find((calendar: Json) => calendar.isPrimary);
  const events = eventsPath({ accountId: account.id, calendarId });
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  const { id: eventId } = await call(
    'POST',
    events,
    { title: 'Secret', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] },
    201,
  );
  const subscriptions = `/v1/calendarSubscriptions/${account.id}`;
  const { webhookSubscriptionId } = await call('POST', subscriptions, { ...hook, calendarId }, 201);
  const page = await call(
    'GET',
    `${events}?limit=1&expandRecurrences=true&startDateTime=2026-03-01&endDateTime=2026-04-01`,
  );
  const published = { name: 'Feed', calendars: [{ endUserAccountId: account.id, calendarId }] };
  const { feed } = await call('POST', '/v1/feeds', published, 201);
  const slot = (hour: string) => ({
    startDateTime: `2030-03-05T${hour}:00:00`,
    endDateTime: `2030-03-05T${hour}:30:00`,
    timeZone: 'Europe/London',
  });
  const participants = [{ endUserAccountId: account.id, calendarIds: [calendarId] }];
  const { id: bookedId } = await call('POST', '/v1/holds', { participants, ...slot('09') }, 201);
  const { token } = await call('POST', `/v1/holds/${bookedId}/confirm`, { event: { title: 'Booked' } }, 201);
  const { id: holdId } = await call('POST', '/v1/holds', { participants, ...slot('10') }, 201);
  const file =
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260305T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
  const upload = { key, body: file, headers: { 'content-type': 'text/calendar' } };
  const imported = await world.call('POST', `${calendarsPath(account.id, calendarId)}/imports?dryRun=true`, upload);
  const { id: importId } = body(imported, 202);
  const { apiKey } = await world.engine.apiKeys.create(applicationId, { name: 'Named', expiresAt: null });
  return {
    ...{
      id: account.id,
      endUserAccountId: account.id,
      account: account.id,
      calendarId,
      calendarIds: calendarId,
      eventId,
      importId,
    },
    ...{
      subscriptionId: webhookSubscriptionId,
      webhookEndpointId,
      receiver: webhookSubscriptionId,
      feedId: feed.id,
      feed: feed.id,
    },
    ...{ holdId, token },
    ...{ app: applicationId, key: apiKey.id, provider: providerType.toLowerCase() },
    ...{ syncToken: (await call('GET', events)).nextSyncToken, pageToken: page.nextPageToken },
  };
}
