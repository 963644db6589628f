import { createHandler } from '@kalends/http';
import type { Logger } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOUNTS, type Mounted } from './mounted.ts';
import { openConnection, type RawAnswer, rawRequest } from './raw-connection.ts';
import { type Connected, checkProblem } from './steps.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld();
  account = await world.connect('microsoft');
});
afterAll(() => world.close());

describe.each(MOUNTS)('%s', (_name, mount) => {
  let mounted: Mounted;
  let logged: [string, string, Readonly<Record<string, unknown>>][];
  let onLog: () => void;
  beforeAll(async () => {
    logged = [];
    onLog = () => {};
    const note = (level: string) => (message: string, fields?: object) => {
      logged.push([level, message, { ...fields }]);
      onLog();
    };
    const logger: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    mounted = await mount(createHandler(world.engine, { logger }));
  });
  afterAll(() => mounted.close());

  async function send(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') {
    const connection = await openConnection(mounted.base);
    const prefix = new URL(mounted.base).pathname.replace(/\/$/, '');
    const length: Record<string, string> = body === '' ? {} : { 'content-length': String(body.length) };
    connection.write(rawRequest(method, `${prefix}${path}`, { ...length, ...headers }, body));
    const answer = await connection.answer(method);
    connection.socket.destroy();
    return answer;
  }
  const withKey = (method: string, path: string) => send(method, path, { 'x-api-key': world.apiKey });

  function expectRefusal(answer: RawAnswer, status: number, code: string) {
    expect(answer.status, answer.text).toBe(status);
    const { headers } = answer;
    checkProblem({ status, headers, body: JSON.parse(answer.text) });
    expect(JSON.parse(answer.text).code).toBe(code);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }

  it.each([
    ['PATCH', '/v1/endUserAccounts', 'GET, HEAD, POST, OPTIONS'],
    ['TRACE', '/v1/endUserAccounts', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/v1/endUserAccounts/acc_1', 'GET, HEAD, DELETE, OPTIONS'],
    ['GET', '/v1/freeBusy/acc_1', 'POST, OPTIONS'],
    ['HEAD', '/v1/freeBusy/acc_1/', 'POST, OPTIONS'],
    ['POST', '/v1/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('405 with Allow for %s %s', async (method, path, allow) => {
    const answer = await send(method, path);
    expect(answer.headers.get('allow')).toBe(allow);
    if (method === 'HEAD') expect(answer.status).toBe(405);
    else expectRefusal(answer, 405, 'MethodNotAllowed');
  });

  it('tells the methods of a path to OPTIONS', async () => {
    const answer = await send('OPTIONS', '/v1/endUserAccounts');
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it('answers HEAD as GET, without the body', async () => {
    const paths = ['/v1/openapi.json', '/v1/endUserAccounts', `/v1/events/${account.accountId}/${account.calendarId}`];
    for (const path of paths) {
      const [head, get] = [await withKey('HEAD', path), await withKey('GET', path)];
      expect(head.status).toBe(200);
      for (const name of ['content-type', 'content-length']) expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect((await send('HEAD', '/v1/endUserAccounts')).status).toBe(401);
  });

  it('takes a trailing slash, and an id that ends in one', async () => {
    for (const path of ['/v1/endUserAccounts/', `/v1/endUserAccounts/${account.accountId}/`, '/v1/openapi.json/']) {
      expect((await withKey('GET', path)).status, path).toBe(200);
    }
    expectRefusal(await withKey('GET', `/v1/endUserAccounts/${account.accountId}%2F`), 404, 'NotFound');
  });

  it('refuses a raw backslash in the path', async () => {
    expectRefusal(await withKey('GET', `/v1/endUserAccounts/\\${account.accountId}`), 400, 'InvalidRequest');
  });

  it('refuses an overlong request line, overlong headers, and what is not HTTP', async () => {
    expectRefusal(await send('GET', `/v1/endUserAccounts?search=${'x'.repeat(20_000)}`), 431, 'InvalidRequest');
    expectRefusal(await send('GET', '/v1/endUserAccounts', { cookie: 'x'.repeat(20_000) }), 431, 'InvalidRequest');
    expectRefusal(await send('GET', '/v1/ endUserAccounts'), 400, 'InvalidRequest');
  });

  it('refuses an expectation that it does not know', async () => {
    expectRefusal(await send('POST', '/v1/endUserAccounts', { expect: 'foo' }, '{}'), 417, 'InvalidRequest');
  });

  it.each([
    [400, 'provider_a', ''],
    [400, 'provider_b', '{"value": 1}'],
    [413, 'provider_b', 'x'.repeat(300_000)],
  ])('%i in a problem document for a refused notification', async (status, provider, body) => {
    const code = status === 413 ? 'PayloadTooLarge' : 'InvalidRequest';
    expectRefusal(await send('POST', `/v1/push/${provider}`, {}, body), status, code);
  });

  it.each([
    ['/v1/endUserAccounts'],
    ['/v1/push/provider_b'],
  ])('an upload to %s that breaks off is no error of ours', async (path) => {
    logged.length = 0;
    const noted = new Promise<void>((resolve) => {
      onLog = () => logged.some(([, message]) => message === 'request') && resolve();
    });
    const connection = await openConnection(mounted.base);
    const headers = { 'x-api-key': world.apiKey, 'content-type': 'application/json', 'content-length': '200000' };
    const prefix = new URL(mounted.base).pathname.replace(/\/$/, '');
    connection.write(rawRequest('POST', `${prefix}${path}`, headers, 'x'.repeat(100_000)));
    await new Promise<void>((resolve) => connection.socket.write('', () => resolve()));
    connection.socket.resetAndDestroy();
    await noted;
    expect(logged.map(([level, message, fields]) => [level, message, fields['status']])).toEqual([
      ['info', 'request', 400],
    ]);
  });
});
