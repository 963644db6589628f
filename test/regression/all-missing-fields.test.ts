import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, expectProblem } from '../interface/steps.ts';
import { createWorld, type Json, type World } from '../interface/world.ts';

/*
 * All broken rules of a request's shape are told at once, but rules about several fields used to be checked on a body that is
 * well formed otherwise: a caller that added what was missing was told of the next field.
 */
let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld();
  account = await world.connect('google');
});
afterAll(() => world.close());

async function missing(method: string, path: string, input?: Json): Promise<readonly string[]> {
  const answer = await world.call(method, path, input === undefined ? {} : { body: input });
  expectProblem(answer, 400, 'InvalidRequest');
  const details: readonly Json[] = answer.body.details;
  return details
    .filter(({ message }) => message.startsWith('is required'))
    .map(({ path: field }) => field)
    .sort();
}

describe('tells all missing fields at once', () => {
  it('of an account', async () => {
    const path = '/v1/endUserAccounts';
    expect(await missing('POST', path, {})).toEqual(['email', 'providerType', 'refreshToken']);
    expect(await missing('POST', path, { refreshToken: 5, email: 'ada@x.test' })).toEqual(['providerType']);
    expect(await missing('POST', path, { credentials: {} })).not.toContain('refreshToken');
  });

  it('of a subscription', async () => {
    const path = `/v1/calendarSubscriptions/${account.accountId}`;
    expect(await missing('POST', path, {})).toEqual(['calendarId', 'webhookUrl']);
    expect(await missing('POST', path, { subscriptionType: 'calendar' })).toEqual(['webhookUrl']);
    expect(await missing('POST', path, { calendarId: 5 })).toEqual(['webhookUrl']);
  });

  it('of a hold', async () => {
    const times = ['endDateTime', 'startDateTime', 'timeZone'];
    expect(await missing('POST', '/v1/holds', {})).toEqual([...times, 'participants'].sort());
    expect(await missing('POST', '/v1/holds', { participants: [] })).toEqual(times);
  });

  it('of a list that is expanded', async () => {
    const window = ['endDateTime', 'startDateTime'];
    expect(await missing('GET', `${eventsPath(account)}?expandRecurrences=true`)).toEqual(window);
    const start = { dateTime: '2026-03-02T09:00:00Z' };
    const input = { title: 'x', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
    const { id } = body(await world.call('POST', eventsPath(account), { body: input }), 201);
    expect(await missing('GET', `${eventsPath(account, id)}/occurrences`)).toEqual(window);
  });

  it.each([['[]'], [[]], [null], [5]])('of an object: %j is none', async (input) => {
    for (const path of ['/v1/endUserAccounts', `/v1/calendarSubscriptions/${account.accountId}`, '/v1/holds']) {
      expect(await missing('POST', path, input)).toEqual([]);
    }
  });
});
