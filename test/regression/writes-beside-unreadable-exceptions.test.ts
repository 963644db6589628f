import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DistortedAnswers, type Distortion, distortedAnswers } from '../interface/distorted-answers.ts';
import { eventsPath } from '../interface/steps.ts';
import { type Json, PROVIDERS, type World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * An exception that cannot be read was no target of a write: its deletion answered 200 and deleted nothing. An edit of its series
 * dropped it: a split left it behind, new times made Exchange forget it, and planning either removed its last good version.
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

const WEEK = 'expandRecurrences=true&startDateTime=2026-03-01&endDateTime=2026-03-12';
const withoutTimes: Distortion = (wire) => ({ ...wire, start: 7 });
const withoutSlot: Distortion = ({ originalStart: _, ...wire }: Json) => wire;

describe.each(PROVIDERS)('beside an unreadable exception of $provider', ({ provider }) => {
  const nameOfTitle = provider === 'google' ? 'summary' : 'subject';

  /** A series of five days whose third day has a title of its own at the provider. */
  const stage = async () => {
    const account = await world.connect(provider);
    const { accountId, email, calendarId } = account;
    const path = eventsPath(account);
    const body = {
      title: 'Daily',
      start: { dateTime: '2026-03-02T09:00:00Z' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    };
    const id = (await world.call('POST', path, { body })).body.id as string;
    const events = `${provider === 'google' ? '/calendars' : '/me/calendars'}/${encodeURIComponent(calendarId)}/events`;
    const window = provider === 'google' ? '' : '?startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-03-12T00:00:00Z';
    const instances = async () => {
      const list = await world.atProvider(
        provider,
        email,
        'GET',
        `${events}/${encodeURIComponent(id)}/instances${window}`,
      );
      return list.items ?? list.value;
    };
    const third = (await instances())[2].id as string;
    await world.atProvider(provider, email, 'PATCH', `${events}/${encodeURIComponent(third)}`, {
      [nameOfTitle]: 'Special',
    });
    const titlesAtProvider = async () => (await instances()).map((wire: Json) => wire[nameOfTitle]);
    const shown = async () => {
      const { body: list } = await world.call('GET', `${path}?${WEEK}`);
      return list.data.map(({ title, start }: Json) => `${title} ${start.dateTime.slice(8, 10)}`).sort();
    };
    const setAside = async () => {
      const { body: health } = await world.call('GET', `/v1/endUserAccounts/${accountId}/unreadableObjects`);
      return health.data.map(({ objectId }: Json) => objectId);
    };
    const touch = () =>
      world.atProvider(
        provider,
        email,
        'PATCH',
        `${events}/${encodeURIComponent(id)}`,
        provider === 'google' ? { location: 'Elsewhere' } : { location: { displayName: 'Elsewhere' } },
      );
    const day = (number: number) => `${path}/${encodeURIComponent(`${id}_2026030${number}T090000Z`)}`;
    return { path, id, third, day, titlesAtProvider, shown, setAside, touch };
  };

  it.each([
    ['PUT', '', { title: 'New' }],
    ['POST', '/rsvp', { responseStatus: 'accepted' }],
    ['DELETE', '', undefined],
  ] as const)('%s %s of its slot fails and names it', async (method, suffix, body) => {
    const { third, day, titlesAtProvider } = await stage();
    answers.byId.set(third, withoutTimes);
    const answer = await world.call(method, `${day(4)}${suffix}`, body === undefined ? {} : { body });
    expect([answer.status, answer.body.code]).toEqual([502, 'ProviderError']);
    expect(answer.body.detail).toContain('start: is not as documented');
    answers.byId.clear();
    expect(await titlesAtProvider()).toEqual(['Daily', 'Daily', 'Special', 'Daily', 'Daily']);
  });

  it('other slots can be changed and deleted', async () => {
    const { third, day, shown } = await stage();
    answers.byId.set(third, provider === 'google' ? withoutTimes : withoutSlot);
    expect((await world.call('PUT', day(3), { body: { title: 'Second' } })).status).toBe(200);
    expect((await world.call('DELETE', day(5))).status).toBe(200);
    expect(await shown()).toEqual(['Daily 02', 'Daily 04', 'Daily 06', 'Second 03']);
  });

  it.each([
    ['a split', 'PUT', 3, '?scope=following', { title: 'Later' }],
    ['a deletion of what follows', 'DELETE', 5, '?scope=following', undefined],
    [
      'new times',
      'PUT',
      3,
      '?scope=all',
      { start: { dateTime: '2026-03-03T11:00:00Z' }, end: { dateTime: '2026-03-03T12:00:00Z' } },
    ],
  ] as const)('%s fails, and the last good version stays', async (_label, method, number, query, body) => {
    const { third, day, titlesAtProvider, shown, setAside, touch } = await stage();
    expect(await shown()).toEqual(['Daily 02', 'Daily 03', 'Daily 05', 'Daily 06', 'Special 04']);
    answers.byId.set(third, withoutTimes);
    await touch();
    expect(await shown()).toContain('Special 04');
    const answer = await world.call(method, `${day(number)}${query}`, body === undefined ? {} : { body });
    expect([answer.status, answer.body.code]).toEqual([502, 'ProviderError']);
    expect(answer.body.details).toEqual([{ path: third, message: 'start: is not as documented' }]);
    expect(await shown()).toEqual(['Daily 02', 'Daily 03', 'Daily 05', 'Daily 06', 'Special 04']);
    expect(await setAside()).toEqual([third]);
    answers.byId.clear();
    expect(await titlesAtProvider()).toEqual(['Daily', 'Daily', 'Special', 'Daily', 'Daily']);
  });

  it('a new title of all leaves it, also where it is that of another exception', async () => {
    const { third, day, shown, touch } = await stage();
    await world.call('PUT', day(3), { body: { title: 'Second' } });
    expect(await shown()).toContain('Special 04');
    answers.byId.set(third, withoutTimes);
    await touch();
    const answer = await world.call('PUT', `${day(3)}?scope=all`, { body: { title: 'Renamed' } });
    expect(answer.status).toBe(200);
    expect(await shown()).toEqual(['Renamed 02', 'Renamed 03', 'Renamed 05', 'Renamed 06', 'Special 04']);
  });

  it('a new title of the series leaves it', async () => {
    const { path, id, third, shown, touch } = await stage();
    await shown();
    answers.byId.set(third, withoutTimes);
    await touch();
    const answer = await world.call('PUT', `${path}/${encodeURIComponent(id)}`, { body: { title: 'Renamed' } });
    expect(answer.status).toBe(200);
    expect(await shown()).toEqual(['Renamed 02', 'Renamed 03', 'Renamed 05', 'Renamed 06', 'Special 04']);
  });
});
