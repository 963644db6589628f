import { afterEach, describe, expect, it } from 'vitest';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());

/** A series whose second occurrence has been read, with its tag, on a network that can be listened to. */
async function occurrenceAt(provider: 'google' | 'microsoft') {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const at = await world.connect(provider);
  const sent = { title: 's', start: { dateTime: '2026-03-01T09:00:00Z' }, recurrence: ['FREQ=DAILY;COUNT=5'] };
  const series = (await world.call('POST', eventsPath(at), { body: sent })).body;
  const path = eventsPath(at, `${series.id}_20260302T090000Z`);
  const { etag } = (await world.call('GET', path)).body as Json;
  return {
    network: intercepted.network,
    /** Makes an exception of one occurrence at the provider. */
    async change(instance: string | undefined) {
      const [events, change] =
        provider === 'google'
          ? ['/calendars/primary/events', { summary: 'theirs' }]
          : ['/me/events', { subject: 'theirs' }];
      await world.atProvider(provider, at.email, 'PATCH', `${events}/${instance}`, change);
    },
    /** Our write is refused, and theirs is what shows. */
    async expectRefused(method: string) {
      const body = method === 'PUT' ? { body: { title: 'ours' } } : {};
      const answer = await world.call(method, path, { headers: { 'if-match': etag }, ...body });
      expectProblem(answer, 412, 'PreconditionFailed');
      expect((await world.call('GET', path)).body).toMatchObject({ title: 'theirs', isCancelled: false });
    },
  };
}

describe.each(['google', 'microsoft'] as const)('%s', (provider) => {
  it.each([
    'PUT',
    'DELETE',
  ])('%s with If-Match of an occurrence that becomes an exception before it arrives is 412', async (method) => {
    const { network, change, expectRefused } = await occurrenceAt(provider);
    let isDone = false;
    network.intercept = async (request, pass) => {
      const isWrite = request.method === 'PATCH' || request.method === 'DELETE';
      if (isWrite && !isDone) {
        isDone = true;
        await change(new URL(request.url).pathname.split('/').pop());
      }
      return await pass();
    };
    await expectRefused(method);
    expect(isDone).toBe(true);
  });
});

it('Graph: a write with If-Match of an occurrence that became an exception behind the look at its series is 412', async () => {
  const { network, change, expectRefused } = await occurrenceAt('microsoft');
  let isDone = false;
  network.intercept = async (request, pass) => {
    if (request.url.includes('/instances') && !isDone) {
      isDone = true;
      const answer = await pass();
      const { value } = (await answer.clone().json()) as { value: { id: string; start: { dateTime: string } }[] };
      await change(value.find(({ start }) => start.dateTime.startsWith('2026-03-02'))?.id);
    }
    return await pass();
  };
  await expectRefused('PUT');
  expect(isDone).toBe(true);
});
