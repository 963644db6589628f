import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Logger } from 'kalends/ports';
import { systemClock, systemRandom } from 'kalends/runtime';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createConnections } from '../src/connections.ts';

const silent = () => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const AUTHENTICATION_OK = message('R', Buffer.alloc(4));
const READY_FOR_QUERY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

test('a connection that is ended with the message that opens it ends no process', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY, SHUTTING_DOWN])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = new pg.Pool({ connectionString: `postgres://ada@127.0.0.1:${port}/none` });
  const connections = createConnections({
    pool,
    endPool: () => pool.end(),
    outageTimeoutMs: 0,
    statementTimeoutMs: 30_000,
    clock: systemClock,
    random: systemRandom,
    logger,
  });
  const client = await connections.acquire();
  const failure = await client.query('select 1').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  connections.release(client, failure);
  await connections.close();
  server.close();
});
