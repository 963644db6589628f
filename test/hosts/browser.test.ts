import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createWorld, type World } from '../interface/world.ts';
import { freePort } from '../processes/free-port.ts';
import { type InstalledExample, installExample, type RunningExample, startExample } from './example.ts';

/* The page of docs/examples/browser: built for browsers, and served at the origin of the interface. */
let world: World;
let installed: InstalledExample;
let running: RunningExample;
let page: string;
const host = createServer((request, response) => listener(request, response));
let listener: ReturnType<typeof nodeListener>;

beforeAll(async () => {
  world = await createWorld();
  listener = nodeListener(createHandler(world.engine, { basePath: '/calendar' }));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  installed = await installExample('browser', inject('tarballs'));
  const port = String(await freePort());
  page = `http://127.0.0.1:${port}/`;
  const hostUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  running = await startExample(installed.folder, { PORT: port, HOST_URL: hostUrl }, page);
});
afterAll(async () => {
  await running?.stop();
  installed?.remove();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
  await world.close();
});

it('is served with its script, which imports nothing more', async () => {
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await (await fetch(page)).text()) ?? [];
  const answer = await fetch(new URL(script, page));
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/javascript']);
  expect(await answer.text()).not.toMatch(/\bimport\b[^;]*\bfrom\b|\brequire\(/);
});

it('reaches the interface at its own origin', async () => {
  const accounts = new URL('calendar/v1/endUserAccounts', page);
  const answer = await fetch(accounts, { headers: { 'x-api-key': world.apiKey } });
  expect([answer.status, await answer.json()]).toEqual([200, { data: [], nextPageToken: null }]);
  expect((await fetch(accounts)).status).toBe(401);
});
