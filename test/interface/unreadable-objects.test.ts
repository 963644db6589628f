import type { Logger } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInterceptedWorld } from '../regression/intercepted-world.ts';
import { type DistortedAnswers, type Distortion, distortedAnswers } from './distorted-answers.ts';
import { type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

let world: World;
let answers: DistortedAnswers;
/** Warnings of the engine about the objects that they name. */
let warnings: { readonly message: string; readonly objectId: unknown }[];
beforeEach(async () => {
  warnings = [];
  const warn: Logger['warn'] = (message, fields: { readonly objectId?: unknown } = {}) =>
    void warnings.push({ message, objectId: fields.objectId });
  const logger: Logger = { debug: () => {}, info: () => {}, warn, error: warn };
  const sync = { freshWithoutPushMs: 0.001, readWaitMs: 10_000 };
  const intercepted = await createInterceptedWorld({ logger, sync });
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

  const week = 'expandRecurrences=true&startDateTime=2026-03-01&endDateTime=2026-03-08';
  const daily = { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };

  /** Returns days and titles of a week. */
  const days = async (path: string) => {
    const { body } = await world.call('GET', `${path}?${week}`);
    return body.data.map(({ title, start }: Json) => `${start.dateTime.slice(8, 10)} ${title}`);
  };

  /** A series of which no line can be read. */
  const withOddRule: Distortion = ({ recurrence, ...wire }) => {
    if (recurrence === undefined || recurrence === null) return { ...wire, recurrence };
    if (provider === 'google') return { ...wire, recurrence: ['RRULE:FREQ=LUNAR', ...recurrence] };
    return { ...wire, recurrence: { ...recurrence, pattern: { ...recurrence.pattern, type: 'lunar' } } };
  };

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

  it('a rule line costs that line, and is listed and logged', async () => {
    const { path, health, create, email, calendarId } = await stage();
    const id = await create('series', daily);
    answers.byId.set(id, withOddRule);
    await touch(email, calendarId, id, 'changed');
    // Graph has one pattern: without it, the first occurrence remains.
    const shown = provider === 'google' ? ['02', '03', '04'] : ['02'];
    expect(await days(path)).toEqual(shown.map((day) => `${day} changed`));
    const listed = (await world.call('GET', health)).body.data;
    expect(listed).toMatchObject([{ calendarId, objectId: id, kind: 'part' }]);
    expect(listed[0].reason).toMatch(/^recurrence: /);
    expect(warnings.filter(({ objectId }) => objectId === id)).toEqual([
      { message: 'part of an object cannot be read', objectId: id },
    ]);
  });

  it('a rule line in the answer to a write is listed and logged', async () => {
    const { path, health, create } = await stage();
    const id = await create('series', daily);
    answers.byId.set(id, withOddRule);
    answers.distortsWrites = true;
    expect((await world.call('PUT', `${path}/${id}`, { body: { title: 'written' } })).status).toBe(200);
    expect((await world.call('GET', health)).body.data).toMatchObject([{ objectId: id }]);
    expect(warnings.filter(({ objectId }) => objectId === id)).toEqual([
      { message: 'part of an object cannot be read', objectId: id },
    ]);
  });

  it('an exception costs no other of its series, and its last good version stays', async () => {
    const { path, health, create, email, calendarId } = await stage();
    const id = await create('series', daily);
    const inWeek = provider === 'google' ? '' : '?startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-03-08T00:00:00Z';
    const { items, value } = await world.atProvider(
      provider,
      email,
      'GET',
      `${eventsAt(calendarId)}/${id}/instances${inWeek}`,
    );
    const [odd, other] = (items ?? value).slice(1).map((instance: Json) => instance.id) as [string, string];
    await touch(email, calendarId, odd, 'odd');
    await touch(email, calendarId, other, 'other');
    expect(await days(path)).toEqual(['02 series', '03 odd', '04 other']);

    answers.byId.set(odd, (wire) => ({ ...wire, start: 7 }));
    await touch(email, calendarId, odd, 'changed');
    await touch(email, calendarId, other, 'better');
    expect(await days(path)).toEqual(['02 series', '03 odd', '04 better']);
    expect((await world.call('GET', health)).body.data).toMatchObject([{ calendarId, objectId: odd, kind: 'event' }]);

    answers.byId.clear();
    await touch(email, calendarId, odd, 'readable');
    expect(await days(path)).toEqual(['02 series', '03 readable', '04 better']);
    expect((await world.call('GET', health)).body.data).toEqual([]);
  });

  it('a calendar of the first list costs no other, and is named where it is asked for', async () => {
    const { accountId, email } = await world.connect(provider);
    const made = async (name: string) => {
      const [at, body] = provider === 'google' ? ['/calendars', { summary: name }] : ['/me/calendars', { name }];
      return (await world.atProvider(provider, email, 'POST', at as string, body)).id as string;
    };
    const [odd, good] = [await made('odd'), await made('good')];
    answers.byId.set(odd, (wire) => ({ ...wire, [provider === 'google' ? 'summary' : 'name']: {} }));
    const list = await world.call('GET', `/v1/calendars/${accountId}`);
    const ids = list.body.data.map(({ id }: Json) => id);
    expect([list.status, ids.includes(good), ids.includes(odd)]).toEqual([200, true, false]);
    const single = await world.call('GET', `/v1/calendars/${accountId}/${encodeURIComponent(odd)}`);
    expect([single.status, single.body.code]).toEqual([502, 'ProviderError']);
    expect(single.body.detail).toContain(odd);
    const listed = await world.call('GET', `/v1/endUserAccounts/${accountId}/unreadableObjects`);
    expect(listed.body.data).toMatchObject([{ objectId: odd, kind: 'calendar' }]);
  });
});
