import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCalDav, createSchedulingWorld } from '../interface/scheduling-world.ts';
import { body, type Connected, eventsPath, expectProblem } from '../interface/steps.ts';
import type { World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

const MEETING = {
  title: 'Call',
  start: { dateTime: '2027-05-03T09:00:00Z' },
  conferenceData: { joinUrl: 'https://video.example/1', conferenceType: 'addOn', conferenceId: 'one' },
};

// Graph takes no conference by hand.
describe.each(['google', 'caldav'] as const)('a record of %s that is sent back with another link', (provider) => {
  let at: Connected;
  beforeEach(async () => {
    world = await createSchedulingWorld();
    at = provider === 'caldav' ? await connectCalDav(world) : await world.connect(provider);
  });

  it('has it afterwards, with its other fields', async () => {
    const shown = body(await world.call('POST', eventsPath(at), { body: MEETING }), 201);
    const conferenceData = { ...shown.conferenceData, joinUrl: 'https://video.example/2' };
    body(await world.call('PUT', eventsPath(at, shown.id), { body: { ...shown, conferenceData } }));
    const after = body(await world.call('GET', eventsPath(at, shown.id)));
    const wanted = { ...MEETING.conferenceData, joinUrl: 'https://video.example/2' };
    expect(after.conferenceData).toMatchObject(wanted);
  });
});

it('a record with a meeting of Google that is sent back with another link is refused by name', async () => {
  world = await createSchedulingWorld();
  const at = await world.connect('google');
  const sent = { title: 'Call', start: MEETING.start, generateMeetingUrlProvider: 'hangoutsMeet' };
  const shown = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  const conferenceData = { ...shown.conferenceData, joinUrl: 'https://video.example/2' };
  const answer = await world.call('PUT', eventsPath(at, shown.id), { body: { ...shown, conferenceData } });
  expectProblem(answer, 422, 'UnsupportedByProvider', 'conferenceData.joinUrl');
});
