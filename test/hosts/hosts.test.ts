import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createSandbox } from '@kalends/sandbox';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { runProgram } from '../../adapters/server/src/commands/program.ts';
import { walkAuthorization } from '../../adapters/server/src/tour/browser.ts';
import type { Json } from '../interface/world.ts';
import { freePort } from '../processes/free-port.ts';
import {
  type InstalledExample,
  type InstallOptions,
  installExample,
  type RunningExample,
  startExample,
} from './example.ts';
import runtimes from './runtimes/package.json' with { type: 'json' };
import { type StrippingProxy, startStrippingProxy } from './stripping-proxy.ts';

/*
 * Each folder of docs/examples as a newcomer uses it: installed from packed packages, type-checked, built, started, and
 * called below its prefix, and through a proxy that strips another one.
 */
interface Host extends InstallOptions {
  readonly title: string;
  readonly example: string;
  /** Whether the host calls the handler with the whole path, so that a proxy may strip the mount's prefix as well. */
  readonly takesWholePath?: boolean;
  /** @default npm start */
  readonly start?: (port: number) => readonly [string, ...string[]];
}

const bin = 'node_modules/.bin';

const HOSTS: readonly Host[] = [
  { title: 'Express 5', example: 'express' },
  { title: 'Express 4', example: 'express', versions: { express: '4.22.3', '@types/express': '4.17.25' } },
  { title: 'Fastify 5', example: 'fastify' },
  { title: 'Hono', example: 'hono' },
  { title: 'Next.js', example: 'next' },
  { title: 'SvelteKit', example: 'sveltekit' },
  { title: 'node:http', example: 'node-http', takesWholePath: true },
  { title: 'Request to Response', example: 'fetch', takesWholePath: true },
  {
    title: 'Request to Response, in Bun',
    example: 'fetch',
    versions: { bun: runtimes.dependencies.bun },
    checksTypes: false,
    takesWholePath: true,
    start: () => [`${bin}/bun`, 'app.js'],
  },
  {
    title: 'Request to Response, in Deno',
    example: 'fetch',
    versions: { deno: runtimes.dependencies.deno },
    checksTypes: false,
    takesWholePath: true,
    start: (port) => [`${bin}/deno`, 'serve', '--allow-all', `--port=${port}`, 'deno.js'],
  },
];

const sandbox = createSandbox({ seed: 7 });
let sandboxUrl: string;
beforeAll(async () => {
  sandbox.google.addMailbox({ email: 'ada@gmail.example', name: 'Ada', timeZone: 'Europe/Berlin' });
  sandboxUrl = (await sandbox.listen()).url;
});
afterAll(() => sandbox.close());

describe.each(HOSTS)('$title', ({ title, example, takesWholePath = false, start, ...options }) => {
  const secret = randomBytes(32).toString('base64');
  let installed: InstalledExample;
  let running: RunningExample;
  let proxy: StrippingProxy;
  let direct: string;
  let key: string;
  const headers = () => ({ 'x-api-key': key, 'content-type': 'application/json' });

  beforeAll(async () => {
    installed = await installExample(example, inject('tarballs'), options);
    const port = await freePort();
    direct = `http://localhost:${port}`;
    proxy = await startStrippingProxy('/outer', port);
    const calendarUrl = `${proxy.url}/calendar`;
    const clientId = title.replaceAll(/\W/g, '-');
    sandbox.google.addClient({
      clientId,
      clientSecret: 'hush',
      redirectUris: [`${calendarUrl}/v1/oauth/callback/google`],
    });
    const env = {
      PORT: String(port),
      CALENDAR_URL: calendarUrl,
      SANDBOX_URL: sandboxUrl,
      CLIENT_ID: clientId,
      CLIENT_SECRET: 'hush',
      KALENDS_SECRET: secret,
    };
    running = await startExample(installed.folder, env, `${direct}/calendar/v1/openapi.json`, start?.(port));
  });
  afterAll(async () => {
    await running?.stop();
    await proxy?.close();
    installed?.remove();
  });

  it('answers below its prefix, and behind a proxy that strips another one', async () => {
    const redirect = await fetch(`${direct}/connect`, { redirect: 'manual' });
    const [, applicationId = ''] = /authorize\/(app_\w+)\//.exec(redirect.headers.get('location') ?? '') ?? [];
    key = await createKey(installed.folder, secret, applicationId);
    const bases = [`${direct}/calendar`, `${proxy.url}/calendar`, ...(takesWholePath ? [direct] : [])];
    for (const base of bases) {
      const accounts = await fetch(`${base}/v1/endUserAccounts`, { headers: headers() });
      expect([base, accounts.status, await accounts.json()]).toEqual([base, 200, { data: [], nextPageToken: null }]);
      const refused = await fetch(`${base}/v1/endUserAccounts`);
      expect([base, refused.status, refused.headers.get('content-type')]).toEqual([
        base,
        401,
        'application/problem+json',
      ]);
    }
  });

  it('connects a mailbox in the browser flow', async () => {
    const landing = `${proxy.url}/calendar/connected`;
    const { parameters } = await walkAuthorization(`${proxy.url}/connect`, landing, 'ada@gmail.example');
    const accountId = parameters.get('endUserAccountId') ?? '';
    expect(accountId).toMatch(/^acc_/);
    const connected = await fetch(`${landing}?${parameters}`);
    expect(await connected.json()).toEqual({ calendars: ['ada@gmail.example'] });
  });

  it('writes and reads events', async () => {
    const accounts: Json = await (await fetch(`${direct}/calendar/v1/endUserAccounts`, { headers: headers() })).json();
    const events = `${proxy.url}/calendar/v1/events/${accounts.data[0].id}/ada%40gmail.example`;
    const body = JSON.stringify({ title: `Größe ✓ ${title}`, start: { dateTime: '2026-03-02T09:00:00Z' } });
    const created = await fetch(events, { method: 'POST', headers: headers(), body });
    expect(created.status).toBe(201);
    const event: Json = await created.json();
    const read = await fetch(`${events}/${event.id}`, { headers: headers() });
    expect([read.status, ((await read.json()) as Json).title]).toEqual([200, `Größe ✓ ${title}`]);
    const update = await fetch(`${events}/${event.id}`, {
      method: 'PUT',
      headers: { ...headers(), 'if-match': event.etag },
      body: '{"location":"Room 4"}',
    });
    expect([update.status, ((await update.json()) as Json).location]).toEqual([200, 'Room 4']);
    expect((await fetch(`${events}/${event.id}`, { method: 'DELETE', headers: headers() })).status).toBe(200);
    expect((await fetch(`${events}/${event.id}`, { headers: headers() })).status).toBe(404);
    const head = await fetch(`${direct}/calendar/v1/openapi.json`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const tooLarge = await fetch(events, { method: 'POST', headers: headers(), body: `"${'x'.repeat(300_000)}"` });
    expect([tooLarge.status, ((await tooLarge.json()) as Json).code]).toEqual([413, 'PayloadTooLarge']);
  });

  it("hands on what is posted as text or as a form, whatever its Origin: providers' handshakes and our own page", async () => {
    const handshake = `${direct}/calendar/v1/push/google?validationToken=kalends.${'A'.repeat(22)}`;
    const answer = await fetch(handshake, { method: 'POST', headers: { 'content-type': 'text/plain' } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^kalends\.[\w-]{43}$/)]);
    for (const origin of [proxy.url, 'null']) {
      const form = await fetch(`${direct}/calendar/v1/oauth/signIn/google`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ state: 'forged' }),
      });
      expect([form.status, form.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    }
  });

  it('leaves the routes of the host to the host', async () => {
    for (const base of [direct, proxy.url]) {
      const connected = await fetch(`${base}/calendar/connected?error=access_denied`);
      expect(await connected.json()).toEqual({ error: 'access_denied' });
    }
    expect((await fetch(`${direct}/calendar/nothing`)).status).toBe(404);
    expect((await fetch(`${direct}/calendar/v1/nothing`)).status).toBe(404);
    expect((await fetch(`${direct}/nothing`)).status).toBe(404);
  });

  it('shows the docs page with its files and its document', async () => {
    for (const page of [`${direct}/calendar/docs`, `${proxy.url}/calendar/docs`]) {
      const answer = await fetch(page);
      expect(answer.status).toBe(200);
      const files = [...(await answer.text()).matchAll(/(?:src|href)="([^":]+)"/g)].map(([, file = '']) => file);
      expect(files).toHaveLength(3);
      for (const file of files) {
        const { status, headers: sent } = await fetch(new URL(file, answer.url));
        expect([file, status, sent.get('content-type')]).toEqual([file, 200, expect.stringMatching(/css|javascript/)]);
      }
      const start = new URL(files.at(-1) ?? '', answer.url);
      const [, document = ''] = /new URL\("([^"]+)"/.exec(await (await fetch(start)).text()) ?? [];
      const { openapi }: Json = await (await fetch(new URL(document, start))).json();
      expect(openapi).toBe('3.1.0');
    }
  });

  it('ends when it is told to', async () => {
    expect(await running.stop()).toBe(true);
    await expect(fetch(`${direct}/connect`)).rejects.toThrow();
  });
});

/** Creates an API key with the operator's command, on the database of the running example. */
async function createKey(folder: string, secret: string, applicationId: string): Promise<string> {
  let printed = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  });
  vi.stubEnv('KALENDS_SECRET', secret);
  const database = `sqlite:${join(folder, 'calendar.db')}`;
  const flags = ['--app', applicationId, '--name', 'test', '--expires-at', 'null', '--database', database, '--json'];
  const status = await runProgram(['key', 'create', ...flags], {
    stdin: process.stdin,
    stdout,
    stderr: process.stderr,
  });
  vi.unstubAllEnvs();
  expect([status, printed]).toEqual([0, expect.stringContaining('"key"')]);
  return JSON.parse(printed).key;
}
