import { createClient, memoryStore } from '@kalends/client';
import { digestOf } from '@kalends/client/digest';
import type { CalendarEvent } from 'kalends/model';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { body, type Connected, calendarsPath, eventsPath, expectProblem, query, readAll } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const EXPANDED = {
  startDateTime: '2026-03-01T00:00:00Z',
  endDateTime: '2026-04-01T00:00:00Z',
  expandRecurrences: true,
};

describe.each(PROVIDERS)('digests of lists of events of $providerType', ({ provider }) => {
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });
  let names = 0;
  beforeEach(async () => {
    names += 1;
    const fields = { name: `Digests ${names}`, timeZone: 'Europe/Berlin' };
    const created = body(await world.call('POST', calendarsPath(account.accountId), { body: fields }), 201);
    account = { ...account, calendarId: created.id };
  });
  const path = (id?: string) => eventsPath(account, id);
  const create = async (title: string, day: number, fields: Json = {}) => {
    const start = { dateTime: `2026-03-0${day}T09:00:00` };
    return body(await world.call('POST', path(), { body: { title, start, ...fields } }), 201);
  };
  const client = () =>
    createClient({
      baseUrl: 'http://kalends.test/',
      apiKey: world.apiKey,
      fetch: (url, init) => world.handler(new Request(url, init)),
    });
  const checked = () => {
    const copy = memoryStore<CalendarEvent>();
    return {
      ...copy,
      held: copy.records as Map<string, CalendarEvent>,
      readDigest: () => digestOf(copy.records.values()),
    };
  };

  it.each([
    ['everything', {}],
    ['an expanded window', EXPANDED],
  ])('advances the digest of %s by each difference', async (_what, filters) => {
    const series = await create('Daily', 2, { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    const single = await create('Single', 3);
    const first = await readAll(world, path(), { ...filters, digest: true, limit: 2 });
    await world.call('PUT', path(single.id), { body: { title: 'Moved', start: { dateTime: '2026-03-08T09:00:00' } } });
    const { data } = await readAll(world, `${path(series.id)}/occurrences`, {
      startDateTime: EXPANDED.startDateTime,
      endDateTime: EXPANDED.endDateTime,
    });
    await world.call('DELETE', path(data[1].id));
    const synced = body(await world.call('GET', `${path()}${query({ syncToken: first.nextSyncToken, verify: true })}`));
    const fresh = await readAll(world, path(), filters);
    expect(synced).toMatchObject({ digest: await digestOf(fresh.data as never), isVerified: true });
  });

  it('refuses verify without a sync token that has a digest', async () => {
    await create('Single', 3);
    const { nextSyncToken: syncToken } = await readAll(world, path());
    for (const asked of [{}, { digest: true }, { syncToken }]) {
      const answer = await world.call('GET', `${path()}${query({ verify: true, ...asked })}`);
      expectProblem(answer, 400, 'InvalidRequest');
      expect(answer.body).toMatchObject({ details: [{ path: 'verify' }] });
    }
    expectProblem(await world.call('GET', `${path()}${query({ digest: true, syncToken })}`), 400, 'SyncTokenMismatch');
  });

  it('is named last of what contradicts a sync token', async () => {
    await create('Single', 3);
    const { nextSyncToken: syncToken } = await readAll(world, path(), { search: 'Single' });
    for (const [asked, wrong] of [
      [{ digest: true, search: 'Other' }, 'search'],
      [{ digest: true, search: 'Single' }, 'digest'],
      [{ digest: true }, 'digest'],
    ] as const) {
      const answer = await world.call('GET', `${path()}${query({ ...asked, syncToken })}`);
      expectProblem(answer, 400, 'SyncTokenMismatch', wrong);
    }
  });

  it('lets the client find that its copy lacks a change', async () => {
    const { accountId, calendarId } = account;
    const { events } = client();
    const one = await create('One', 3);
    await create('Two', 4);
    const store = checked();
    const { digest } = await events.syncInto(store, accountId, calendarId, { digest: true });
    expect(digest).toBe(await store.readDigest());
    await world.call('PUT', path(one.id), { body: { title: 'Uno' } });
    await events.syncInto(store, accountId, calendarId, { digest: true, verify: true });
    store.held.set(one.id, { ...store.held.get(one.id)!, etag: one.etag });
    const lost = events.syncInto(store, accountId, calendarId, { digest: true });
    await expect(lost).rejects.toMatchObject({ name: 'CopyMismatchError', held: await store.readDigest() });
    // A copy that begins anew is right.
    await events.syncInto(checked(), accountId, calendarId, { digest: true });
  });

  it('lets the client begin with a token of a list without digest', async () => {
    const { accountId, calendarId } = account;
    const { events } = client();
    const one = await create('One', 3);
    const store = checked();
    await events.syncInto(store, accountId, calendarId);
    const changes = await events.syncInto(store, accountId, calendarId, { digest: true });
    expect(changes).toMatchObject({ isFull: true, records: [{ id: one.id }], digest: await store.readDigest() });
    const { isFull, isVerified } = await events.sync(accountId, calendarId, {
      digest: true,
      verify: true,
      syncToken: changes.syncToken,
    });
    expect({ isFull, isVerified }).toEqual({ isFull: false, isVerified: true });
  });
});
