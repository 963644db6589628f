import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInterceptedWorld } from '../regression/intercepted-world.ts';
import { type DistortedAnswers, type Distortion, distortedAnswers } from './distorted-answers.ts';
import { type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

let world: World;
let answers: DistortedAnswers;
beforeEach(async () => {
  const intercepted = await createInterceptedWorld({ sync: { freshWithoutPushMs: 0.001, readWaitMs: 10_000 } });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = answers.intercept;
});
afterEach(() => world.close());

/** Start and end of an event replaced by texts in the provider's form. */
function times(provider: ProviderName, text: unknown): Distortion {
  return (wire) => ({
    ...wire,
    start: provider === 'google' ? { dateTime: text } : { dateTime: text, timeZone: 'UTC' },
    end: provider === 'google' ? { dateTime: text } : { dateTime: text, timeZone: 'UTC' },
  });
}

const without =
  (field: string): Distortion =>
  ({ [field]: _, ...wire }: Json) =>
    wire;

/** Objects that no mapping can read. */
function unreadable(provider: ProviderName): readonly (readonly [string, Distortion])[] {
  const isGoogle = provider === 'google';
  return [
    ['a start at the end of the last year', times(provider, `9999-12-31T23:59:59${isGoogle ? '-12:00' : ''}`)],
    ['a start in the year 275760', times(provider, `+275760-01-01T00:00:00${isGoogle ? 'Z' : ''}`)],
    ['a start before the year 1', times(provider, `0000-05-01T00:00:00${isGoogle ? 'Z' : ''}`)],
    ['a date x', times(provider, 'x')],
    ['no start', without('start')],
    ['a start that is a number', (wire) => ({ ...wire, start: 7 })],
    ['a title that is an object', (wire) => ({ ...wire, [isGoogle ? 'summary' : 'subject']: {} })],
    ['attendees that are a text', (wire) => ({ ...wire, attendees: 'everyone' })],
  ];
}

describe.each(PROVIDERS)('an unreadable object of $provider', ({ provider }) => {
  const stage = async () => {
    const connected = await world.connect(provider);
    const { accountId, calendarId } = connected;
    const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    const health = `/v1/endUserAccounts/${accountId}/unreadableObjects`;
    const create = async (title: string, extra: object = {}) => {
      const start = { dateTime: '2026-03-02T09:00:00Z' };
      const made = await world.call('POST', path, { body: { title, start, ...extra } });
      expect([made.status, made.body.code]).toEqual([201, undefined]);
      return made.body.id as string;
    };
    const titles = async (query = '') => {
      const answer = await world.call('GET', `${path}${query}`);
      expect([answer.status, answer.body.code]).toEqual([200, undefined]);
      return answer.body.data.map(({ title }: Json) => title).sort() as string[];
    };
    return { ...connected, path, health, create, titles };
  };

  const eventsAt = (calendarId: string) =>
    `${provider === 'google' ? '/calendars' : '/me/calendars'}/${encodeURIComponent(calendarId)}/events`;

  const createThere = async (email: string, calendarId: string, title: string): Promise<string> => {
    const at = { dateTime: '2026-03-02T09:00:00', timeZone: 'UTC' };
    const body = { [provider === 'google' ? 'summary' : 'subject']: title, start: at, end: at };
    return (await world.atProvider(provider, email, 'POST', eventsAt(calendarId), body)).id;
  };

  /** Makes the provider report an object as changed. */
  const touch = async (email: string, calendarId: string, id: string, title: string) => {
    const body = { [provider === 'google' ? 'summary' : 'subject']: title };
    await world.atProvider(provider, email, 'PATCH', `${eventsAt(calendarId)}/${id}`, body);
  };

  it.each(unreadable(provider))('%s is set aside alone, and its last good version stays', async (_, distort) => {
    const { path, health, create, titles, email, calendarId } = await stage();
    const [odd] = [await create('odd'), await create('good')];
    expect(await titles()).toEqual(['good', 'odd']);

    answers.byId.set(odd, distort);
    await touch(email, calendarId, odd, 'changed');
    await create('better');
    expect(await titles()).toEqual(['better', 'good', 'odd']);
    expect(await titles('?expandRecurrences=true&startDateTime=2026-01-01&endDateTime=2027-01-01')).toHaveLength(3);
    expect((await world.call('GET', `${path}/${odd}`)).body.title).toBe('odd');
    const listed = await world.call('GET', health);
    expect(listed.status).toBe(200);
    expect(listed.body.data).toMatchObject([{ calendarId, objectId: odd, kind: 'event' }]);

    answers.byId.clear();
    await touch(email, calendarId, odd, 'readable');
    expect(await titles()).toEqual(['better', 'good', 'readable']);
    expect((await world.call('GET', health)).body.data).toEqual([]);
  });

  it.each(unreadable(provider))('%s among the events of a first pull costs no other', async (_, distort) => {
    const { email, calendarId, path } = await stage();
    const odd = await createThere(email, calendarId, 'odd');
    await createThere(email, calendarId, 'good');
    answers.byId.set(odd, distort);
    const list = await world.call('GET', path);
    expect([list.status, list.body.data?.map(({ title }: Json) => title)]).toEqual([200, ['good']]);
    const single = await world.call('GET', `${path}/${odd}`);
    expect([single.status, single.body.code]).toEqual([502, 'ProviderError']);
    expect(single.body.detail).toContain(odd);
    const written = await world.call('PUT', `${path}/${odd}`, { body: { title: 'x' } });
    expect([written.status, written.body.code]).toEqual([502, 'ProviderError']);
  });
});
