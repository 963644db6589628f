import { createHandler } from '@kalends/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

type Method = (...parameters: unknown[]) => Promise<unknown>;

describe('a program that leaves out an id', () => {
  const caller = { applicationId: 'app_1' };
  it.each<[string, string, readonly unknown[]]>([
    ['accounts.list', 'caller', []],
    ['accounts.list', 'caller', [null, {}]],
    ['accounts.list', 'caller', ['app_1', {}]],
    ['accounts.list', 'caller.applicationId', [{}, {}]],
    ['accounts.list', 'caller.applicationId', [{ applicationId: 5 }, {}]],
    ['accounts.list', 'caller.applicationId', [{ applicationId: '' }, {}]],
    ['accounts.get', 'caller', ['acc_1']],
    ['accounts.delete', 'endUserAccountId', [caller]],
    ['events.list', 'caller', [undefined, 'acc_1', 'primary', {}]],
    ['events.list', 'endUserAccountId', [caller, undefined, 'primary', {}]],
    ['events.list', 'calendarId', [caller, 'acc_1', null, {}]],
    ['events.update', 'eventId', [caller, 'acc_1', 'primary', undefined, { title: 'x' }]],
    ['events.update', 'eventId', [caller, 'acc_1', 'primary', '', { title: 'x' }]],
    ['holds.confirm', 'holdId', [caller, 5]],
    ['bookings.get', 'caller', []],
    ['applications.get', 'applicationId', []],
    ['apiKeys.revoke', 'keyId', ['app_1', {}]],
    ['oauthClients.test', 'providerType', ['app_1']],
  ])('%s names %s in the refusal of %j', async (name, path, parameters) => {
    const [service = '', method = ''] = name.split('.');
    const work = (world.engine as unknown as Record<string, Record<string, Method>>)[service]?.[method];
    await expect(work?.(...parameters)).rejects.toMatchObject({
      name: 'KalendsError',
      code: 'InvalidRequest',
      details: [{ path }],
    });
  });
});

it.each([
  ['no application', {}],
  ['an application that is no text', { applicationId: 5 }],
  ['an empty application', { applicationId: '' }],
  ['a Response', new Response(null, { status: 401 })],
])('a request is answered 500 where authorize returns %s, and the log says so', async (_name, returned) => {
  const logged: string[] = [];
  const write = (_message: string, fields?: unknown) => void logged.push(JSON.stringify(fields));
  const logger = { debug: () => undefined, info: () => undefined, warn: write, error: write };
  const handler = createHandler(world.engine, { logger, authorize: () => returned as never });
  const answer = await handler(new Request('http://kalends.test/v1/endUserAccounts'));
  expect(answer.status).toBe(500);
  expect(logged.join()).toContain('authorize must return { applicationId }');
});
