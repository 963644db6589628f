import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(PROVIDERS)('answers after declining with $providerType', ({ provider }) => {
  async function invited(more: object = {}): Promise<{ readonly at: Connected; readonly path: string }> {
    const [organizer, at] = [await world.connect(provider), await world.connect(provider)];
    const sent = {
      title: 'Review',
      start: { dateTime: '2027-05-03T09:00:00Z' },
      attendees: [{ email: at.email }],
      ...more,
    };
    const created = body(await world.call('POST', eventsPath(organizer), { body: sent }), 201);
    // The guest's calendar is read for the first time, and so holds it.
    const { data } = body(await world.call('GET', eventsPath(at)));
    const { id } = data.find((event: Json) => event.iCalUid === created.iCalUid);
    return { at, path: eventsPath(at, id) };
  }
  const answer = (path: string, responseStatus: string) =>
    world.call('POST', `${path}/rsvp`, { body: { responseStatus } });

  async function expectAnswer({ at, path }: { readonly at: Connected; readonly path: string }, response: string) {
    const event = body(await world.call('GET', path));
    const own = event.attendees.find(({ email }: Json) => email === at.email);
    expect([event.myResponseStatus, own.responseStatus]).toEqual([response, response]);
  }

  it.each([
    ['an event', {}],
    ['a series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] }],
  ])('%s says the same twice, and can be accepted again', async (_what, more) => {
    const invitation = await invited(more);
    for (const response of ['accepted', 'declined', 'tentative', 'declined', 'accepted']) {
      body(await answer(invitation.path, response));
      await expectAnswer(invitation, response);
    }
    if (provider === 'google') return;
    body(await answer(invitation.path, 'declined'));
    world.sandbox.microsoft.controls['emptyDeletedItems']?.({});
    expectProblem(await answer(invitation.path, 'accepted'), 422, 'UnsupportedByProvider', 'responseStatus');
    await expectAnswer(invitation, 'declined');
  });
});
