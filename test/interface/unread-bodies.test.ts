import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOUNTS, type Mounted } from './mounted.ts';
import { openConnection, type RawConnection, rawRequest } from './raw-connection.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const BODY = 'x'.repeat(300_000);
const PIECE = 'x'.repeat(4_096);
const CHUNKS = `${`1000\r\n${PIECE}\r\n`.repeat(80)}0\r\n\r\n`;

/** Requests that are answered without a look at their body. */
const requests = () => {
  const key = { 'x-api-key': world.apiKey };
  return [
    [401, 'POST', '/v1/endUserAccounts', {}],
    [404, 'DELETE', '/v1/endUserAccounts/acc_none', key],
    [405, 'PATCH', '/v1/endUserAccounts', key],
    [413, 'POST', '/v1/endUserAccounts', { ...key, 'content-type': 'application/json' }],
    [200, 'GET', '/v1/endUserAccounts', key],
  ] as const;
};

describe.each(MOUNTS)('%s', (_name, mount) => {
  let mounted: Mounted;
  beforeAll(async () => {
    mounted = await mount(world.handler);
  });
  afterAll(() => mounted.close());

  const open = () => openConnection(mounted.base);
  const target = (path: string) => `${new URL(mounted.base).pathname.replace(/\/$/, '')}${path}`;
  const next = () => rawRequest('GET', target('/v1/openapi.json'));

  /** The connection says that it ends, and ends in order. */
  async function expectEnd(connection: RawConnection) {
    expect(await connection.ended).toBe('end');
    connection.socket.destroy();
  }

  it('finds the next request behind 300 kB that were not read', async () => {
    for (const [status, method, path, headers] of requests()) {
      const connection = await open();
      const length = { 'content-length': String(BODY.length) };
      connection.write(rawRequest(method, target(path), { ...headers, ...length }, BODY) + next());
      const answer = await connection.answer();
      expect(answer.status, path).toBe(status);
      expect(answer.headers.get('connection') ?? 'keep-alive').toBe('keep-alive');
      expect((await connection.answer()).status, path).toBe(200);
      connection.socket.destroy();
    }
  });

  it('finds the next request behind a body that comes after the answer', async () => {
    const connection = await open();
    connection.write(rawRequest('POST', target('/v1/endUserAccounts'), { 'content-length': String(BODY.length) }));
    expect((await connection.answer()).status).toBe(401);
    connection.write(BODY);
    connection.write(next());
    expect((await connection.answer()).status).toBe(200);
    connection.socket.destroy();
  });

  it('waits for no body that a client offers to send', async () => {
    const connection = await open();
    const headers = { 'content-length': String(BODY.length), expect: '100-continue' };
    connection.write(rawRequest('POST', target('/v1/endUserAccounts'), headers));
    let answer = await connection.answer();
    if (answer.status === 100) answer = await connection.answer();
    expect(answer.status).toBe(401);
    connection.write(BODY + next());
    expect((await connection.answer()).status).toBe(200);
    connection.socket.destroy();
  });

  it('ends the connection in order when it is not known how much would have to be read', async () => {
    for (const [status, method, path, headers] of requests()) {
      const connection = await open();
      connection.write(rawRequest(method, target(path), { ...headers, 'transfer-encoding': 'chunked' }, CHUNKS));
      const answer = await connection.answer();
      expect(answer.status, path).toBe(status);
      expect(answer.text.length).toBe(Number(answer.headers.get('content-length')));
      if (answer.headers.get('connection') === 'close') {
        await expectEnd(connection);
        continue;
      }
      connection.write(next());
      expect((await connection.answer()).status, path).toBe(200);
      connection.socket.destroy();
    }
  });

  it('delivers the answer to a client that sends 16 MB before it reads', async () => {
    const connection = await open();
    connection.socket.pause();
    const length = 16_000_000;
    connection.write(rawRequest('POST', target('/v1/endUserAccounts'), { 'content-length': String(length) }));
    await new Promise((resolve) => connection.socket.write('x'.repeat(length), resolve));
    connection.socket.resume();
    const answer = await connection.answer();
    expect(answer.status).toBe(401);
    expect(answer.headers.get('connection')).toBe('close');
    await expectEnd(connection);
  });

  it('takes nothing behind a body that ends the connection for a request', async () => {
    const created = await world.engine.applications.create({ name: 'Pipelined', redirectUrls: [] });
    const { key } = await world.engine.apiKeys.create(created.id, { name: 'Key', expiresAt: null });
    const connection = await open();
    const body = JSON.stringify({ webhookUrl: 'https://receiver.test/' });
    const second = rawRequest(
      'POST',
      target('/v1/webhookEndpoints'),
      { 'x-api-key': key, 'content-type': 'application/json', 'content-length': String(body.length) },
      body,
    );
    const first = rawRequest('POST', target('/v1/endUserAccounts'), { 'content-length': '2000000' }, 'x'.repeat(2e6));
    connection.write(first + second);
    expect((await connection.answer()).headers.get('connection')).toBe('close');
    await expectEnd(connection);
    const { data } = await world.engine.webhookEndpoints.list({ applicationId: created.id }, {});
    expect(data).toEqual([]);
  });
});
