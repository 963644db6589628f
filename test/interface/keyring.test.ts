import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { google } from '@kalends/google';
import { createAdminHandler, createHandler, type Handler } from '@kalends/http';
import { microsoft } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceKeyring, serviceKeyring } from '../data-keys/service-keyring.ts';
import { dice } from '../simulation/dice.ts';
import { ADMIN_TOKEN, adminOf } from './admin-world.ts';
import { filledPath, operationsIn } from './documents/operations.ts';
import { sampleOf } from './documents/sample.ts';
import { body, type Connected, calendarsPath, eventsPath, expectProblem } from './steps.ts';
import { createWorld, type Json, PROVIDERS, type World } from './world.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const START = '2026-03-02T09:00:00Z';

let folder: string;
let world: World;
/** The keyring of the world's process. */
let keyring: ServiceKeyring;
let connected: readonly Connected[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kalends-'));
  keyring = serviceKeyring('far');
  // Without a cache, so that each use of a secret is a call.
  const storage = sqlite({ path: join(folder, 'kalends.db') });
  world = await createWorld({ storage, secret: SECRET, keyring, cachedDataKeys: 0 });
  connected = [await world.connect('google'), await world.connect('microsoft')];
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

describe('requests without a key', () => {
  /** A process of its own without background work: what its keyring is asked, requests have asked. */
  async function openProcess() {
    const asked = serviceKeyring('far');
    const fetch = () => Promise.reject(new TypeError('no provider is called'));
    const engine = createEngine({
      storage: sqlite({ path: join(folder, 'kalends.db') }),
      providers: { PROVIDER_A: google({ fetch }), PROVIDER_B: microsoft({ fetch }) },
      secret: SECRET,
      publicUrl: 'http://kalends.test/api',
      keyring: asked,
      cachedDataKeys: 0,
    });
    await engine.start({ background: false });
    return { engine, asked, api: createHandler(engine), admin: createAdminHandler(engine, { token: ADMIN_TOKEN }) };
  }

  const jsonOf = async (
    handler: Handler,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Json> => (await handler(new Request(`http://kalends.test${path}`, { headers }))).json();

  it('never lead to a call of the keyring: every route of both documents, without a key and with bad ones', async () => {
    const { engine, asked, api, admin } = await openProcess();
    try {
      const [first] = connected;
      const { apiKey, key: revoked } = await engine.apiKeys.create(world.applicationId, {
        name: 'Old',
        expiresAt: null,
      });
      await engine.apiKeys.revoke(world.applicationId, apiKey.id);
      const ids: Readonly<Record<string, string>> = {
        endUserAccountId: first?.accountId ?? '',
        accountId: first?.accountId ?? '',
        calendarId: first?.calendarId ?? '',
        applicationId: world.applicationId,
        app_id: world.applicationId,
        provider: 'provider_a',
        providerType: 'PROVIDER_A',
      };
      const bearer = `Bearer ${ADMIN_TOKEN}`;
      const bad = [world.apiKey.slice(0, -1), revoked, 'kal_live_x', `${ADMIN_TOKEN}x`, ''];
      const credentials: readonly Readonly<Record<string, string>>[] = [
        {},
        ...bad.map((key) => ({ 'x-api-key': key })),
        ...bad.map((key) => ({ authorization: `Bearer ${key}` })),
      ];
      const chosen = dice(1);
      let requests = 0;
      const statuses = new Set<number>();
      const documents = [
        [api, await jsonOf(api, '/v1/openapi.json')],
        [admin, await jsonOf(admin, '/admin/v1/openapi.json', { authorization: bearer })],
      ] as const;
      for (const [handler, document] of documents) {
        const operations = operationsIn(document);
        expect(operations.length).toBeGreaterThan(20);
        for (const { method, path, bodySchema } of operations) {
          for (const headers of credentials) {
            const sample = bodySchema === undefined ? undefined : sampleOf(bodySchema, '', chosen, {});
            const request = new Request(`http://kalends.test${filledPath(path, (name) => ids[name] ?? name)}`, {
              method,
              headers: { ...headers, ...(sample === undefined ? {} : { 'content-type': 'application/json' }) },
              ...(sample === undefined ? {} : { body: JSON.stringify(sample) }),
            });
            const answer = await handler(request, { remoteAddress: `192.0.2.${requests % 250}` });
            statuses.add(answer.status);
            requests += 1;
          }
        }
      }
      expect(requests).toBeGreaterThan(500);
      // Some got as far as a stranger gets: refused for their key, sent to the provider, told that there is no such state.
      expect([...statuses].sort()).toEqual(expect.arrayContaining([302, 400, 401]));
      expect(asked.calls).toEqual([]);

      // The measure counts: the same process asks for a request with a key.
      const credentialsOf = new Request(`http://kalends.test/v1/endUserAccounts/${first?.accountId}/credentials`, {
        headers: { 'x-api-key': world.apiKey },
      });
      expect((await api(credentialsOf)).status).toBe(200);
      expect(asked.calls).not.toEqual([]);
    } finally {
      await engine.stop();
    }
  });

  it('end at a callback before the keyring, unless the browser brings the code of a flow that it began', async () => {
    const { engine, asked, api } = await openProcess();
    try {
      const get = (path: string, cookie = '') =>
        api(new Request(`http://kalends.test${path}`, { headers: { cookie } }));
      for (const { providerType } of PROVIDERS) {
        const path = providerType.toLowerCase();
        const begin = async () => {
          const begun = await get(`/v1/oauth/authorize/${world.applicationId}/${path}`);
          expect(begun.status).toBe(302);
          const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
          return { state, cookie: begun.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
        };
        const callback = (parameters: Readonly<Record<string, string>>, cookie: string) =>
          get(`/v1/oauth/callback/${path}?${new URLSearchParams(parameters)}`, cookie);
        const [mine, foreign] = [await begin(), await begin()];
        await callback({ state: mine.state, code: 'stolen' }, '');
        await callback({ state: mine.state, code: 'stolen' }, foreign.cookie);
        await callback({ state: mine.state, error: 'access_denied' }, mine.cookie);
        await callback({ state: mine.state, code: 'again' }, mine.cookie);
        await callback({ state: foreign.state }, foreign.cookie);
        expect(asked.calls).toEqual([]);
        const flow = await begin();
        await callback({ state: flow.state, code: 'code' }, flow.cookie);
        expect(asked.calls.splice(0)).toContain('unwrap');
      }
    } finally {
      await engine.stop();
    }
  });
});

describe('an outage of the keyring', () => {
  it('is 503 with Retry-After where a secret is needed, leaves the mirror readable, and no trace behind', async () => {
    const events = [];
    for (const one of connected) {
      const event = { title: 'Before', start: { dateTime: START }, end: { dateTime: '2026-03-02T10:00:00Z' } };
      events.push(body(await world.call('POST', eventsPath(one), { body: event }), 201));
      body(await world.call('GET', eventsPath(one)));
    }
    const admin = adminOf(world);
    keyring.isAway = true;
    for (const [index, one] of connected.entries()) {
      const { accountId, calendarId, email } = one;
      // Reads come from the mirror.
      expect(body(await world.call('GET', calendarsPath(accountId))).data).not.toEqual([]);
      expect(body(await world.call('GET', eventsPath(one))).data).toHaveLength(1);
      expect(body(await world.call('GET', `/v1/endUserAccounts/${accountId}`)).status).toBe('ACTIVE');

      const { provider, providerType } = PROVIDERS[index] ?? expect.fail('no such provider');
      const refreshToken = world.refreshToken(provider, email);
      const clientSecret = { clientId: 'client', clientSecret: 'client-secret' };
      const event = { title: 'During', start: { dateTime: START }, end: { dateTime: '2026-03-02T10:00:00Z' } };
      const webhookUrl = 'https://127.0.0.1/hook';
      const answers = [
        await world.call('GET', `/v1/endUserAccounts/${accountId}/credentials`),
        await world.call('POST', '/v1/endUserAccounts', { body: { email, providerType, refreshToken } }),
        await world.call('POST', eventsPath(one), { body: event, headers: { 'idempotency-key': `k${index}` } }),
        await world.call('PUT', eventsPath(one, events[index].id), { body: { title: 'Changed' } }),
        await world.call('DELETE', eventsPath(one, events[index].id)),
        await world.call('POST', calendarsPath(accountId), { body: { name: 'New' } }),
        await world.call('POST', `/v1/calendarSubscriptions/${accountId}`, { body: { calendarId, webhookUrl } }),
        await world.call('POST', '/v1/webhookEndpoints', { body: { webhookUrl } }),
        await admin.call('PUT', `/applications/${world.applicationId}/oauthClients/${providerType}`, {
          body: clientSecret,
        }),
        await admin.call('POST', `/applications/${world.applicationId}/oauthClients/${providerType}/test`),
      ];
      for (const answer of answers) {
        expectProblem(answer, 503, 'InternalError');
        expect(answer.headers.get('retry-after')).toBe('5');
        expect(answer.body.detail).toBe('the keyring is unavailable; try again later');
      }
    }

    keyring.isAway = false;
    for (const [index, one] of connected.entries()) {
      expect(body(await world.call('GET', `/v1/endUserAccounts/${one.accountId}`)).status).toBe('ACTIVE');
      expect(body(await world.call('GET', eventsPath(one, events[index].id))).title).toBe('Before');
      // The same key: the outage has not used it up.
      const event = { title: 'During', start: { dateTime: START }, end: { dateTime: '2026-03-02T10:00:00Z' } };
      const created = { body: event, headers: { 'idempotency-key': `k${index}` } };
      body(await world.call('POST', eventsPath(one), created), 201);
      const titles = body(await world.call('GET', eventsPath(one))).data.map(({ title }: Json) => title);
      expect(titles.sort()).toEqual(['Before', 'During']);
    }
    const { data } = await world.engine.accounts.list({ applicationId: world.applicationId }, {});
    expect(data.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE']);
  });
});
