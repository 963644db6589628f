import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DistortedAnswers, distortedAnswers } from '../interface/distorted-answers.ts';
import { eventsPath } from '../interface/steps.ts';
import type { Json, ProviderName, World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * One line of Google's `recurrence`, or one entry of Graph's `cancelledOccurrences`, that was no text made the whole event
 * unreadable: later changes of the series were not mirrored.
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

describe.each([[null], [7], [{}], [['RRULE:FREQ=DAILY']]])('%j in a list of texts', (entry) => {
  const stage = async (provider: ProviderName) => {
    const account = await world.connect(provider);
    const path = eventsPath(account);
    const body = {
      title: 'Old',
      start: { dateTime: '2026-03-02T09:00:00Z' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    };
    const id = (await world.call('POST', path, { body })).body.id as string;
    const shown = async () => {
      const { body: list } = await world.call('GET', `${path}?${WEEK}`);
      const { body: health } = await world.call('GET', `/v1/endUserAccounts/${account.accountId}/unreadableObjects`);
      return {
        events: list.data.map(({ title, start }: Json) => `${title} ${start.dateTime.slice(0, 10)}`),
        unreadable: health.data.map(({ objectId, reason }: Json) => [objectId, reason]),
      };
    };
    return { ...account, path, id, shown };
  };

  it('costs a series of Google that line alone', async () => {
    const { email, id, shown } = await stage('google');
    answers.byId.set(id, (wire) => ({ ...wire, recurrence: [entry, ...wire.recurrence] }));
    await world.atProvider('google', email, 'PATCH', `/calendars/primary/events/${id}`, { summary: 'New' });
    expect(await shown()).toEqual({
      events: ['New 2026-03-02', 'New 2026-03-03', 'New 2026-03-04'],
      unreadable: [[id, 'recurrence: a line that is no text cannot be read']],
    });
  });

  it('costs a series of Graph that deleted slot alone', async () => {
    const { path, email, id, shown } = await stage('microsoft');
    const { body } = await world.call('GET', `${path}?${WEEK}`);
    await world.call('DELETE', `${path}/${encodeURIComponent(body.data[1].id)}`);
    answers.byId.set(id, ({ cancelledOccurrences: names, ...wire }) =>
      names === undefined ? wire : { ...wire, cancelledOccurrences: [entry, ...names] },
    );
    await world.atProvider('microsoft', email, 'PATCH', `/me/events/${id}`, { subject: 'New' });
    expect(await shown()).toEqual({
      events: ['New 2026-03-02', 'New 2026-03-04'],
      unreadable: [[id, 'cancelledOccurrences: must be the names of slots']],
    });
  });
});
