import type { Engine } from 'kalends';
import { afterEach, describe, expect, test } from 'vitest';
import { readWhole } from '../simulation/mirrored.ts';
import type { Json, ProviderName } from '../simulation/provider-acts.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';

let world: SimulatedWorld;

afterEach(() => world.close());

/** An engine that hears the provider's pushes, and a client of the person's primary calendar. */
async function follow(provider: ProviderName) {
  world = await createSimulatedWorld({ provider, seed: 1 });
  const engine = engineOn({ storage: world.storage, fetch: world.reach, clock: world.time, seed: 3 });
  world.setReceiver(async (request) => {
    const { response } = await engine.push.receive(new URL(request.url).pathname.split('/').pop()!, request);
    return response;
  });
  const { accountId, applicationId, person } = world;
  const [calendarId] = person.calendarIds;
  const address = { caller: { applicationId }, accountId, calendarId };
  const subscription = { calendarId, webhookUrl: 'http://127.0.0.1:8080/hook' };
  await world.time.until(engine.subscriptions.create(address.caller, accountId, subscription));
  const list = (query: Json) => world.time.until(readWhole(engine, address, query));
  return { engine, list, key: { applicationId, accountId, calendarId } };
}

async function revision(key: Json): Promise<number> {
  return (await world.storage.mirror.find(key))!.revision;
}

function eventOf(title: string, date: string) {
  const point = (hour: string) => ({ dateTime: `${date}T${hour}:00:00`, timeZone: 'Europe/Berlin' });
  return { subject: title, start: point('09'), end: point('10') };
}

describe('Graph', () => {
  test('a changeKey that is bumped three times for one write makes one version', async () => {
    const { list, key } = await follow('microsoft');
    const { id } = await world.person.call('POST', '/me/events', eventOf('plan', '2026-03-10'));
    const { syncToken } = await list({});
    const before = await revision(key);
    await world.person.call('PATCH', `/me/events/${encodeURIComponent(id)}`, { subject: 'plan b' });
    for (let bumps = 3; bumps > 0; bumps--) {
      await world.time.pass(1_000);
      world.sandbox.microsoft.controls['bumpChangeKeys']!({ email: world.person.email });
      await list({});
    }
    expect(await revision(key)).toBe(before + 1);
    const { data } = await list({ syncToken });
    expect(data).toMatchObject([{ id, title: 'plan b' }]);
  });

  test('an event six years ahead is there after its push, follows its changes and goes', async () => {
    const { list } = await follow('microsoft');
    const { syncToken } = await list({});
    const year = { startDateTime: '2032-01-01T00:00:00Z', endDateTime: '2033-01-01T00:00:00Z' };
    const { id } = await world.person.call('POST', '/me/events', eventOf('far', '2032-03-10'));
    await world.time.pass(1_000);
    expect((await list(year)).data).toMatchObject([{ id, title: 'far' }]);
    await world.person.call('PATCH', `/me/events/${encodeURIComponent(id)}`, { subject: 'farther' });
    await world.time.pass(1_000);
    const changed = await list({ syncToken });
    expect(changed.data).toMatchObject([{ id, title: 'farther' }]);
    await world.person.call('DELETE', `/me/events/${encodeURIComponent(id)}`);
    await world.time.pass(1_000);
    expect((await list({ syncToken: changed.syncToken })).data).toEqual([{ id, isCancelled: true, isDeleted: true }]);
    expect((await list(year)).data).toEqual([]);
  });
});

describe('Google', () => {
  test("a change of the calendar's zone tells its all-day events anew", async () => {
    const { list } = await follow('google');
    const { person, time } = world;
    const path = `/calendars/${encodeURIComponent(person.calendarIds[0])}`;
    const timed = { dateTime: '2026-03-10T09:00:00', timeZone: 'Europe/Berlin' };
    const day = { summary: 'day', start: { date: '2026-03-10' }, end: { date: '2026-03-11' } };
    const { id } = await person.call('POST', `${path}/events`, day);
    await person.call('POST', `${path}/events`, { summary: 'hour', start: timed, end: timed });
    await time.pass(61_000);
    const { syncToken } = await list({});
    await person.call('PATCH', path, { timeZone: 'America/New_York' });
    await time.pass(61_000);
    const { data } = await list({ syncToken });
    expect(data).toMatchObject([{ id, start: { dateTime: '2026-03-10T00:00:00', timeZone: 'America/New_York' } }]);
  });

  test('a calendar that is unshared for long and shared again starts a new history', async () => {
    const { engine, key } = await follow('google');
    const { sandbox, person, time } = world;
    sandbox.google.addMailbox({ email: 'other@google.example', name: 'Other', timeZone: 'Europe/Berlin' });
    const calendarId = sandbox.google.importCalendar('other@google.example', {
      name: 'Team',
      timeZone: 'UTC',
      events: [],
    });
    const share = (role: string) => sandbox.google.controls['setRole']!({ email: person.email, calendarId, role });
    const read = (query: Json) => readShared(engine, { ...key, calendarId }, query);
    share('writer');
    const { syncToken } = await read({});
    share('none');
    await time.pass(120_000);
    const calendars = engine.calendars.list({ applicationId: key.applicationId }, key.accountId, {});
    expect((await time.until(calendars)).data.map(({ id }) => id)).not.toContain(calendarId);
    await expect(read({ syncToken })).rejects.toMatchObject({ code: 'NotFound' });
    await time.pass(1_200_000);
    await time.until(engine.calendars.list({ applicationId: key.applicationId }, key.accountId, {}));
    share('writer');
    await time.pass(120_000);
    await expect(read({ syncToken })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    expect((await read({})).data).toEqual([]);
  });
});

function readShared(engine: Engine, { applicationId, accountId, calendarId }: Json, query: Json) {
  return world.time.until(readWhole(engine, { caller: { applicationId }, accountId, calendarId }, query));
}
