import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { MOUNTS, type Mounted } from './mounted.ts';
import { openConnection, type RawAnswer, rawRequest } from './raw-connection.ts';
import { createWorld, type World } from './world.ts';

/* Requests that frameworks and the servers under them treat in ways of their own: the interface answers, in its words. */
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe.each(MOUNTS)('%s', (_name, mount) => {
  let mounted: Mounted;
  beforeAll(async () => {
    mounted = await mount(world.handler);
  });
  afterAll(() => mounted.close());

  async function ask(request: (path: string) => string): Promise<RawAnswer> {
    const connection = await openConnection(mounted.base);
    onTestFinished(() => void connection.socket.destroy());
    connection.write(request(new URL(`${mounted.base}/v1/endUserAccounts`).pathname));
    return connection.answer();
  }

  it('answers HTTP/1.0 without Host, as health checks send it; Node refuses HTTP/1.1 without it', async () => {
    const without = (version: string) => (path: string) =>
      `GET ${path} HTTP/${version}\r\nx-api-key: ${world.apiKey}\r\n\r\n`;
    const { status, text } = await ask(without('1.0'));
    expect([status, JSON.parse(text)]).toEqual([200, { data: [], nextPageToken: null }]);
    expect((await ask(without('1.1'))).status).toBe(400);
  });

  it('refuses a Content-Type that is no media type in its own words', async () => {
    const headers = { 'x-api-key': world.apiKey, 'content-type': 'json', 'content-length': '2' };
    const { status, text } = await ask((path) => rawRequest('POST', path, headers, '{}'));
    expect([status, JSON.parse(text)]).toMatchObject([415, { code: 'UnsupportedMediaType' }]);
    const answer = await ask((path) => rawRequest('POST', path, { ...headers, 'x-api-key': 'wrong' }, '{}'));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([401, { code: 'InvalidApiKey' }]);
  });

  it('refuses a body with a Content-Encoding, and takes one that is as it is', async () => {
    const post = async (encoding: string) => {
      const headers = { 'x-api-key': world.apiKey, 'content-type': 'application/json', 'content-encoding': encoding };
      const { status, text } = await ask((path) =>
        rawRequest('POST', path, { ...headers, 'content-length': '2' }, '{}'),
      );
      return [status, JSON.parse(text).message];
    };
    expect(await post('gzip')).toEqual([415, 'the body must be sent without Content-Encoding']);
    expect(await post('Identity')).toEqual([400, expect.stringContaining('providerType')]);
  });
});
