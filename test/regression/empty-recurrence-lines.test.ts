import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';

/*
 * Exports of other calendars hold properties without a value, `RRULE:`. They used to be refused (FREQ is missing), and on
 * the way in from Google they made a series of one occurrence.
 */
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

  it('make no series', async () => {
    const input = { title: 'x', start, recurrence: ['RRULE:', '', 'EXDATE:'] };
    const created = body(await world.call('POST', eventsPath(account), { body: input }), 201);
    expect(created).toMatchObject({ isRecurring: false, recurrence: null });
  });

  it('are dropped beside a rule, and end a series by themselves', async () => {
    const input = { title: 'x', start, recurrence: ['RRULE:', 'RRULE:FREQ=DAILY;COUNT=3', 'RDATE:'] };
    const created = body(await world.call('POST', eventsPath(account), { body: input }), 201);
    expect(created).toMatchObject({ isRecurring: true, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
    const path = eventsPath(account, created.id);
    const changed = body(await world.call('PUT', path, { body: { recurrence: ['RRULE:'] } }));
    expect(changed).toMatchObject({ isRecurring: false, recurrence: null });
  });
});
