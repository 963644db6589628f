import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from '../interface/world.ts';

/*
 * PUT merges extended properties by key, but the limit of 50 used to be counted in the body alone: an event took 50, then 50
 * others, and so on.
 */
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const FIELDS = ['publicExtendedProperties', 'privateExtendedProperties'] as const;

/** `{a0: value, a1: value, …}` */
const numbered = (prefix: string, count: number, value: string | null = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, value]));

describe.each(PROVIDERS.map(({ provider }) => provider))('more than 50 extended properties on %s', (provider) => {
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });

  const create = async (input: Json): Promise<string> =>
    eventsPath(
      account,
      body(await world.call('POST', eventsPath(account), { body: { title: 'x', start, ...input } }), 201).id,
    );

  it.each(FIELDS)('%s are counted with those that are kept', async (field) => {
    const path = await create({ [field]: numbered('a', 50) });
    expectProblem(await world.call('PUT', path, { body: { [field]: numbered('b', 1) } }), 400, 'InvalidRequest', field);
    expect(body(await world.call('GET', path))[field]).toEqual(numbered('a', 50));
    const both = { [field]: { ...numbered('a', 1, null), ...numbered('b', 1) } };
    expect(Object.keys(body(await world.call('PUT', path, { body: both }))[field])).toHaveLength(50);
    const all = { [field]: { ...numbered('a', 50, null), ...numbered('b', 50) } };
    expect(body(await world.call('PUT', path, { body: all }))[field]).toEqual(numbered('b', 50));
  });

  it.each(FIELDS)('%s are counted on an occurrence, with those of its series', async (field) => {
    const series = { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'], [field]: numbered('a', 30) };
    const path = `${await create(series)}_20260303T080000Z`;
    const refused = await world.call('PUT', path, { body: { [field]: numbered('b', 21) } });
    expectProblem(refused, 400, 'InvalidRequest', field);
    const changed = body(await world.call('PUT', path, { body: { [field]: numbered('b', 20) } }));
    expect(Object.keys(changed[field])).toHaveLength(50);
    const following = await world.call('PUT', `${path}?scope=following`, { body: { [field]: numbered('c', 21) } });
    expectProblem(following, 400, 'InvalidRequest', field);
  });

  it('are refused in a new event', async () => {
    const input = { title: 'x', start, publicExtendedProperties: numbered('a', 51) };
    const refused = await world.call('POST', eventsPath(account), { body: input });
    expectProblem(refused, 400, 'InvalidRequest', 'publicExtendedProperties');
  });
});
