import { afterEach, expect, test } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';
import { body, eventsPath } from '../interface/steps.ts';
import type { World } from '../interface/world.ts';
import { createInterceptedWorld, gate } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());

const MINUTE_MS = 60_000;
const ENDED = { domain: 'global', reason: 'invalid', locationType: 'parameter', location: 'pageToken' };

/** A person's calendar with two events, which Google lists on a page each; `answerNext` answers for each page but a first one. */
async function connected() {
  const clock = movableClock();
  const intercepted = await createInterceptedWorld({ clock, sync: { readWaitMs: 200 } }, { background: false });
  world = intercepted.world;
  const person = await world.connect('google');
  const next = { answer: (pass: () => Promise<Response>) => pass() };
  const asked: string[] = [];
  intercepted.network.intercept = async (request, pass) => {
    const url = new URL(request.url);
    if (request.method !== 'GET' || !url.pathname.endsWith('/events')) return await pass();
    const of = (name: string) => url.searchParams.has(name);
    asked.push(of('pageToken') ? 'next' : of('syncToken') ? 'changes' : 'all');
    if (of('pageToken')) return await next.answer(pass);
    url.searchParams.set('maxResults', '1');
    return await world.sandbox.fetch(new Request(url, request));
  };
  const add = (summary: string) =>
    world.atProvider('google', person.email, 'POST', '/calendars/primary/events', {
      summary,
      start: { dateTime: '2026-04-06T09:00:00Z' },
      end: { dateTime: '2026-04-06T10:00:00Z' },
    });
  const list = () => world.call('GET', eventsPath(person));
  const titles = async () =>
    body(await list())
      .data.map(({ title }: { title: string }) => title)
      .sort();
  const refuse = async () =>
    Response.json({ error: { code: 400, message: 'Bad Request', errors: [ENDED] } }, { status: 400 });
  await add('one');
  await add('two');
  return { clock, asked, next, add, list, titles, refuse };
}

test('a first pull whose page has ended begins anew', async () => {
  const { clock, asked, next, list, titles, refuse } = await connected();
  const arrived = gate();
  next.answer = async () => {
    await arrived.opened;
    return await refuse();
  };
  expect(await list()).toMatchObject({ status: 503, body: { code: 'CalendarSyncing' } });
  const failing = list();
  arrived.open();
  expect(await failing).toMatchObject({ status: 503, body: { code: 'ProviderUnavailable' } });
  expect(asked).toEqual(['all', 'next']);
  next.answer = (pass) => pass();
  clock.pass(MINUTE_MS);
  expect(await titles()).toEqual(['one', 'two']);
  expect(asked).toEqual(['all', 'next', 'all', 'next']);
});

test('changes whose page has ended are asked for again, without another pull of everything', async () => {
  const { clock, asked, next, add, titles, refuse } = await connected();
  expect(await titles()).toEqual(['one', 'two']);
  await add('three');
  await add('four');
  asked.length = 0;
  next.answer = refuse;
  clock.pass(MINUTE_MS);
  expect(await titles()).toEqual(expect.arrayContaining(['one', 'two']));
  expect(asked).toEqual(['changes', 'next']);
  next.answer = (pass) => pass();
  clock.pass(MINUTE_MS);
  expect(await titles()).toEqual(['four', 'one', 'three', 'two']);
  expect(asked).toEqual(['changes', 'next', 'changes', 'next']);
});
