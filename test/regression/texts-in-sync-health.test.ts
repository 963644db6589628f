import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DistortedAnswers, type Distortion, distortedAnswers } from '../interface/distorted-answers.ts';
import { eventsPath } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/* The reasons in an account's sync health showed lines of prose in place of a rule, and keys of extended properties. */
let world: World;
let answers: DistortedAnswers;
beforeEach(async () => {
  const intercepted = await createInterceptedWorld({ sync: { freshWithoutPushMs: 0.001, readWaitMs: 10_000 } });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = answers.intercept;
});
afterEach(() => world.close());

const line =
  (text: string): Distortion =>
  (wire) => ({ ...wire, recurrence: [text, ...wire.recurrence] });

const property =
  (kind: 'private' | 'shared'): Distortion =>
  (wire) => ({ ...wire, extendedProperties: { [kind]: { 'lunch with Mary': 7 } } });

it.each([
  ['a line of prose', line('lunch with Mary'), 'recurrence: a line cannot be read'],
  ['a line of prose with a colon', line('lunch with Mary: noon'), 'recurrence: a line cannot be read'],
  ['a rule of prose', line('RRULE:lunch with Mary=1'), 'recurrence: a line cannot be read'],
  ['a private property', property('private'), 'extendedProperties.private: is not as documented'],
  ['a shared property', property('shared'), 'extendedProperties.shared: is not as documented'],
])('%s that cannot be read is not quoted', async (_, distortion, reason) => {
  const account = await world.connect('google');
  const body = { title: 'A', start: { dateTime: '2026-03-02T09:00:00Z' }, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
  const { id } = (await world.call('POST', eventsPath(account), { body })).body;
  answers.byId.set(id, distortion);
  await world.atProvider('google', account.email, 'PATCH', `/calendars/primary/events/${id}`, { summary: 'B' });
  await world.call('GET', eventsPath(account));
  const { body: health } = await world.call('GET', `/v1/endUserAccounts/${account.accountId}/unreadableObjects`);
  expect(health.data.map((object: Json) => object.reason)).toEqual([reason]);
});
