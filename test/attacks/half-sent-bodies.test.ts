import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createLogger } from '../../adapters/server/src/logger.ts';
import { startServer } from '../../adapters/server/src/serve/server.ts';
import { readSettings } from '../../adapters/server/src/settings.ts';
import { openConnection, rawRequest } from '../interface/raw-connection.ts';

const CONNECTIONS = 600;
const TIMEOUT_MS = 2_000;
/** Allowance for a busy machine. The connections were open for more than a minute before there was a limit. */
const PATIENCE_MS = 20_000;

const folder = mkdtempSync(join(tmpdir(), 'kalends-half-sent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('closes 600 half-sent bodies in bounded time, and answers others meanwhile', { timeout: 120_000 }, async () => {
  const { settings } = readSettings([], {
    KALENDS_DATABASE_URL: `sqlite:${join(folder, 'kalends.db')}`,
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_PORT: '0',
    KALENDS_HOST: '127.0.0.1',
    KALENDS_REQUEST_TIMEOUT_MS: String(TIMEOUT_MS),
    KALENDS_LAME_DUCK_MS: '0',
  });
  const server = await startServer('start', settings, createLogger('silent'));
  const url = `http://127.0.0.1:${server.port}`;
  const paths = ['/api/v1/push/provider_b', '/api/v1/endUserAccounts', '/api/v1/nothing'];
  const startedAt = performance.now();
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const connection = await openConnection(url);
      const headers = { 'content-length': '200000' };
      connection.write(rawRequest('POST', paths[index % paths.length] ?? '', headers, 'x'.repeat(100_000)));
      return connection;
    }),
  );
  let open = CONNECTIONS;
  const allEnded = Promise.all(
    connections.map(async ({ ended, socket }) => {
      await ended;
      open -= 1;
      socket.destroy();
    }),
  );
  let honest = 0;
  while (open > 0 && performance.now() - startedAt < TIMEOUT_MS + PATIENCE_MS) {
    expect(await statusOf(`${url}/api/v1/openapi.json`)).toBe(200);
    honest += 1;
  }
  expect(open).toBe(0);
  expect(honest).toBeGreaterThan(10);
  await allEnded;
  await server.stop();
});

/** Asks from an address of its own: the attacker's is refused for its failures. */
async function statusOf(url: string): Promise<number | undefined> {
  const [answer] = (await once(get(url, { localAddress: '127.0.0.2' }), 'response')) as [IncomingMessage];
  await answer.resume().toArray();
  return answer.statusCode;
}
