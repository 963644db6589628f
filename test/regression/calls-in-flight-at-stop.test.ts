import { sqlite } from '@kalends/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { eventsPath } from '../interface/steps.ts';
import { createInterceptedWorld, gate } from './intercepted-world.ts';

const EVENT = { title: 'Tea', start: { dateTime: '2030-01-07T10:00:00', timeZone: 'UTC' } };

it('answers a write that is at the provider before it closes the storage, and refuses what comes later', async () => {
  const storage = sqlite({ path: ':memory:' });
  const steps: string[] = [];
  const close = async () => {
    steps.push('closed');
    await storage.close();
  };
  const { world, network } = await createInterceptedWorld({ storage: { ...storage, close } });
  const connected = await world.connect('google');
  const [reached, answered] = [gate(), gate()];
  network.intercept = async (request, pass) => {
    if (request.method !== 'POST' || !new URL(request.url).pathname.endsWith('/events')) return await pass();
    const made = await pass();
    reached.open();
    await answered.opened;
    return made;
  };
  const written = world.call('POST', eventsPath(connected), { body: EVENT }).then((answer) => {
    steps.push('answered');
    return answer;
  });
  await reached.opened;
  const stopped = world.close();
  answered.open();
  expect(await written).toMatchObject({ status: 201, body: { title: 'Tea' } });
  await stopped;
  expect(steps).toEqual(['answered', 'closed']);

  expect(await world.call('GET', eventsPath(connected))).toMatchObject({ status: 503 });
  const { applications } = world.engine;
  await expect(applications.list()).rejects.toMatchObject({ status: 503, message: 'The engine has been stopped.' });
});

it.each([true, false])('waits for no pull that a call has begun, with background work: %s', async (background) => {
  const { world, network } = await createInterceptedWorld({}, { background });
  const connected = await world.connect('google');
  expect(await world.call('GET', eventsPath(connected))).toMatchObject({ status: 200 });
  const reached = gate();
  network.intercept = (request) =>
    new Promise((_resolve, reject) => {
      // A provider that does not answer: the request ends when it is aborted.
      request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true });
      reached.open();
    });
  // An event that the mirror does not have may have been made just now.
  const read = world.call('GET', eventsPath(connected, 'unknown'));
  await reached.opened;
  await world.close();
  expect(await read).toMatchObject({ status: 503, body: { code: 'CalendarSyncing' } });
});

const TIMES = { startDateTime: '2030-01-07T00:00:00Z', endDateTime: '2030-01-08T00:00:00Z', timeZone: 'UTC' };

it.each([true, false])('asks to repeat what waits for a first pull, with background work: %s', async (background) => {
  const warned: string[] = [];
  const write = (message: string) => void warned.push(message);
  const logger = { debug: () => undefined, info: () => undefined, warn: write, error: write };
  const storage = sqlite({ path: ':memory:' });
  const kept = { ...storage, close: async () => undefined };
  const { world, network } = await createInterceptedWorld({ storage: kept, logger }, { background });
  onTestFinished(() => storage.close());
  const connected = await world.connect('google');
  const { accountId, calendarId } = connected;
  const reached = gate();
  network.intercept = (request, pass) => {
    if (request.method !== 'GET' || !new URL(request.url).pathname.endsWith('/events')) return pass();
    return new Promise((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true });
      reached.open();
    });
  };
  const calls = [
    world.call('GET', eventsPath(connected)),
    world.call('POST', eventsPath(connected), { body: EVENT }),
    world.call('POST', `/v1/freeBusy/${accountId}`, { body: { ...TIMES, calendarIds: [calendarId] } }),
  ];
  await reached.opened;
  const stopped = world.close();
  for (const { status, body, headers } of await Promise.all(calls)) {
    expect({ status, code: body.code, retryAfter: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'CalendarSyncing',
      retryAfter: '2',
    });
  }
  await stopped;
  expect(warned).toEqual([]);
  // The next process goes on with it at once.
  const key = { applicationId: world.applicationId, accountId, calendarId };
  expect(await storage.schedule.get(key)).toMatchObject({ failures: 0 });
});
