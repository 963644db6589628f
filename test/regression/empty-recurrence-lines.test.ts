import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';

/*
 * Exports of other calendars hold properties without a value, `RRULE:`. They used to be refused (FREQ is missing), and on
 * the way in from Google they made a series of one occurrence. In a body they are dropped beside a rule; a list of nothing
 * else used to end a series, and took its exceptions along.
 */
const DAILY = 'RRULE:FREQ=DAILY;COUNT=3';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(['google', 'microsoft'] as const)('recurrence properties without a value on %s', (provider) => {
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  let account: Connected;
  beforeAll(async () => {
    account = await world.connect(provider);
  });

  it.each([
    [['']],
    [[' ']],
    [['EXDATE:']],
    [['RRULE: ']],
    [['RRULE:', '', 'RDATE:']],
  ])('are refused alone: %j', async (recurrence) => {
    const made = body(
      await world.call('POST', eventsPath(account), { body: { title: 'x', start, recurrence: [DAILY] } }),
      201,
    );
    const created = await world.call('POST', eventsPath(account), { body: { title: 'x', start, recurrence } });
    expectProblem(created, 400, 'InvalidRequest', 'recurrence');
    const path = eventsPath(account, made.id);
    expectProblem(await world.call('PUT', path, { body: { recurrence } }), 400, 'InvalidRequest', 'recurrence');
    expect(body(await world.call('GET', path))).toMatchObject({ isRecurring: true, recurrence: [DAILY] });
  });

  it('are dropped beside a rule', async () => {
    const input = { title: 'x', start, recurrence: ['RRULE:', DAILY, 'RDATE:'] };
    const created = body(await world.call('POST', eventsPath(account), { body: input }), 201);
    expect(created).toMatchObject({ isRecurring: true, recurrence: [DAILY] });
  });

  it.each([[null], [[]]])('are not needed to end a series: %j does', async (recurrence) => {
    const made = body(
      await world.call('POST', eventsPath(account), { body: { title: 'x', start, recurrence: [DAILY] } }),
      201,
    );
    const changed = body(await world.call('PUT', eventsPath(account, made.id), { body: { recurrence } }));
    expect(changed).toMatchObject({ isRecurring: false, recurrence: null });
    const single = body(
      await world.call('POST', eventsPath(account), { body: { title: 'x', start, recurrence } }),
      201,
    );
    expect(single).toMatchObject({ isRecurring: false, recurrence: null });
  });
});
