import { sqlite } from '@kalends/sqlite';
import { expect, it } from 'vitest';
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
