import { afterEach, describe, expect, it } from 'vitest';
import type { KalendsError } from '../../src/errors.ts';
import { eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';
import { fakeEvent, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: World | SyncWorld;
afterEach(() => world.close());

describe.each(PROVIDERS)('an occurrence of $provider that is no exception yet', ({ provider }) => {
  async function occurrence() {
    const whole = await createWorld();
    world = whole;
    const at = await whole.connect(provider);
    const body = { title: 's', start: { dateTime: '2026-03-01T09:00:00Z' }, recurrence: ['FREQ=DAILY;COUNT=5'] };
    const series = (await whole.call('POST', eventsPath(at), { body })).body;
    const path = eventsPath(at, `${series.id}_20260302T090000Z`);
    const { etag } = (await whole.call('GET', path)).body as Json;
    const write = (method: string, title: string, to = path) =>
      whole.call(method, to, {
        headers: { 'if-match': etag },
        ...(method === 'PUT' ? { body: { title } } : {}),
      });
    return { whole, at, series, path, write };
  }

  it('is written by one of three that send its etag at the same time', async () => {
    const { whole, path, write } = await occurrence();
    const answers = await Promise.all(['a', 'b', 'c'].map((title) => write('PUT', title)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    for (const answer of answers) if (answer.status === 412) expectProblem(answer, 412, 'PreconditionFailed');
    const winner = answers.find(({ status }) => status === 200);
    expect((await whole.call('GET', path)).body.title).toBe(winner?.body.title);
  });

  it('is deleted or written, not both', async () => {
    const { write } = await occurrence();
    const answers = await Promise.all([write('PUT', 'a'), write('DELETE', '')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('is refused when its series was changed at the provider and we have not heard of it', async () => {
    const { whole, at, series, write } = await occurrence();
    const segment = encodeURIComponent(series.id);
    if (provider === 'google') {
      const change = { summary: 'changed' };
      await whole.atProvider(provider, at.email, 'PATCH', `/calendars/primary/events/${segment}`, change);
    } else {
      await whole.atProvider(provider, at.email, 'PATCH', `/me/events/${segment}`, { subject: 'changed' });
    }
    expect((await write('PUT', 'mine')).status).toBe(412);
  });

  it('can be written beside other occurrences of its series', async () => {
    const { whole, at, series } = await occurrence();
    const paths = ['20260302', '20260303', '20260304'].map((day) => eventsPath(at, `${series.id}_${day}T090000Z`));
    const shown = await Promise.all(paths.map((path) => whole.call('GET', path)));
    const answers = await Promise.all(
      paths.map((path, index) => {
        const { etag } = shown[index]!.body as Json;
        return whole.call('PUT', path, { body: { title: `t${index}` }, headers: { 'if-match': etag } });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

it('is written by one of two processes that take the same etag at the same time', async () => {
  const inner = await syncWorld();
  world = inner;
  const times = newYork('2026-03-02', '09:00', '10:00');
  inner.fake.put(CALENDAR, fakeEvent('s', { ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }));
  const id = 's_20260303T140000Z';
  const { etag } = await inner.events.get(CALLER, ACCOUNT, CALENDAR, id);
  const peer = inner.peer();
  const writes = [inner.events, peer.events].map((events, index) =>
    events.update(CALLER, ACCOUNT, CALENDAR, id, { title: `t${index}` }, { ifMatch: etag }).then(
      () => 'written',
      (error: KalendsError) => error.code,
    ),
  );
  let isDone = false;
  const all = Promise.all(writes).finally(() => {
    isDone = true;
  });
  while (!isDone) await inner.clock.advance(200);
  expect((await all).sort()).toEqual(['PreconditionFailed', 'written']);
  await peer.pulls.close();
});
