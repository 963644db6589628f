import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createWorld, type World } from '../interface/world.ts';
import { freePort } from '../processes/free-port.ts';
import { type InstalledExample, installExample, type RunningExample, startExample } from './example.ts';

/* docs/examples/booking: its pages and its routes. test/browser presses the buttons. */
let world: World;
let installed: InstalledExample;
let running: RunningExample;
let site: string;
const host = createServer((request, response) => listener(request, response));
let listener: ReturnType<typeof nodeListener>;

beforeAll(async () => {
  world = await createWorld();
  listener = nodeListener(createHandler(world.engine, { basePath: '/api' }));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  installed = await installExample('booking', inject('tarballs'));
  const port = String(await freePort());
  site = `http://127.0.0.1:${port}/`;
  const KALENDS_URL = `http://127.0.0.1:${(host.address() as AddressInfo).port}/api`;
  running = await startExample(installed.folder, { PORT: port, KALENDS_URL, KALENDS_API_KEY: world.apiKey }, site);
});
afterAll(async () => {
  await running?.stop();
  installed?.remove();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
  await world.close();
});

it('serves its pages with all that they import, and not the key', async () => {
  for (const page of ['', 'booking/bkg_1']) {
    const answer = await fetch(new URL(page, site));
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await answer.text()) ?? [];
    const wanted = [new URL(script, site).href];
    for (const url of wanted) {
      const module = await fetch(url);
      expect([url, module.status, module.headers.get('content-type')]).toEqual([url, 200, 'text/javascript']);
      const text = await module.text();
      expect(text).not.toContain(world.apiKey);
      for (const [, path = ''] of text.matchAll(/\bfrom ['"]([^'"]+)['"]/g)) {
        const { href } = new URL(path, url);
        if (!wanted.includes(href)) wanted.push(href);
      }
    }
    expect(wanted.length).toBeGreaterThan(3);
  }
});

it('reaches the interface, and hands on what a person can act on', async () => {
  const hosts = await fetch(new URL('api/hosts', site));
  expect([hosts.status, await hosts.json()]).toEqual([200, []]);
  const booking = await fetch(new URL('api/bookings/bkg_none', site));
  expect([booking.status, await booking.json()]).toMatchObject([404, { code: 'NotFound' }]);
  const slots = await fetch(new URL('api/slots?who=acc_other', site));
  expect([slots.status, await slots.json()]).toMatchObject([400, { code: 'InvalidRequest' }]);
});

it('ends when it is told to', async () => {
  expect(await running.stop()).toBe(true);
});
