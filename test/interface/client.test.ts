import { ApiError, createClient, memoryStore } from '@kalends/client';
import type { CalendarEvent } from 'kalends/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connected } from './steps.ts';
import { createWorld, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const clientOf = ({ handler, apiKey }: World, key = apiKey) =>
  createClient({
    baseUrl: 'http://kalends.test/api/',
    apiKey: key,
    fetch: (url, init) => handler(new Request(url.replace('/api/', '/'), init)),
  });

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`an ApiError was expected, not ${error}`);
}

describe.each(PROVIDERS)('the client at $providerType', ({ provider, providerType }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  const client = () => clientOf(world);
  const start = (hour: number) => ({ dateTime: `2026-03-02T${String(hour).padStart(2, '0')}:00:00Z` });

  it('reads and changes accounts', async () => {
    const { accountId, email } = account;
    expect(await client().accounts.get(accountId)).toMatchObject({ id: accountId, email, providerType });
    const emails: string[] = [];
    for await (const each of client().accounts.list({ limit: 1 })) emails.push(each.email);
    expect(emails).toContain(email);
    expect((await client().accounts.getCredentials(accountId)).endUserAccountId).toBe(accountId);
    const refreshToken = world.refreshToken(provider, email);
    expect(await client().accounts.upsert({ email, providerType, refreshToken, externalId: 'x' })).toMatchObject({
      id: accountId,
      externalId: 'x',
    });
  });

  it('creates, changes, answers and deletes events, over pages', async () => {
    const { accountId, calendarId } = account;
    const { events } = client();
    const made = [];
    for (const hour of [9, 10, 11])
      made.push(await events.create(accountId, calendarId, { title: 'E', start: start(hour) }));
    const ids: string[] = [];
    for await (const { id } of events.list(accountId, calendarId, { pageSize: 2 })) ids.push(id);
    expect(ids.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    const page = await events.list(accountId, calendarId, { limit: 2 }).page();
    expect(page.data).toHaveLength(2);
    expect(page.nextPageToken).toEqual(expect.any(String));

    const [first] = made as [(typeof made)[number]];
    const changed = await events.update(accountId, calendarId, first.id, { title: 'F' }, { ifMatch: first.etag });
    expect(changed.title).toBe('F');
    const stale = await failureOf(
      events.update(accountId, calendarId, first.id, { title: 'G' }, { ifMatch: first.etag }),
    );
    expect(stale).toMatchObject({ code: 'PreconditionFailed', status: 412 });
    expect(await events.get(accountId, calendarId, first.id, { timeZone: 'Asia/Tokyo' })).toMatchObject({
      start: { dateTime: '2026-03-02T18:00:00+09:00' },
    });
    expect(await events.listAttachments(accountId, calendarId, first.id)).toEqual({ data: [] });
    expect(await events.getDescription(accountId, calendarId, first.id, { format: 'text' })).toEqual({
      format: 'text',
      content: first.description,
    });
    expect((await events.getDescription(accountId, calendarId, first.id)).format).toBe('html');
    expect(await events.delete(accountId, calendarId, first.id)).toEqual({ success: true });
    expect(await failureOf(events.get(accountId, calendarId, first.id))).toMatchObject({
      code: 'NotFound',
      requestId: expect.stringMatching(/^req_/),
    });
    const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-03-03T00:00:00Z' };
    const busy = await client().freeBusy(accountId, { ...window, timeZone: 'UTC', calendarIds: [calendarId] });
    expect(busy[0]?.busySlots).toHaveLength(1);
    const typed = { ...window, timeZone: 'UTC', calendarIds: [calendarId], includeTypes: true };
    expect((await client().freeBusy(accountId, typed))[0]?.busySlots[0]?.type).toBe('busy');
  });

  it('syncs: everything first, then what changed, and everything again when the token is forgotten', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const { events } = client();
    const made = await events.create(accountId, calendarId, { title: 'One', start: start(9) });
    const first = await events.sync(accountId, calendarId, { pageSize: 1, search: 'O' });
    expect(first).toMatchObject({ isFull: true, records: [{ id: made.id }] });
    await events.update(accountId, calendarId, made.id, { title: 'Only' });
    await events.create(accountId, calendarId, { title: 'Another', start: start(10) });
    const second = await events.sync(accountId, calendarId, { pageSize: 1, search: 'O', syncToken: first.syncToken });
    expect(second.isFull).toBe(false);
    expect(second.records.map((record) => 'title' in record && record.title).toSorted()).toEqual(['Another', 'Only']);
    await events.delete(accountId, calendarId, made.id);
    const third = await events.sync(accountId, calendarId, { syncToken: second.syncToken });
    expect(third.records).toEqual([expect.objectContaining({ id: made.id, isDeleted: true })]);

    const list = await client().calendars.sync(accountId);
    expect(list.records.map(({ id }) => id)).toContain(calendarId);
    expect((await client().calendars.sync(accountId, { syncToken: list.syncToken })).records).toEqual([]);
    expect(await client().calendars.export(accountId, calendarId)).toMatch(/^BEGIN:VCALENDAR\r\n.*END:VCALENDAR\r\n$/s);
  });

  it('keeps a copy: what changes is put and dropped, and an invalid token begins it anew', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const { events } = client();
    const copy = memoryStore<CalendarEvent>();
    const titles = () => [...copy.records.values()].map(({ title }) => title).toSorted();
    const [one, two] = await Promise.all(
      ['One', 'Two'].map((title, hour) => events.create(accountId, calendarId, { title, start: start(hour) })),
    );
    expect(await events.syncInto(copy, accountId, calendarId)).toMatchObject({ isFull: true, deletedIds: [] });
    expect(titles()).toEqual(['One', 'Two']);
    await events.update(accountId, calendarId, one?.id ?? '', { title: 'First' });
    await events.delete(accountId, calendarId, two?.id ?? '');
    expect(await events.syncInto(copy, accountId, calendarId)).toMatchObject({ isFull: false, deletedIds: [two?.id] });
    expect(titles()).toEqual(['First']);

    copy.apply({
      isFull: false,
      records: [{ ...[...copy.records.values()][0], id: 'gone' } as CalendarEvent],
      deletedIds: [],
      since: copy.readToken() as string,
      syncToken: 'old',
    });
    expect(await events.syncInto(copy, accountId, calendarId)).toMatchObject({ isFull: true });
    expect(titles()).toEqual(['First']);
  });

  it('keeps a copy of the window of the last call, in the zone of that call', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const { events } = client();
    const copy = memoryStore<CalendarEvent>();
    const titles = () => [...copy.records.values()].map(({ title }) => title);
    const window = (from: number, to: number) => ({
      startDateTime: start(from).dateTime,
      endDateTime: start(to).dateTime,
    });
    await events.create(accountId, calendarId, { title: 'Early', start: start(9) });
    await events.create(accountId, calendarId, { title: 'Late', start: start(15) });
    await events.syncInto(copy, accountId, calendarId, window(8, 12));
    expect(titles()).toEqual(['Early']);
    expect(await events.syncInto(copy, accountId, calendarId, window(12, 18))).toMatchObject({ isFull: true });
    expect(titles()).toEqual(['Late']);
    await events.create(accountId, calendarId, { title: 'Later', start: start(16) });
    const changes = await events.syncInto(copy, accountId, calendarId, { ...window(12, 18), timeZone: 'Asia/Tokyo' });
    expect(changes).toMatchObject({ isFull: false, records: [{ start: { dateTime: '2026-03-03T01:00:00+09:00' } }] });
  });

  it('lists a copy anew when filters are left out, or were not kept with its token', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const { events } = client();
    const copy = memoryStore<CalendarEvent>();
    const titles = () => [...copy.records.values()].map(({ title }) => title).toSorted();
    await events.create(accountId, calendarId, { title: 'Lunch', start: start(12) });
    await events.create(accountId, calendarId, { title: 'Planning', start: start(9) });
    const syncFrom = async (query: Parameters<typeof events.syncInto>[3]) => {
      const { isFull } = await events.syncInto(copy, accountId, calendarId, query);
      return [isFull, titles()];
    };
    const window = { startDateTime: start(8).dateTime, endDateTime: start(10).dateTime };
    expect(await syncFrom({ search: 'Planning' })).toEqual([true, ['Planning']]);
    expect(await syncFrom({ search: 'Planning', limit: 1, timeZone: 'Asia/Tokyo' })).toEqual([false, ['Planning']]);
    expect(await syncFrom({})).toEqual([true, ['Lunch', 'Planning']]);
    expect(await syncFrom(window)).toEqual([true, ['Planning']]);
    expect(await syncFrom({ endDateTime: window.endDateTime, startDateTime: window.startDateTime })).toEqual([
      false,
      ['Planning'],
    ]);
    expect(await syncFrom({ startDateTime: window.startDateTime })).toEqual([true, ['Lunch', 'Planning']]);

    const narrow = await events.sync(accountId, calendarId, { search: 'Lunch' });
    copy.apply({
      isFull: true,
      records: narrow.records as CalendarEvent[],
      deletedIds: [],
      since: copy.readToken() as string,
      syncToken: narrow.syncToken,
    });
    expect(await syncFrom({})).toEqual([true, ['Lunch', 'Planning']]);
    const list = events.list(accountId, calendarId, { syncToken: copy.readToken() as string });
    expect((await list.page()).data).toEqual([]);
  });

  it('keeps a copy through calls of two tabs at the same time, the older answer last', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const { events } = client();
    const copy = memoryStore<CalendarEvent>();
    await events.syncInto(copy, accountId, calendarId);
    const otherTab = { ...copy };
    await events.create(accountId, calendarId, { title: 'Kept', start: start(8) });
    let shortLived: CalendarEvent | undefined;
    const slow = createClient({
      baseUrl: 'http://kalends.test',
      apiKey: world.apiKey,
      fetch: async (url, init) => {
        const answer = await world.handler(new Request(url, init));
        if (shortLived === undefined) {
          shortLived = await events.create(accountId, calendarId, { title: 'Short-lived', start: start(9) });
          await events.syncInto(otherTab, accountId, calendarId);
        }
        return answer;
      },
    });
    await slow.events.syncInto(copy, accountId, calendarId);
    await events.delete(accountId, calendarId, shortLived?.id ?? '');
    await events.syncInto(copy, accountId, calendarId);
    expect([...copy.records.values()].map(({ title }) => title)).toEqual(['Kept']);
  });

  it('creates one event although the first answer is lost', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    let isLost = false;
    const unlucky = createClient({
      baseUrl: 'http://kalends.test',
      apiKey: world.apiKey,
      fetch: async (url, init) => {
        const answer = await world.handler(new Request(url, init));
        if (isLost || init.method !== 'POST') return answer;
        isLost = true;
        throw new TypeError('the connection broke');
      },
    });
    const made = await unlucky.events.create(accountId, calendarId, { title: 'Once', start: start(9) });
    expect(isLost).toBe(true);
    const { data } = await unlucky.events.list(accountId, calendarId).page();
    expect(data.map(({ id }) => id)).toEqual([made.id]);
    isLost = false;
    const calendar = await unlucky.calendars.create(accountId, { name: 'Once' });
    const list = await unlucky.calendars.list(accountId).page();
    expect(list.data.filter((each) => 'name' in each && each.name === 'Once').map(({ id }) => id)).toEqual([
      calendar.id,
    ]);
  });

  it('tells what is wrong with a request', async () => {
    const { accountId, calendarId } = account;
    const invalid = await failureOf(client().events.create(accountId, calendarId, { start: start(9) } as never));
    expect(invalid).toMatchObject({ code: 'InvalidRequest', status: 400, details: [{ path: 'title' }] });
    expect(await failureOf(clientOf(world, 'kal_live_none').accounts.get(accountId))).toMatchObject({ status: 401 });
  });

  it('subscribes, lists and unsubscribes', async () => {
    const { accountId, calendarId } = account;
    const { subscriptions } = client();
    const webhookUrl = 'https://receiver.test/client';
    const { webhookSubscriptionId: id } = await subscriptions.create(accountId, { calendarId, webhookUrl });
    const found = [];
    for await (const each of subscriptions.list(accountId)) found.push(each.id);
    expect(found).toEqual([id]);
    expect((await subscriptions.one(accountId, id).rotateSecret()).endpointSecret).toMatch(/^whsec_/);
    expect(await subscriptions.one(accountId, id).recover(new Date(0))).toEqual({ recovered: 0 });
    expect(await subscriptions.one(accountId, id).enable()).toMatchObject({ id, disabledAt: null });
    expect((await subscriptions.one(accountId, id).listDeliveries().page()).data).toEqual([]);
    expect(await failureOf(subscriptions.one(accountId, id).redeliver('msg_none'))).toMatchObject({ code: 'NotFound' });
    expect(await subscriptions.delete(accountId, id)).toEqual({ success: true });
  });
});

describe('the client between it and the service', () => {
  const answering = (response: Response) =>
    createClient({ baseUrl: 'http://proxy.test', apiKey: 'k', retries: 0, fetch: async () => response });

  it('makes an ApiError of what no problem document says', async () => {
    const page = new Response('<html>', { status: 502, headers: { 'retry-after': '7', 'x-request-id': 'req_p' } });
    expect(await failureOf(answering(page).accounts.get('acc_1'))).toMatchObject({
      code: 'Unknown',
      status: 502,
      retryAfterMs: 7_000,
      requestId: 'req_p',
      details: [],
    });
  });

  it.each([
    ['SyncTokenExpired', 410],
    ['InvalidSyncToken', 400],
    ['SyncTokenMismatch', 400],
  ])('starts again without the token, with the filters, after %s', async (code, status) => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'http://kalends.test',
      apiKey: 'k',
      fetch: async (url) => {
        asked.push(new URL(url).search);
        if (url.includes('syncToken')) return Response.json({ code }, { status });
        return Response.json({ data: [], nextSyncToken: 'fresh' });
      },
    });
    const result = await client.events.sync('acc_1', 'a/b c', { search: 'x', syncToken: 'old' });
    expect(result).toEqual({ records: [], syncToken: 'fresh?search=x', isFull: true });
    expect(asked).toEqual(['?search=x&syncToken=old', '?search=x']);
  });
});
