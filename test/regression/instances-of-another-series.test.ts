import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DistortedAnswers, distortedAnswers } from '../interface/distorted-answers.ts';
import { eventsPath } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * An instance that Google showed without its series became a single event whose id was that of an occurrence: the expanded
 * list had the id twice. One that was shown with another series, and rightly again later, stayed as an exception of that
 * series for ever: its own GET answers another item, which says nothing about the former one.
 */
let world: World;
let answers: DistortedAnswers;
beforeEach(async () => {
  const intercepted = await createInterceptedWorld({ sync: { freshWithoutPushMs: 0.001, readWaitMs: 10_000 } });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = answers.intercept;
});
afterEach(() => world.close());

const WEEK = 'expandRecurrences=true&startDateTime=2026-03-01&endDateTime=2026-03-08';
const DAYS = ['2026-03-02 day', '2026-03-03 moved', '2026-03-04 day'];

/** A series of three days whose second one has a title of its own. */
async function stage() {
  const account = await world.connect('google');
  const path = eventsPath(account);
  const body = { title: 'day', start: { dateTime: '2026-03-02T09:00:00Z' }, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
  await world.call('POST', path, { body });
  const slots = async () => (await world.call('GET', `${path}?${WEEK}`)).body.data as readonly Json[];
  const { id } = (await slots())[1];
  await world.call('PUT', `${path}/${encodeURIComponent(id)}`, { body: { title: 'moved' } });
  const shown = async () => (await slots()).map(({ title, start }) => `${start.dateTime.slice(0, 10)} ${title}`).sort();
  const at = `/calendars/primary/events/${id}`;
  const touch = (location: string) => world.atProvider('google', account.email, 'PATCH', at, { location });
  expect(await shown()).toEqual(DAYS);
  return { id, shown, touch };
}

it('an instance that is shown without its series belongs to the one that its id names', async () => {
  const { id, shown, touch } = await stage();
  answers.byId.set(id, ({ recurringEventId: _, ...wire }) => wire);
  await touch('Room 1');
  expect(await shown()).toEqual(DAYS);
});

it('an instance that was shown with another series leaves it with the next full pass', async () => {
  const { id, shown, touch } = await stage();
  answers.byId.set(id, (wire) => ({ ...wire, recurringEventId: 'nowhere' }));
  await touch('Room 2');
  expect(await shown()).toEqual(['2026-03-02 day', '2026-03-03 moved', '2026-03-03 moved', '2026-03-04 day']);
  answers.byId.clear();
  await touch('Room 3');
  world.sandbox.google.controls.expireSyncTokens?.({});
  expect(await shown()).toEqual(DAYS);
});
