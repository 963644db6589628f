import { expect, it } from 'vitest';
import { calendarsPath, expectProblem } from '../interface/steps.ts';
import { PROVIDERS } from '../interface/world.ts';
import { createInterceptedWorld, gate } from './intercepted-world.ts';

/** A world with a calendar, and a way to hold back the answer that a PUT of it is about to be answered with. */
async function calendarWorld(provider: 'google' | 'microsoft') {
  const { world, network } = await createInterceptedWorld();
  const { accountId, email } = await world.connect(provider);
  const { body: calendar } = await world.call('POST', calendarsPath(accountId), { body: { name: 'zero' } });
  const path = calendarsPath(accountId, calendar.id);
  const put = (name: string) => world.call('PUT', path, { body: { name } });
  /** Puts; resolves when the provider has done it, and with what lets its last answer come. */
  const putSlowly = async (name: string) => {
    const [reached, released] = [gate(), gate()];
    let isWritten = false;
    network.intercept = async (request, pass) => {
      const answer = await pass();
      const isWrite = request.method === 'PATCH';
      const isLast = provider === 'microsoft' ? isWrite : isWritten && request.method === 'GET';
      isWritten ||= isWrite;
      if (!isLast) return answer;
      network.intercept = (_request, next) => next();
      reached.open();
      await released.opened;
      return answer;
    };
    const answer = put(name);
    await reached.opened;
    return { answer, release: released.open };
  };
  return { world, path, email, accountId, calendarId: calendar.id as string, put, putSlowly };
}

it.each(PROVIDERS)('shows the later of two names whose answers crossed at $provider', async ({ provider }) => {
  const { world, path, accountId, put, putSlowly, calendarId } = await calendarWorld(provider);
  const first = await putSlowly('first');
  expect((await put('second')).body.name).toBe('second');
  first.release();
  await first.answer;
  expect((await world.call('GET', path)).body.name).toBe('second');
  const list = await world.call('GET', calendarsPath(accountId));
  expect(list.body.data.find(({ id }: { id: string }) => id === calendarId).name).toBe('second');
  await world.close();
});

it.each(PROVIDERS)('keeps a calendar of $provider deleted when the answer of a PUT comes late', async ({
  provider,
}) => {
  const { world, path, accountId, putSlowly } = await calendarWorld(provider);
  const renamed = await putSlowly('renamed');
  expect((await world.call('DELETE', path)).status).toBe(200);
  renamed.release();
  await renamed.answer;
  expectProblem(await world.call('GET', path), 404, 'NotFound');
  const list = await world.call('GET', calendarsPath(accountId));
  expect(list.body.data).toHaveLength(list.body.data.filter(({ name }: { name: string }) => name !== 'renamed').length);
  await world.close();
});

it('shows what the provider has when an answer of ours overtook a newer change', async () => {
  const { world, path, putSlowly, email, calendarId, accountId } = await calendarWorld('google');
  const renamed = await putSlowly('ours');
  const api = `/calendars/${encodeURIComponent(calendarId)}`;
  await world.atProvider('google', email, 'PATCH', api, { summary: 'theirs' });
  // Asking for an unknown calendar pulls the list before our earlier answer arrives.
  await world.call('GET', calendarsPath(accountId, 'unknown'));
  expect((await world.call('GET', path)).body.name).toBe('theirs');
  renamed.release();
  await renamed.answer;
  expect((await world.call('GET', path)).body.name).toBe('theirs');
  await world.close();
});
