import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { calendarEvent } from './shapes.ts';
import { body, type Connected, eventsPath, expectProblem, query, readAll } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock });
});
afterAll(() => world.close());

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

const MARCH = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
const EXPANDED = { ...MARCH, expandRecurrences: true };

describe.each(PROVIDERS)('event lists of $providerType', ({ provider }) => {
  let account: Connected;
  const ids: Record<string, string> = {};

  const list = (parameters: Parameters = {}) =>
    world.call('GET', `${eventsPath(account)}${query({ limit: 1000, ...parameters })}`);
  const namesOf = (data: readonly Json[]) => data.map(({ title }) => title).sort();
  const titles = async (parameters: Parameters = {}) => namesOf(body(await list(parameters)).data);

  beforeAll(async () => {
    account = await world.connect(provider);
    const create = async (title: string, fields: Readonly<Record<string, unknown>>) => {
      const sent = { title, ...fields };
      ids[title] = body(await world.call('POST', eventsPath(account), { body: sent }), 201).id;
    };
    const at = (dateTime: string) => ({ dateTime, timeZone: 'Europe/Berlin' });
    await create('Dentist', {
      start: at('2026-03-10T09:00:00'),
      end: at('2026-03-10T10:00:00'),
      publicExtendedProperties: { project: 'health' },
      privateExtendedProperties: { shade: 'red' },
    });
    await create('Über alles 100%', { start: at('2026-03-05T12:00:00'), end: at('2026-03-05T13:00:00') });
    await create('Holiday', { isAllDay: true, start: { dateTime: '2026-03-20' }, end: { dateTime: '2026-03-21' } });
    await create('April', { start: at('2026-04-10T09:00:00'), privateExtendedProperties: { project: 'health' } });
    await create('Long', { start: at('2026-02-27T09:00:00'), end: at('2026-03-02T09:00:00') });
    await create('Series', {
      start: at('2026-03-02T15:00:00'),
      end: at('2026-03-02T16:00:00'),
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
    });
    ids['moved'] = `${ids['Series']}_20260309T140000Z`;
    ids['cancelled'] = `${ids['Series']}_20260316T140000Z`;
    const moved = { title: 'Moved', start: at('2026-03-11T08:00:00'), end: at('2026-03-11T09:00:00') };
    body(await world.call('PUT', eventsPath(account, ids['moved']), { body: moved }));
    body(await world.call('DELETE', eventsPath(account, ids['cancelled'])));
  });

  describe('without expansion', () => {
    it('holds single events, masters, exceptions and cancelled occurrences', async () => {
      const { data } = body(await list());
      expect(namesOf(data)).toEqual(
        ['April', 'Dentist', 'Holiday', 'Long', 'Moved', 'Series', 'Series', 'Über alles 100%'].sort(),
      );
      for (const event of data) expect(calendarEvent(event)).toBeUndefined();
      const by = (id: string | undefined) => data.find((event: Json) => event.id === id);
      expect(by(ids['Series'])).toMatchObject({
        isRecurring: true,
        isException: false,
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
      });
      expect(by(ids['moved'])).toMatchObject({
        isException: true,
        isCancelled: false,
        recurringEventId: ids['Series'],
        recurrence: null,
        originalStart: { dateTime: '2026-03-09T15:00:00+01:00', timeZone: 'Europe/Berlin' },
      });
      expect(by(ids['cancelled'])).toMatchObject({ isCancelled: true, recurringEventId: ids['Series'] });
      expect(by(ids['cancelled'])).not.toHaveProperty('isDeleted');
    });

    it('isCancelled: false leaves the cancelled out, true adds them', async () => {
      expect(await titles({ isCancelled: false })).toHaveLength(7);
      expect(await titles({ isCancelled: true })).toHaveLength(8);
    });

    it('says how old it is', async () => {
      const syncedAt = Date.parse((await list()).headers.get('x-kalends-synced-at') ?? '');
      expect(Math.abs(clock.now() - syncedAt)).toBeLessThan(120_000);
    });

    it.each([
      ['what lies within', MARCH, ['Dentist', 'Holiday', 'Moved', 'Series', 'Series', 'Über alles 100%']],
      ['start alone', { startDateTime: '2026-04-01T00:00:00Z' }, ['April']],
      ['end alone', { endDateTime: '2026-03-03T00:00:00Z' }, ['Long', 'Series']],
      [
        'both ends included',
        { startDateTime: '2026-03-10T08:00:00Z', endDateTime: '2026-03-10T09:00:00Z' },
        ['Dentist'],
      ],
      [
        'a second less at the start',
        { startDateTime: '2026-03-10T08:00:01Z', endDateTime: '2026-03-10T09:00:00Z' },
        [],
      ],
      ['a second less at the end', { startDateTime: '2026-03-10T08:00:00Z', endDateTime: '2026-03-10T08:59:59Z' }, []],
      [
        'in the zone of the query',
        { startDateTime: '2026-03-10T17:00:00', endDateTime: '2026-03-10T18:00:00', timeZone: 'Asia/Tokyo' },
        ['Dentist'],
      ],
      [
        'in the zone of the calendar',
        { startDateTime: '2026-03-10T09:00:00', endDateTime: '2026-03-10T10:00:00' },
        ['Dentist'],
      ],
      ['a plain day of the calendar', { startDateTime: '2026-03-20', endDateTime: '2026-03-21' }, ['Holiday']],
      ['search, any case, in the middle', { search: 'ENTI' }, ['Dentist']],
      ['search of more than ASCII', { search: 'über' }, ['Über alles 100%']],
      ['search without wildcards', { search: '%' }, ['Über alles 100%']],
      ['search without wildcards', { search: '_' }, []],
      ['metadata of either kind', { metadataFilters: '{"project":"health"}' }, ['April', 'Dentist']],
      ['every pair of metadata', { metadataFilters: '{"project":"health","shade":"red"}' }, ['Dentist']],
      ['equal metadata, not similar', { metadataFilters: '{"project":"Health"}' }, []],
      ['all-day', { isAllDay: true }, ['Holiday']],
      ['not all-day', { isAllDay: false, ...MARCH, search: 'd' }, ['Dentist', 'Moved']],
      ['updated after tomorrow', { updatedAfter: '2999-01-01T00:00:00Z' }, []],
      ['updated after long ago', { updatedAfter: '2000-01-01T00:00:00Z', search: 'dent' }, ['Dentist']],
    ])('%s: %j', async (_rule, parameters, expected) => {
      expect(await titles(parameters)).toEqual([...expected].sort());
    });
  });

  describe('with expansion', () => {
    it('holds single events and occurrences, without the cancelled', async () => {
      const { data } = body(await list(EXPANDED));
      expect(namesOf(data)).toEqual(['Dentist', 'Holiday', 'Moved', 'Series', 'Series', 'Über alles 100%'].sort());
      for (const event of data) expect(calendarEvent(event)).toBeUndefined();
      const occurrences = data.filter(({ recurringEventId }: Json) => recurringEventId === ids['Series']);
      expect(occurrences).toHaveLength(3);
      for (const occurrence of occurrences) {
        expect(occurrence).toMatchObject({ isException: true, isCancelled: false, recurrence: null });
      }
      const first = occurrences.find(({ id }: Json) => id === `${ids['Series']}_20260302T140000Z`);
      expect(first.start).toEqual({ dateTime: '2026-03-02T15:00:00+01:00', timeZone: 'Europe/Berlin' });
      // The clocks change on the 29th; the id is the original start in UTC.
      expect(await titles({ ...EXPANDED, startDateTime: '2026-03-23T00:00:00Z', search: 'series' })).toEqual([
        'Series',
      ]);
      expect(body(await world.call('GET', eventsPath(account, first.id)))).toEqual(first);
    });

    it('isCancelled: true includes the cancelled occurrence', async () => {
      const { data } = body(await list({ ...EXPANDED, isCancelled: true }));
      expect(data.find(({ id }: Json) => id === ids['cancelled'])).toMatchObject({ isCancelled: true });
      expect(body(await list({ ...EXPANDED, isCancelled: false })).data).toHaveLength(6);
    });

    it.each(['startDateTime', 'updatedDateTime'])('is ordered by %s', async (orderBy) => {
      const { data } = body(await list({ ...EXPANDED, orderBy }));
      const keys = data.map((event: Json) =>
        orderBy === 'updatedDateTime'
          ? Date.parse(event.updatedAt)
          : Date.parse(event.isAllDay ? `${event.start.dateTime}+01:00` : event.start.dateTime),
      );
      expect(keys).toEqual([...keys].sort((a, b) => a - b));
      const paged = await readAll(world, eventsPath(account), { ...EXPANDED, orderBy, limit: 2 });
      expect(paged.data).toEqual(data);
    });

    it('shows times in the zone asked for, Windows names included', async () => {
      const shown = body(await list({ ...EXPANDED, search: 'dent', timeZone: 'Tokyo Standard Time' })).data[0];
      expect(shown.start).toEqual({ dateTime: '2026-03-10T17:00:00+09:00', timeZone: 'Asia/Tokyo' });
      const [holiday] = body(await list({ ...EXPANDED, isAllDay: true, timeZone: 'Asia/Tokyo' })).data;
      expect(holiday.start.dateTime).toBe('2026-03-20T00:00:00');
    });

    it.each([
      ['search', { search: 'moved' }, ['Moved']],
      ['search of the series leaves out its renamed occurrence', { search: 'series' }, ['Series', 'Series']],
      ['metadata', { metadataFilters: '{"shade":"red"}' }, ['Dentist']],
      [
        'a window of one occurrence',
        { startDateTime: '2026-03-11T07:00:00Z', endDateTime: '2026-03-11T08:00:00Z' },
        ['Moved'],
      ],
    ])('%s: %j', async (_rule, parameters, expected) => {
      expect(await titles({ ...EXPANDED, ...parameters })).toEqual(expected);
    });
  });

  describe('occurrences of one event', () => {
    const occurrences = (id: string | undefined, parameters: Parameters = MARCH) =>
      world.call('GET', `${eventsPath(account, id ?? '')}/occurrences${query(parameters)}`);

    it('are those of the expanded list', async () => {
      const page = body(await occurrences(ids['Series']));
      expect(Object.keys(page).sort()).toEqual(['data', 'nextSyncToken', 'revision']);
      const expanded = body(await list(EXPANDED)).data.filter(
        ({ recurringEventId }: Json) => recurringEventId === ids['Series'],
      );
      const sorted = (data: Json[]) => [...data].sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(sorted(page.data)).toEqual(sorted(expanded));
    });

    it('take order, search, zone and pages', async () => {
      const ordered = body(await occurrences(ids['Series'], { ...MARCH, orderBy: 'startDateTime', timeZone: 'UTC' }));
      expect(ordered.data.map(({ start }: Json) => start.dateTime.slice(0, 16))).toEqual([
        '2026-03-02T14:00',
        '2026-03-11T07:00',
        '2026-03-23T14:00',
      ]);
      expect(body(await occurrences(ids['Series'], { ...MARCH, search: 'moved' })).data).toHaveLength(1);
      const paged = await readAll(world, `${eventsPath(account, ids['Series'])}/occurrences`, { ...MARCH, limit: 1 });
      expect(paged.data).toHaveLength(3);
    });

    it.each([
      ['startDateTime', { endDateTime: MARCH.endDateTime }],
      ['endDateTime', { startDateTime: MARCH.startDateTime }],
      ['startDateTime', { ...MARCH, startDateTime: 'soon' }],
      ['orderBy', { ...MARCH, orderBy: 'title' }],
      ['endDateTime', { startDateTime: '2020-01-01T00:00:00Z', endDateTime: '2026-01-01T00:00:00Z' }],
    ])('refuse a wrong %s: %j', async (path, parameters) => {
      expectProblem(await occurrences(ids['Series'], parameters), 400, 'InvalidRequest', path);
    });

    it('404 of an unknown event', async () => {
      expectProblem(await occurrences('unknown'), 404, 'NotFound');
    });
  });

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 1001 }],
    ['limit', { limit: 'x' }],
    ['pageSize', { pageSize: 1001 }],
    ['expandRecurrences', { ...MARCH, expandRecurrences: 'yes' }],
    ['expandRecurrences', { ...MARCH, expandRecurrences: '1' }],
    ['startDateTime', { expandRecurrences: true, endDateTime: MARCH.endDateTime }],
    ['endDateTime', { expandRecurrences: true, startDateTime: MARCH.startDateTime }],
    ['startDateTime', { startDateTime: 'yesterday' }],
    ['startDateTime', { startDateTime: '' }],
    ['endDateTime', { endDateTime: '2026-02-30T00:00:00Z' }],
    ['endDateTime', { startDateTime: MARCH.endDateTime, endDateTime: MARCH.startDateTime }],
    ['endDateTime', { ...EXPANDED, endDateTime: '2031-03-07T00:00:00Z' }],
    ['timeZone', { timeZone: 'Nowhere' }],
    ['timeZone', { timeZone: '+01:00' }],
    ['orderBy', { orderBy: 'startDateTime' }],
    ['orderBy', { ...MARCH, expandRecurrences: false, orderBy: 'startDateTime' }],
    ['orderBy', { ...EXPANDED, orderBy: 'title' }],
    ['metadataFilters', { metadataFilters: 'project=health' }],
    ['metadataFilters', { metadataFilters: '[]' }],
    ['metadataFilters', { metadataFilters: '"x"' }],
    ['metadataFilters', { metadataFilters: '{"project":1}' }],
    ['isAllDay', { isAllDay: 'maybe' }],
    ['isCancelled', { isCancelled: 'TRUE' }],
    ['updatedAfter', { updatedAfter: 'never' }],
    ['singleEvents', { singleEvents: true }],
    ['__proto__', { ['__proto__']: 'x' }],
  ])('refuses a wrong %s: %j', async (path, parameters) => {
    const sent = `${eventsPath(account)}${query(parameters)}`;
    expectProblem(await world.call('GET', sent), 400, 'InvalidRequest', path);
  });

  it('refuses a parameter given twice', async () => {
    expectProblem(await world.call('GET', `${eventsPath(account)}?search=a&search=b`), 400, 'InvalidRequest', 'search');
  });

  it('a window of 1830 days is allowed', async () => {
    body(await list({ ...EXPANDED, endDateTime: '2031-03-05T00:00:00Z' }));
  });
});
