import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger, Telemetry } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { basicProvider, openCalendarServer } from '../accounts/calendar-server.ts';
import { createWorld, PROVIDERS, type World } from './world.ts';

const UNPACED = { callsPerInterval: Number.POSITIVE_INFINITY };
const ENGINE_SECRET = Buffer.alloc(32, 'planted!').toString('base64');
/** Members of forms, bodies and answers that hold secrets, of OAuth and of push channels. */
const SECRET_MEMBERS = [
  'access_token',
  'refresh_token',
  'id_token',
  'code',
  'code_verifier',
  'client_secret',
  'token',
  'clientState',
];

/** Notes every secret that passes between the engine and the providers, in any direction. */
function wiretap(secrets: Set<string>) {
  const note = (text: string) => {
    const form = Object.fromEntries(new URLSearchParams(text));
    const json: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    for (const members of [form, json] as Record<string, unknown>[]) {
      for (const name of SECRET_MEMBERS) {
        const value = members[name];
        if (typeof value === 'string' && value.length >= 12) secrets.add(value);
      }
    }
  };
  return async (request: Request, send: (request: Request) => Promise<Response>) => {
    note(await request.clone().text());
    const bearer = request.headers.get('authorization')?.slice('Bearer '.length);
    if (bearer !== undefined) secrets.add(bearer);
    const response = await send(request);
    note(await response.clone().text());
    return response;
  };
}

/** The forms in which a secret would be found again: as it is, escaped, and encoded. */
function disguises(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const encoded = (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding));
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...encoded];
}

it('finds no planted secret in logs, traces, metrics, error answers and the bytes of the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-planted-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const secrets = new Set<string>([ENGINE_SECRET]);
  const told: string[] = [];
  const errors: string[] = [];

  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  onTestFinished(() => trace.disable());
  const write = (message: string, fields?: unknown) => void told.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const measure = (name: string, labels: object) => void told.push(`${name} ${JSON.stringify(labels)}`);
  const telemetry: Telemetry = { count: measure, observe: measure };

  let world: World | undefined;
  let echoes = false;
  const tapped = wiretap(secrets);
  const network = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    tapped(new Request(input, init), async (request) => {
      if (!echoes) return world?.sandbox.fetch(request) ?? Response.error();
      // A provider, or a proxy before it, that repeats what it was sent.
      const sent = `${request.headers.get('authorization')} ${await request.text()}`;
      const body = { error: { code: 'odd', message: sent }, error_description: sent };
      return Response.json(body, { status: 400 });
    });
  world = await createWorld({
    storage: sqlite({ path: join(folder, 'kalends.db') }),
    secret: ENGINE_SECRET,
    logger,
    telemetry,
    providers: {
      PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch: network, limits: UNPACED }),
      PROVIDER_B: microsoft({
        ...microsoftEndpoints('http://sandbox.test/microsoft'),
        fetch: network,
        limits: UNPACED,
      }),
      DAV: basicProvider(),
    },
  });
  const opened = world;
  onTestFinished(() => opened.close());
  const handler = createHandler(opened.engine, { logger, telemetry });

  async function send(path: string, init: RequestInit & { readonly key?: string | null } = {}): Promise<Response> {
    const { key = opened.apiKey, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (key !== null) headers.set('x-api-key', key);
    if (rest.body !== undefined) headers.set('content-type', 'application/json');
    const response = await handler(new Request(`http://kalends.test${path}`, { ...rest, headers }));
    if (response.status >= 400) errors.push(`${[...response.headers].join()} ${await response.clone().text()}`);
    return response;
  }
  const post = (path: string, body: object) => send(path, { method: 'POST', body: JSON.stringify(body) });

  secrets.add(opened.apiKey);
  for (let count = 0; count < 10; count += 1) {
    const { key } = await opened.engine.apiKeys.create(opened.applicationId, { name: `k${count}`, expiresAt: null });
    secrets.add(key);
    expect((await send('/v1/endUserAccounts', { key })).status).toBe(200);
  }
  for (const { provider, providerType } of PROVIDERS) {
    for (let count = 0; count < 2; count += 1) {
      const email = `person${count}@${provider}.example`;
      const { accountId, calendarId } = await opened.connect(provider, email);
      expect((await send(`/v1/endUserAccounts/${accountId}/credentials`)).status).toBe(200);
      const webhookUrl = `https://127.0.0.1/hook${count}`;
      for (const [path, body] of [
        [`/v1/calendarSubscriptions/${accountId}`, { calendarId, webhookUrl }],
        ['/v1/webhookEndpoints', { webhookUrl }],
      ] as const) {
        const made = JSON.stringify(await (await post(path, body)).json());
        const [, secret = ''] = /"(whsec_[^"]+)"/.exec(made) ?? [];
        expect(secret, made).not.toBe('');
        secrets.add(secret);
      }

      echoes = true;
      const refreshToken = opened.refreshToken(provider, email);
      secrets.add(refreshToken);
      expect((await post('/v1/endUserAccounts', { email, providerType, refreshToken })).status).toBeGreaterThan(399);
      expect((await post(`/v1/calendars/${accountId}`, { name: 'New' })).status).toBeGreaterThan(399);
      echoes = false;

      // A flow that the provider refuses, and another whose answer comes twice.
      const clientSecret = `planted-client-secret-${provider}-${count}`;
      secrets.add(clientSecret);
      const path = providerType.toLowerCase();
      const begun = await send(`/v1/oauth/authorize/${opened.applicationId}/${path}`, { key: null });
      const cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
      const code = `planted-code-${provider}-${count}`;
      for (const secret of [state, code, cookie.split('=')[1] ?? '']) secrets.add(secret);
      const back = `/v1/oauth/callback/${path}?${new URLSearchParams({ state, code })}`;
      expect((await send(back, { key: null, headers: { cookie } })).status).toBe(302);
      expect((await send(back, { key: null, headers: { cookie, accept: 'text/html' } })).status).toBe(400);
      await opened.engine.oauthClients.set(opened.applicationId, providerType, { clientId: 'client', clientSecret });
      expect((await post('/v1/endUserAccounts', { email, providerType, refreshToken })).status).toBeGreaterThan(399);
      const client = { clientId: 'client', clientSecret: 'client-secret' };
      await opened.engine.oauthClients.set(opened.applicationId, providerType, client);

      // Tokens where they do not belong.
      const stray = `planted-stray-token-${provider}-${count}`;
      secrets.add(stray);
      for (const wrong of [`/v1/endUserAccounts?access_token=${stray}`, `/v1/nothing?api_key=${stray}`]) {
        expect((await send(wrong)).status).toBeGreaterThan(399);
      }
      expect((await send('/v1/endUserAccounts', { key: stray })).status).toBe(401);
      expect((await send(`/v1/endUserAccounts/${stray}/credentials`)).status).toBe(404);
      expect((await send(`/admin/v1/applications?token=${stray}`, { key: null })).status).toBe(404);
      expect((await post('/v1/endUserAccounts', { email, providerType, refreshToken: stray })).status).toBe(400);
    }
  }

  // A provider without OAuth: an app password that works, one that does not, and the page.
  const server = await openCalendarServer();
  const planted = 'planted-app-password';
  server.users.set('ada', planted);
  secrets
    .add(planted)
    .add('planted-wrong-password')
    .add(Buffer.from(`ada:${planted}`).toString('base64'));
  const signIn = { kind: 'password', serverUrl: server.url, username: 'ada', password: planted };
  const connected = await post('/v1/endUserAccounts', { providerType: 'DAV', credentials: signIn });
  const { id } = (await connected.json()) as { readonly id: string };
  expect((await send(`/v1/endUserAccounts/${id}/credentials`)).status).toBe(200);
  for (const wrong of [{ password: 'planted-wrong-password' }, { password: `${planted}\n` }, { kind: planted }]) {
    const body = { providerType: 'DAV', credentials: { ...signIn, ...wrong } };
    expect((await post('/v1/endUserAccounts', body)).status).toBe(400);
  }
  const begun = await send(`/v1/oauth/authorize/${opened.applicationId}/dav`, { key: null });
  const page = new URL(begun.headers.get('location') ?? '');
  const form = { state: page.searchParams.get('state') ?? '', ...signIn, password: 'planted-wrong-password' };
  const shown = await handler(
    new Request(`http://kalends.test/v1/oauth/signIn/dav${page.search}`, {
      method: 'POST',
      headers: { cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
      body: new URLSearchParams(form),
    }),
  );
  expect(shown.status).toBe(400);
  const html = await shown.text();
  expect(html).toContain('This did not work');
  // The state is the page's own, and opens nothing without the cookie.
  errors.push(html.replaceAll(form.state, ''));
  server.users.delete('ada');
  expect((await post(`/v1/calendars/${id}`, { name: 'New' })).status).toBeGreaterThan(399);

  expect(secrets.size).toBeGreaterThan(60);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const places = {
    logs: Buffer.from(told.join('\n')),
    traces: Buffer.from(
      JSON.stringify(
        exporter.getFinishedSpans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
      ),
    ),
    errors: Buffer.from(errors.join('\n')),
    database: Buffer.concat(files),
  };
  const WATCHED = {
    logs: 'kalends_http_request_duration_seconds',
    traces: 'kalends.accounts.upsert',
    errors: 'InvalidRefreshToken',
    database: 'person0@google.example',
  };
  for (const [place, bytes] of Object.entries(places)) {
    // The place was watched: it has things that are no secrets.
    expect(bytes.includes(WATCHED[place as keyof typeof places]), place).toBe(true);
    for (const secret of secrets) {
      for (const form of disguises(secret)) expect(bytes.includes(form), `${form} in ${place}`).toBe(false);
    }
  }
  expect(told.length).toBeGreaterThan(100);
});
