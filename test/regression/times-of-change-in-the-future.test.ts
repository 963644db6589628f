import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DistortedAnswers, distortedAnswers } from '../interface/distorted-answers.ts';
import { eventsPath } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * The search for recent modifications at Graph goes on from the latest time of change that it has seen. One event with a time
 * in the year 9000 moved this mark there: later changes outside the window of the feed waited for reconciliation.
 */
let world: World;
let answers: DistortedAnswers;
beforeEach(async () => {
  const intercepted = await createInterceptedWorld({ sync: { freshWithoutPushMs: 0.001, readWaitMs: 10_000 } });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = async (request, pass) => {
    const response = await answers.intercept(request, pass);
    if (!request.url.includes('/calendarView/delta')) return response;
    // The feed of another window: it shows none of the changes.
    return Response.json({ ...((await response.json()) as Json), value: [] });
  };
});
afterEach(() => world.close());

it('an event that Graph says was changed in the year 9000 hides no later change', async () => {
  const account = await world.connect('microsoft');
  const path = eventsPath(account);
  const create = async (title: string, start: string) => {
    const { body } = await world.call('POST', path, { body: { title, start: { dateTime: start } } });
    return body.id as string;
  };
  const rename = (id: string, subject: string) =>
    world.atProvider('microsoft', account.email, 'PATCH', `/me/events/${id}`, { subject });
  const titles = async () => {
    const { body } = await world.call('GET', path);
    return body.data.map(({ title }: Json) => title).sort();
  };
  const odd = await create('odd', '2026-03-02T09:00:00Z');
  const farAhead = await create('far ahead', '2150-03-02T09:00:00Z');
  expect(await titles()).toEqual(['far ahead', 'odd']);

  answers.byId.set(odd, (wire) => ({ ...wire, lastModifiedDateTime: '9000-01-01T00:00:00Z' }));
  await rename(odd, 'changed');
  expect(await titles()).toEqual(['changed', 'far ahead']);
  await rename(farAhead, 'found');
  expect(await titles()).toEqual(['changed', 'found']);
});
