import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCalDav, createSchedulingWorld } from '../interface/scheduling-world.ts';
import { body, type Connected, eventsPath, expectProblem } from '../interface/steps.ts';
import type { World } from '../interface/world.ts';

const EVENT = { title: 'Call', start: { dateTime: '2027-05-03T09:00:00Z' } };
const joinUrl = 'https://video.example/1';

describe.each(['google', 'microsoft', 'caldav'] as const)('at %s, conference data of the wrong kind', (provider) => {
  let world: World;
  let at: Connected;
  afterAll(() => world.close());
  beforeAll(async () => {
    world = await createSchedulingWorld();
    at = provider === 'caldav' ? await connectCalDav(world) : await world.connect(provider);
  });

  it.each([
    ['conferenceId', { joinUrl, conferenceId: 5 }],
    ['conferenceType', { joinUrl, conferenceType: {} }],
    ['joinUrl', { joinUrl: 5 }],
    ['joinUrl', { joinUrl: 'javascript:alert(1)' }],
    ['joinUrl', { joinUrl: '' }],
    ['conferenceDetails', { joinUrl, conferenceDetails: 'x' }],
    ['conferenceDetails.entryPoints', { joinUrl, conferenceDetails: { entryPoints: 'x' } }],
    ['conferenceDetails.entryPoints.0.uri', { joinUrl, conferenceDetails: { entryPoints: [{ uri: 5 }] } }],
  ])('is refused at %s, and the event stays as it was', async (field, conferenceData) => {
    const path = `conferenceData.${field}`;
    const sent = { ...EVENT, conferenceData };
    expectProblem(await world.call('POST', eventsPath(at), { body: sent }), 400, 'InvalidRequest', path);
    const { id } = body(await world.call('POST', eventsPath(at), { body: EVENT }), 201);
    const refused = await world.call('PUT', eventsPath(at, id), { body: { conferenceData } });
    expectProblem(refused, 400, 'InvalidRequest', path);
    expect(body(await world.call('GET', eventsPath(at, id)))).not.toHaveProperty('conferenceData');
  });

  it.each([
    {},
    { conferenceDetails: {} },
    { conferenceDetails: { entryPoints: [] } },
    { conferenceDetails: { conferenceSolution: { name: 'x' } } },
  ])('is refused where no conference results: %j', async (conferenceData) => {
    const answer = await world.call('POST', eventsPath(at), { body: { ...EVENT, conferenceData } });
    expectProblem(answer, 422, 'UnsupportedByProvider', 'conferenceData');
  });
});
