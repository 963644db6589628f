import { authorizeByToken, createAdminHandler, createHandler } from '@kalends/http';
import { KalendsError } from 'kalends';
import { systemClock } from 'kalends/runtime';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createWorld, type World } from '../interface/world.ts';

const TOKEN = 'a-token-of-an-administrator';

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { background: false });
});
afterAll(() => world.close());

function refusalOf(create: () => unknown): KalendsError {
  try {
    create();
  } catch (error) {
    if (KalendsError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('The options were accepted.');
}

describe('the options of createHandler', () => {
  it.each([
    ['maxBodyBytes', { maxBodyBytes: '1mb' }, 'must be a whole number of bytes, from 1 on, or Infinity'],
    ['maxBodyBytes', { maxBodyBytes: -1 }, 'must be a whole number of bytes, from 1 on, or Infinity'],
    ['ratelimit', { ratelimit: { perSecond: 1, burst: 1 } }, 'is not an option; did you mean rateLimit?'],
    ['rateLimit', { rateLimit: true }, 'must be an object with perSecond and burst'],
    ['failureLimit', { failureLimit: true }, 'must be an object with perSecond and burst'],
    ['failureLimit.perSecond', { failureLimit: { perSecond: 'a', burst: 1 } }, 'must be a number above 0'],
    ['authorize', { authorize: {} }, 'must be a function'],
    ['publicUrl', { publicUrl: 'foo' }, 'must be an absolute URL'],
    ['basePath', { basePath: 5 }, 'must be a path'],
    ['trustProxy', { trustProxy: true }, 'must be a number of proxies, or a list of networks'],
    ['trustProxy', { trustProxy: [undefined] }, 'must be a number of proxies, or a list of networks'],
    ['proxyHeader', { proxyHeader: 'x-real-ip' }, 'must be "x-forwarded-for" or "forwarded"'],
    ['stopping', { stopping: true }, 'must be an AbortSignal'],
    ['logger', { logger: { error() {} } }, 'must be an object with the functions debug, info, warn, error'],
    [
      'logger',
      { logger: { ...console, bindings() {} } },
      'must take the message before the fields; wrap this one in fieldsFirst of kalends',
    ],
    ['clock', { clock: {} }, 'must be an object with the functions now, sleep'],
  ])('%s: %j is refused', (path, options, rule) => {
    const error = refusalOf(() => createHandler(world.engine, options as never));
    expect(error).toMatchObject({ code: 'InvalidRequest', details: [{ path }] });
    expect(error.message).toBe(`${path}: ${rule}`);
  });
});

it.each([
  ['no limit of bodies', { maxBodyBytes: Number.POSITIVE_INFINITY }],
  ['an unknown option that is undefined', { ratelimit: undefined }],
  ['a function with methods', { logger: Object.assign(() => undefined, console) }],
  ['a class with static methods', { clock: Object.assign(class {}, systemClock) }],
])('createHandler takes %s', (_case, options) => {
  expect(createHandler(world.engine, options as never)).toBeTypeOf('function');
});

it('createAdminHandler takes an option of createHandler alone that is undefined', () => {
  const options = { token: TOKEN, rateLimit: undefined };
  expect(createAdminHandler(world.engine, options)).toBeTypeOf('function');
});

it('authorizeByToken takes one token, and refuses what is neither a text nor a list', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect(await authorizeByToken(TOKEN)(new Request('http://calendar.test', { headers }))).toEqual({});
  expect(refusalOf(() => authorizeByToken('x')).message).toContain('must have at least 16 characters');
  expect(refusalOf(() => authorizeByToken(5 as never)).message).toContain('must be a text, or a list of texts');
});

describe('the options of createAdminHandler', () => {
  it.each([
    ['rateLimit', { token: TOKEN, rateLimit: { perSecond: 1, burst: 1 } }, 'is not an option; the options are '],
    ['token', { token: [undefined] }, 'must be a text, or a list of texts'],
    ['token', { token: 5 }, 'must be a text, or a list of texts'],
    ['authorize', { authorize: {} }, 'must be a function'],
  ])('%s: %j is refused', (path, options, rule) => {
    const error = refusalOf(() => createAdminHandler(world.engine, options as never));
    expect(error).toMatchObject({ code: 'InvalidRequest', details: [{ path }] });
    expect(error.message).toContain(`${path}: ${rule}`);
  });
});

it('answers where its logger fails', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const fail = () => {
    throw new Error('the pipe is broken');
  };
  const handler = createHandler(world.engine, { logger: { debug: fail, info: fail, warn: fail, error: fail } });
  const { status } = await handler(new Request('http://host/v1/endUserAccounts'));
  expect(status).toBe(401);
  expect(warned).toHaveBeenCalledOnce();
});
