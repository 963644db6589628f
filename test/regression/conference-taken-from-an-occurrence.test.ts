import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCalDav, createSchedulingWorld } from '../interface/scheduling-world.ts';
import { body, type Connected, eventsPath, query } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';

let world: World;
let at: Connected;
const call = async (method: string, id: string | undefined, sent?: unknown, scope?: string): Promise<Json> => {
  const path = eventsPath(at, id) + query({ scope });
  const status = method === 'POST' ? 201 : 200;
  return body(await world.call(method, path, sent === undefined ? {} : { body: sent }), status);
};
const berlin = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
const link = { conferenceData: { joinUrl: 'https://video.example/1' } };

// Graph takes no conference by hand.
describe.each(['google', 'caldav'] as const)('an occurrence without the conference of its series at %s', (provider) => {
  beforeEach(async () => {
    world = await createSchedulingWorld();
    at = provider === 'caldav' ? await connectCalDav(world) : await world.connect(provider);
  });
  afterEach(() => world.close());

  const newSeries = async (fields: object): Promise<string> => {
    const sent = { title: 'Series', start: berlin('2027-05-03T09:00:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };
    return (await call('POST', undefined, { ...sent, ...fields })).id;
  };
  const joinUrls = async (ids: readonly string[]): Promise<unknown> =>
    Promise.all(ids.map(async (id) => (await call('GET', id)).conferenceData?.joinUrl));

  it('has none after a split before it', async () => {
    const id = await newSeries(link);
    await call('PUT', `${id}_20270506T070000Z`, { conferenceData: null });
    const split = await call('PUT', `${id}_20270504T070000Z`, { title: 'Later' }, 'following');
    const seriesId = split.recurringEventId ?? split.id;
    const ids = [`${seriesId}_20270505T070000Z`, `${seriesId}_20270506T070000Z`];
    expect(await joinUrls(ids)).toEqual(['https://video.example/1', undefined]);
  });

  it('has none after new times of the series', async () => {
    const id = await newSeries(link);
    await call('PUT', `${id}_20270506T070000Z`, { conferenceData: null });
    await call('PUT', id, { start: berlin('2027-05-03T10:00:00'), end: berlin('2027-05-03T11:00:00') });
    const ids = [`${id}_20270505T080000Z`, `${id}_20270506T080000Z`];
    expect(await joinUrls(ids)).toEqual(['https://video.example/1', undefined]);
  });

  it('loses its own when it comes back after it was cancelled', async () => {
    const id = await newSeries({});
    const occurrence = `${id}_20270506T070000Z`;
    await call('PUT', occurrence, link);
    await call('DELETE', occurrence);
    await call('PUT', occurrence, { isCancelled: false });
    expect(await joinUrls([occurrence])).toEqual([undefined]);
  });
});
