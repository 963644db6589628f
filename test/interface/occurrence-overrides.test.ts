import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type ProviderName, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

type Fields = Readonly<Record<string, Json>>;

/** Writable fields with one value for the occurrence and another one for its series. */
interface Case {
  readonly name: string;
  readonly own: Fields;
  readonly later: Fields;
  readonly only?: ProviderName;
  /** The provider that takes it for an occurrence; it is a change of the series at both. */
  readonly ownOnly?: ProviderName;
}

const popup = (...minutes: readonly number[]) => ({
  useDefault: false,
  isReminderOn: true,
  overrides: minutes.map((number) => ({ method: 'popup', minutes: number })),
});

const CASES: readonly Case[] = [
  { name: 'title', own: { title: 'Mine' }, later: { title: 'Theirs' } },
  { name: 'description', own: { description: 'My text' }, later: { description: 'Their\r\ntext ' } },
  { name: 'location', own: { location: 'Here' }, later: { location: 'There' } },
  { name: 'colorId', own: { colorId: '2' }, later: { colorId: '3' } },
  { name: 'customColor', own: { customColor: '#111111' }, later: { customColor: '#222222' } },
  {
    name: 'visibility: public',
    own: { visibility: 'public' },
    later: { visibility: 'private' },
    ownOnly: 'microsoft',
  },
  {
    name: 'visibility: private',
    own: { visibility: 'private' },
    later: { visibility: 'public' },
    ownOnly: 'microsoft',
  },
  { name: 'transparency', own: { transparency: 'transparent' }, later: { transparency: 'transparent' } },
  { name: 'eventType', own: { eventType: 'outOfOffice' }, later: { eventType: 'outOfOffice' }, only: 'microsoft' },
  { name: 'status', own: { status: 'tentative' }, later: { status: 'tentative' } },
  {
    name: 'guestsCanSeeOtherGuests',
    own: { guestsCanSeeOtherGuests: false },
    later: { guestsCanSeeOtherGuests: false },
  },
  { name: 'categories', own: { categories: ['Own'] }, later: { categories: ['Later'] }, only: 'microsoft' },
  { name: 'reminders', own: { reminders: popup(5) }, later: { reminders: popup(7) } },
  { name: 'several reminders', own: { reminders: popup(15, 30) }, later: { reminders: popup(20, 60) } },
  {
    name: 'attendees',
    own: { attendees: [{ email: 'ann@else.example' }] },
    later: { attendees: [{ email: 'bob@else.example' }] },
  },
  {
    name: 'public property',
    own: { publicExtendedProperties: { base: 'own', mine: 'own' } },
    later: { publicExtendedProperties: { base: 'later', other: 'later' } },
  },
  {
    name: 'private property',
    own: { privateExtendedProperties: { base: 'own', mine: 'own' } },
    later: { privateExtendedProperties: { base: 'later', other: 'later' } },
  },
  {
    name: 'public property removed',
    own: { publicExtendedProperties: { gone: null } },
    later: { publicExtendedProperties: { left: null } },
  },
  {
    name: 'private property removed',
    own: { privateExtendedProperties: { gone: null } },
    later: { privateExtendedProperties: { left: null } },
  },
  {
    name: 'public properties cleared',
    own: { publicExtendedProperties: null },
    later: { publicExtendedProperties: { gone: 'again' } },
  },
  {
    name: 'private properties cleared',
    own: { privateExtendedProperties: null },
    later: { privateExtendedProperties: { gone: 'again' } },
  },
  {
    name: 'times',
    own: { start: { dateTime: '2027-05-05T10:00:00+02:00' }, end: { dateTime: '2027-05-05T12:30:00+02:00' } },
    later: {},
  },
];

const MAPS = ['publicExtendedProperties', 'privateExtendedProperties'];
const SHOWN = [
  'title',
  'description',
  'location',
  'colorId',
  'customColor',
  'visibility',
  'transparency',
  'eventType',
  'reminders',
  'attendees',
  'status',
  'guestsCanSeeOtherGuests',
  'categories',
  ...MAPS,
];

/** The expected occurrence: its own fields and keys as it showed them, the series' in everything else. */
function expected(shown: Json, own: Fields, atFirst: Json, series: Json): Fields {
  const entries = SHOWN.map((field): [string, Json] => {
    if (!(field in own)) return [field, series[field]];
    if (!MAPS.includes(field)) return [field, shown[field]];
    const keys = Object.keys(own[field] ?? atFirst[field]);
    const map = Object.fromEntries(Object.entries(series[field]).filter(([key]) => !keys.includes(key)));
    for (const key of keys) if (key in shown[field]) map[key] = shown[field][key];
    return [field, map];
  });
  return Object.fromEntries(entries);
}

function shownFields(event: Json): Fields {
  return Object.fromEntries(SHOWN.map((field) => [field, event[field]]));
}

describe.each(PROVIDERS)('a changed occurrence of $providerType', ({ provider }) => {
  const cases = CASES.filter(({ only }) => only === undefined || only === provider);
  // One for each test: they ask more in a minute than a provider allows for one user.
  let at: Connected;
  beforeEach(async () => {
    at = await world.connect(provider);
  });
  const call = async (method: string, id?: string, sent?: unknown, status = 200) =>
    body(await world.call(method, eventsPath(at, id), sent === undefined ? {} : { body: sent }), status);

  async function newSeries(): Promise<Json> {
    const properties = { base: 'base', gone: 'base', left: 'base' };
    const sent = {
      title: 'Series',
      description: 'Text',
      start: { dateTime: '2027-05-03T09:00:00', timeZone: 'Europe/Berlin' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      publicExtendedProperties: properties,
      privateExtendedProperties: properties,
    };
    return call('POST', undefined, sent, 201);
  }

  const ofOccurrences = cases.filter(({ ownOnly }) => ownOnly === undefined || ownOnly === provider);
  it.each(ofOccurrences)('overrides $name alone, and follows its series in everything else', async ({ name, own }) => {
    const first = await newSeries();
    const id = `${first.id}_20270505T070000Z`;
    const shown = await call('PUT', id, own);
    expect(shownFields(shown)).toEqual(expected(shown, own, first, first));
    const begin = cases.findIndex((other) => other.name === name);
    const order = [...cases.slice(begin + 1), ...cases.slice(0, begin), ...cases.slice(begin, begin + 1)];
    const wrong: unknown[] = [];
    const check = async (what: string, occurrenceId: string) => {
      const [series, now] = [await call('GET', first.id), await call('GET', occurrenceId)];
      const wanted = expected(shown, own, first, series);
      for (const field of SHOWN) {
        const [is, wants] = [JSON.stringify(sorted(now[field])), JSON.stringify(sorted(wanted[field]))];
        if (is !== wants) wrong.push(`after ${what} of the series: ${field} is ${is}, not ${wants}`);
      }
      if ('start' in own) expect([now.start, now.end]).toEqual([shown.start, shown.end]);
    };
    for (const later of order) {
      // Where a provider compares values, an occurrence that says what its series says has nothing of its own.
      if (Object.entries(later.later).some(([field, value]) => !MAPS.includes(field) && own[field] === value)) continue;
      if (Object.keys(later.later).length > 0) await call('PUT', first.id, later.later);
      await check(later.name, id);
    }
    expect(wrong).toEqual([]);
    const times = { start: { dateTime: '2027-05-03T08:30:00+02:00' }, end: { dateTime: '2027-05-03T09:30:00+02:00' } };
    await call('PUT', first.id, times);
    await check('times', `${first.id}_20270505T063000Z`);
    await call('PUT', first.id, { colorId: '5', customColor: '#333333', publicExtendedProperties: { base: 'last' } });
    await check('colors', `${first.id}_20270505T063000Z`);
    expect(wrong).toEqual([]);
  });

  it.each<Fields>([
    {},
    { title: 'Back' },
    { privateExtendedProperties: { left: 'back' } },
    { customColor: '#333333' },
  ])('that was cancelled comes back with %j of its own alone', async (back) => {
    const first = await newSeries();
    const id = `${first.id}_20270505T070000Z`;
    const own = { customColor: '#111111', privateExtendedProperties: { base: 'own', gone: null, left: 'own' } };
    await call('PUT', id, { title: 'Mine', publicExtendedProperties: { base: 'own' }, ...own });
    await call('DELETE', id);
    const shown = await call('PUT', id, { isCancelled: false, ...back });
    expect(shownFields(shown)).toEqual(expected(shown, back, first, first));
    expect(shown).toMatchObject(back);
    const properties = { base: 'later', gone: 'later', left: 'later' };
    const later = { title: 'Later', customColor: '#222222', privateExtendedProperties: properties };
    await call('PUT', first.id, { ...later, publicExtendedProperties: properties });
    const series = await call('GET', first.id);
    expect(shownFields(await call('GET', id))).toEqual(expected(shown, back, first, series));
  });

  function sorted(value: Json): Json {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  }
});
