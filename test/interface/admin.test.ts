import { createHandler } from '@kalends/http';
import type { Logger } from 'kalends/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, type Admin, adminOf, documentOf } from './admin-world.ts';
import { body, eventsPath, expectProblem } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

const CLIENT = { clientId: 'client', clientSecret: 'a-very-secret-client-secret' };

let world: World;
let admin: Admin;
beforeAll(async () => {
  world = await createWorld();
  admin = adminOf(world);
});
afterAll(() => world.close());

const get = async (path: string) => body(await admin.call('GET', path));
const send = async (method: string, path: string, sent?: unknown, status = 200) =>
  body(await admin.call(method, path, { body: sent }), status);
const application = (name: string, redirectUrls: readonly string[] = []) =>
  send('POST', '/applications', { name, redirectUrls }, 201);
/** The entries about an object, newest first. */
const log = async (query: string): Promise<Json[]> => (await get(`/auditLog?${query}`)).data;

describe('applications', () => {
  it('are created, listed page by page, changed and read', async () => {
    const created = await application('First', ['https://first.test/done']);
    expect(created).toMatchObject({ name: 'First', redirectUrls: ['https://first.test/done'], status: 'ACTIVE' });
    // The list is in the order of creation, to the millisecond.
    while (Date.now() <= Date.parse(created.createdAt)) await new Promise(setImmediate);
    const second = await application('Second');
    const changed = await send('PUT', `/applications/${created.id}`, { name: 'Renamed' });
    expect(changed).toMatchObject({ id: created.id, name: 'Renamed', redirectUrls: ['https://first.test/done'] });
    expect(await get(`/applications/${created.id}`)).toEqual(changed);
    const ids: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const page = await get(`/applications?limit=1${token === '' ? '' : `&pageToken=${encodeURIComponent(token)}`}`);
      expect(page.data).toHaveLength(1);
      ids.push(page.data[0].id);
      token = page.nextPageToken;
    }
    expect(ids).toEqual([world.applicationId, created.id, second.id]);
  });

  it('get and lose redirect URLs one by one', async () => {
    const { id } = await application('Redirects', ['https://a.test/']);
    const url = 'https://b.test/done';
    expect((await send('POST', `/applications/${id}/redirectUrls`, { url })).redirectUrls).toEqual([
      'https://a.test/',
      url,
    ]);
    expect((await send('POST', `/applications/${id}/redirectUrls/remove`, { url })).redirectUrls).toEqual([
      'https://a.test/',
    ]);
    expectProblem(
      await admin.call('POST', `/applications/${id}/redirectUrls/remove`, { body: { url } }),
      404,
      'NotFound',
    );
  });

  it('end: 202 and DELETING, no key works, and the rest is removed behind it', async () => {
    const { id } = await application('Ending');
    const { key } = await send('POST', `/applications/${id}/apiKeys`, { name: 'k', expiresAt: null }, 201);
    body(await world.call('GET', '/v1/endUserAccounts', { key }));
    const deleted = await send('DELETE', `/applications/${id}`, undefined, 202);
    expect(deleted).toMatchObject({ id, name: 'Ending', status: 'DELETING' });
    expectProblem(await world.call('GET', '/v1/endUserAccounts', { key }), 401, 'InvalidApiKey');
    let left = await admin.call('GET', `/applications/${id}`);
    while (left.status === 200) {
      expect(left.body.status).toBe('DELETING');
      left = await admin.call('GET', `/applications/${id}`);
    }
    expectProblem(left, 404, 'NotFound');
    expect((await log(`applicationId=${id}`)).map(({ action, actor }) => `${action} ${actor.type}`)).toEqual([
      'application.deleted system',
      'application.deletion.begun admin',
      'apiKey.created admin',
      'application.created admin',
    ]);
  });
});

describe('OAuth clients', () => {
  it('are set, read without their secrets, and removed', async () => {
    const { id } = await application('Clients');
    const path = `/applications/${id}/oauthClients`;
    expect(await get(path)).toEqual({ data: [] });
    const set = await send('PUT', `${path}/provider_a`, CLIENT);
    expect(set).toMatchObject({ providerType: 'PROVIDER_A', clientId: 'client', scopes: null, secretExpiresAt: null });
    expect(set.redirectUri).toBe('http://kalends.test/api/v1/oauth/callback/provider_a');
    expect(await get(`${path}/PROVIDER_A`)).toEqual(set);
    expect(await get(path)).toEqual({ data: [set] });
    const expiry = '2027-01-31T00:00:00Z';
    const scopes = ['openid', 'email', 'https://www.googleapis.com/auth/calendar'];
    const again = await send('PUT', `${path}/Provider_A`, { ...CLIENT, scopes, secretExpiresAt: expiry });
    expect(again).toMatchObject({ scopes, secretExpiresAt: '2027-01-31T00:00:00.000Z' });
    expect(await send('DELETE', `${path}/provider_a`)).toEqual({ success: true });
    expectProblem(await admin.call('GET', `${path}/provider_a`), 404, 'NotFound');
    expectProblem(await admin.call('DELETE', `${path}/provider_a`), 404, 'NotFound');
  });

  it('are tested at the provider', async () => {
    const { id } = await application('Tested');
    const path = `/applications/${id}/oauthClients/provider_b`;
    expectProblem(await admin.call('POST', `${path}/test`), 404, 'NotFound');
    await send('PUT', path, { clientId: 'client', clientSecret: 'wrong' });
    expect((await send('POST', `${path}/test`)).outcome).toBe('refused');
    await send('PUT', path, { clientId: 'client', clientSecret: 'client-secret' });
    expect((await send('POST', `${path}/test`)).outcome).toBe('accepted');
    expect((await log(`applicationId=${id}&action=oauthClient.tested`)).map(({ actor }) => actor.type)).toEqual([
      'admin',
      'admin',
    ]);
  });

  it('stay while accounts are connected under them', async () => {
    await world.connect('google');
    const path = `/applications/${world.applicationId}/oauthClients/provider_a`;
    expectProblem(await admin.call('DELETE', path), 409, 'Conflict');
  });
});

describe('API keys', () => {
  it('are shown once, open /v1 with their rights, and end at once', async () => {
    const path = `/applications/${world.applicationId}/apiKeys`;
    const input = { name: 'Reader', expiresAt: '90d', readOnly: true, canReadCredentials: false };
    const answer = await admin.call('POST', path, { body: input });
    const { key, apiKey } = body(answer, 201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(apiKey).toMatchObject({ name: 'Reader', readOnly: true, canReadCredentials: false, revokedAt: null });
    body(await world.call('GET', '/v1/endUserAccounts', { key }));
    expectProblem(await world.call('POST', '/v1/webhookEndpoints', { key, body: {} }), 403, 'Forbidden');
    expect(await send('DELETE', `${path}/${apiKey.id}`)).toEqual({ success: true });
    expectProblem(await world.call('GET', '/v1/endUserAccounts', { key }), 401, 'InvalidApiKey');
    const listed = (await get(path)).data.find(({ id }: Json) => id === apiKey.id);
    expect(listed).toMatchObject({ name: 'Reader', revokedAt: expect.any(String) });
    const { id: other } = await application('Another');
    for (const unknown of [`${path}/key_unknown`, `/applications/${other}/apiKeys/${apiKey.id}`]) {
      expectProblem(await admin.call('DELETE', unknown), 404, 'NotFound');
    }
  });
});

describe('accounts', () => {
  it('are listed, read and deleted, of the application of the path alone', async () => {
    const { accountId, email } = await world.connect('microsoft');
    const path = `/applications/${world.applicationId}/accounts`;
    expect((await get(`${path}?search=${encodeURIComponent(email)}`)).data).toMatchObject([{ id: accountId, email }]);
    expect(await get(`${path}/${accountId}`)).toMatchObject({ id: accountId, email, status: 'ACTIVE' });
    const { id: other } = await application('Other');
    expect(await get(`/applications/${other}/accounts`)).toEqual({ data: [], nextPageToken: null });
    for (const method of ['GET', 'DELETE']) {
      expectProblem(await admin.call(method, `/applications/${other}/accounts/${accountId}`), 404, 'NotFound');
    }
    expect(await send('DELETE', `${path}/${accountId}`)).toEqual({ success: true });
    expectProblem(await world.call('GET', `/v1/endUserAccounts/${accountId}`), 404, 'NotFound');
    expect((await log(`target=${accountId}&action=account.deleted`)).map(({ actor }) => actor.type)).toEqual(['admin']);
  });

  it('show the health of their sync, are synced, expired and reconnected', async () => {
    const connected = await world.connect('google');
    const { accountId, calendarId, email } = connected;
    body(await world.call('GET', eventsPath(connected)));
    const path = `/applications/${world.applicationId}/accounts/${accountId}`;
    const health = await get(`${path}/syncHealth`);
    expect(health).toMatchObject({ status: 'ACTIVE', progress: null });
    expect(health.collections.map((collection: Json) => collection.calendarId)).toContain(calendarId);
    const begun = await send('POST', `${path}/sync`, undefined, 202);
    expect(begun.total).toBe(health.collections.length);
    const { progress } = await get(`${path}/syncHealth?since=${begun.since}`);
    expect(progress).toMatchObject({ since: begun.since, total: begun.total });
    expect((await send('POST', `${path}/expire`)).status).toBe('EXPIRED');
    expectProblem(await admin.call('POST', `${path}/sync`), 409, 'InvalidRefreshToken');
    const { url } = await send('POST', `${path}/reconnectLink`);
    expect(url).toContain(`/v1/oauth/authorize/${world.applicationId}/provider_a`);
    expect(url).toContain(encodeURIComponent(email));
    expect((await log(`target=${accountId}&actorType=admin`)).map(({ action }) => action)).toEqual([
      'account.reconnectLink.created',
      'account.expired',
      'account.sync.begun',
    ]);
    const { id: other } = await application('Foreign');
    for (const [method, rest] of [
      ['GET', 'syncHealth'],
      ['POST', 'sync'],
      ['POST', 'expire'],
      ['POST', 'reconnectLink'],
    ] as const) {
      const foreign = `/applications/${other}/accounts/${accountId}/${rest}`;
      expectProblem(await admin.call(method, foreign), 404, 'NotFound');
    }
  });
});

describe('receivers', () => {
  it('are listed with masked URLs, and their messages are looked through, sent again and enabled', async () => {
    const webhookUrl = 'http://127.0.0.1:49999/hook?token=hush';
    const created = body(await world.call('POST', '/v1/webhookEndpoints', { body: { webhookUrl } }), 201);
    const id = created.webhookEndpointId;
    const path = `/applications/${world.applicationId}/receivers`;
    const listed = (await get(path)).data.find((receiver: Json) => receiver.id === id);
    expect(listed.url).toBe('http://127.0.0.1:49999/hook?token=***');
    expect(await get(`${path}/${id}/deliveries`)).toEqual({ data: [], nextPageToken: null });
    expect(await send('POST', `${path}/${id}/recover`, { since: '2026-03-01T00:00:00Z' })).toEqual({ recovered: 0 });
    const unknown = await admin.call('POST', `${path}/${id}/redeliver`, { body: { messageId: 'msg_none' } });
    expectProblem(unknown, 404, 'NotFound');
    expect(await send('POST', `${path}/${id}/enable`)).toMatchObject({ id, disabledAt: null });
    expect((await log(`target=${id}&action=receiver.recovered`)).map(({ actor }) => actor.type)).toEqual(['admin']);
    const { id: other } = await application('Stranger');
    for (const [method, rest, sent] of [
      ['GET', 'deliveries', undefined],
      ['POST', 'redeliver', { messageId: 'msg_none' }],
      ['POST', 'recover', { since: '2026-03-01T00:00:00Z' }],
      ['POST', 'enable', undefined],
    ] as const) {
      const foreign = `/applications/${other}/receivers/${id}/${rest}`;
      expectProblem(await admin.call(method, foreign, { body: sent }), 404, 'NotFound');
    }
  });
});

describe('the audit log', () => {
  it('names the administrator, the address and the fields, and can be filtered', async () => {
    const named = adminOf(world, { authorize: async () => ({ id: 'ops@kalends.test' }) });
    const address = '203.0.113.9';
    const sent = { name: 'Audited' };
    const { id } = body(await named.call('POST', '/applications', { body: sent, address }), 201);
    expect(await log(`actorId=${encodeURIComponent('ops@kalends.test')}`)).toMatchObject([
      {
        applicationId: id,
        actor: { type: 'admin', id: 'ops@kalends.test', address },
        action: 'application.created',
        target: id,
        changed: ['name'],
      },
    ]);
    expect(await log('actorType=admin&action=nothing')).toEqual([]);
    expect((await log('actorType=embedded')).every(({ actor }) => actor.type === 'embedded')).toBe(true);
  });
});

describe('secrets', () => {
  it('stand in no answer but that of their creation, and in no log', async () => {
    const logged: unknown[] = [];
    const note = (message: string, fields?: object) => logged.push([message, fields]);
    const logger: Logger = { debug: note, info: note, warn: note, error: note };
    const quiet = adminOf(world, { token: ADMIN_TOKEN, logger });
    const { id } = await application('Secrets');
    const path = `/applications/${id}`;
    await quiet.call('PUT', `${path}/oauthClients/provider_b`, { body: CLIENT });
    const { key } = body(await quiet.call('POST', `${path}/apiKeys`, { body: { name: 'k', expiresAt: null } }), 201);
    const answers: Json[] = [];
    for (const read of [path, `${path}/oauthClients`, `${path}/oauthClients/provider_b`, `${path}/apiKeys`]) {
      answers.push((await quiet.call('GET', read)).body);
    }
    answers.push((await quiet.call('GET', `/auditLog?applicationId=${id}`)).body);
    expect(logged).toHaveLength(7);
    for (const secret of [CLIENT.clientSecret, key, ADMIN_TOKEN]) {
      expect(JSON.stringify(answers)).not.toContain(secret);
      expect(JSON.stringify(logged)).not.toContain(secret);
    }
  });
});

describe('bad input', () => {
  it.each([
    ['POST', '/applications', {}, 'name'],
    ['POST', '/applications', { name: ' ' }, 'name'],
    ['POST', '/applications', { name: 'x', redirectUrls: ['ftp://a.test/'] }, 'redirectUrls.0'],
    ['POST', '/applications', { name: 'x', colour: 'red' }, 'colour'],
    ['GET', '/applications?limit=0', undefined, 'limit'],
    ['GET', '/applications?colour=red', undefined, 'colour'],
    ['PUT', '/applications/{app}', { redirectUrls: ['https://a.test/', 'https://a.test/'] }, 'redirectUrls'],
    ['PUT', '/applications/{app}', {}, ''],
    ['POST', '/applications/{app}/redirectUrls', { url: '/done' }, 'url'],
    ['PUT', '/applications/{app}/oauthClients/provider_a', { clientId: 'x' }, 'clientSecret'],
    ['PUT', '/applications/{app}/oauthClients/provider_z', CLIENT, 'providerType'],
    ['PUT', '/applications/{app}/oauthClients/provider_a', { ...CLIENT, secretExpiresAt: 'soon' }, 'secretExpiresAt'],
    ['PUT', '/applications/{app}/oauthClients/provider_a', { ...CLIENT, scopes: ['openid'] }, 'scopes'],
    ['POST', '/applications/{app}/apiKeys', { name: 'x' }, 'expiresAt'],
    ['POST', '/applications/{app}/apiKeys', { name: 'x', expiresAt: '2001-01-01' }, 'expiresAt'],
    ['GET', '/applications/{app}/accounts?statusFilter=dead', undefined, 'statusFilter'],
    ['GET', '/auditLog?from=yesterday', undefined, 'from'],
    ['GET', '/auditLog?actorType=person', undefined, 'actorType'],
    ['GET', '/applications/a%00b', undefined, 'applicationId'],
  ])('%s %s %j: 400 that names %s', async (method, path, sent, field) => {
    const answer = await admin.call(method, path.replace('{app}', world.applicationId), { body: sent });
    expectProblem(answer, 400, 'InvalidRequest', field);
  });

  it.each([
    ['GET', '/applications/app_unknown'],
    ['PUT', '/applications/app_unknown', { name: 'x' }],
    ['DELETE', '/applications/app_unknown'],
    ['POST', '/applications/app_unknown/redirectUrls', { url: 'https://a.test/' }],
    ['GET', '/applications/app_unknown/oauthClients'],
    ['PUT', '/applications/app_unknown/oauthClients/provider_a', CLIENT],
    ['GET', '/applications/app_unknown/apiKeys'],
    ['POST', '/applications/app_unknown/apiKeys', { name: 'x', expiresAt: null }],
    ['GET', '/applications/app_unknown/accounts'],
  ])('%s %s: 404', async (method, path, sent?: unknown) => {
    expectProblem(await admin.call(method, path, { body: sent }), 404, 'NotFound');
  });

  it('refuses a body that is missing, too large or not JSON', async () => {
    expectProblem(await admin.call('POST', '/applications'), 400, 'InvalidRequest');
    expectProblem(await admin.call('POST', '/applications', { body: '{' }), 400, 'InvalidRequest');
    expectProblem(await admin.call('POST', '/applications', { body: 'x'.repeat(300_000) }), 413, 'PayloadTooLarge');
    const headers = { 'content-type': 'text/plain' };
    expectProblem(await admin.call('POST', '/applications', { body: '{}', headers }), 415, 'UnsupportedMediaType');
  });
});

describe('HTTP', () => {
  it('answers HEAD, OPTIONS, unknown methods and unknown paths as /v1 does', async () => {
    const [head, full] = [await admin.call('HEAD', '/applications'), await admin.call('GET', '/applications')];
    expect([head.status, head.body]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      if (name !== 'content-length') expect(head.headers.get(name)).toBe(full.headers.get(name));
      else expect(Number(head.headers.get(name))).toBe(JSON.stringify(full.body).length);
    }
    expect(full.headers.get('cache-control')).toBe('no-store');
    const options = await admin.call('OPTIONS', '/applications', { token: null });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, GET, HEAD, OPTIONS']);
    const refused = await admin.call('PATCH', '/applications', { token: null });
    expectProblem(refused, 405, 'MethodNotAllowed');
    expect(refused.headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS');
    const unknown = await admin.call('GET', '/nowhere');
    expectProblem(unknown, 404, 'NotFound');
    expect(unknown.body.detail).toContain('/admin/v1/openapi.json');
    expect((await admin.call('GET', '/applications/')).status).toBe(200);
    const id = 'mine-1';
    expect(
      (await admin.call('GET', '/applications', { headers: { 'x-request-id': id } })).headers.get('x-request-id'),
    ).toBe(id);
  });

  it('is no part of the interface of applications, nor the other way round', async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    for (const path of ['/admin/v1/applications', '/admin/v1/openapi.json']) {
      expectProblem(await world.call('GET', path, { headers }), 404, 'NotFound');
      expect(world.handler.matches(path)).toBe(false);
    }
    const answer = await admin.handler(new Request('http://kalends.test/v1/endUserAccounts', { headers }));
    expect(answer.status).toBe(404);
    expect(admin.handler.matches('/v1/endUserAccounts')).toBe(false);
  });

  it('is described at openapi.json: every operation needs the bearer token', async () => {
    const document = await documentOf(admin);
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.components.securitySchemes).toEqual({ adminToken: { type: 'http', scheme: 'bearer' } });
    expect(document.servers).toEqual([{ url: '../..' }]);
    for (const item of Object.values<Json>(document.paths)) {
      for (const operation of Object.values<Json>(item)) {
        expect(operation.security).toEqual([{ adminToken: [] }]);
        expect(operation.responses['401'].description).toBe('Unauthorized');
      }
    }
    const { body: ours } = await world.call('GET', '/v1/openapi.json', { key: null });
    expect(Object.keys(ours.paths).filter((path) => path.startsWith('/admin'))).toEqual([]);
    const held = (await admin.call('GET', '/openapi.json')).headers.get('etag') ?? '';
    expect((await admin.call('GET', '/openapi.json', { headers: { 'if-none-match': held } })).status).toBe(304);
  });

  it('takes basePath as createHandler does', async () => {
    const options = { publicUrl: 'https://app.test/calendar' };
    for (const [handler, path] of [
      [adminOf(world, { token: ADMIN_TOKEN, ...options }).handler, '/calendar/admin/v1/applications'],
      [createHandler(world.engine, options), '/calendar/v1/endUserAccounts'],
    ] as const) {
      expect((await handler(new Request(`https://app.test${path}`))).status).toBe(401);
    }
  });
});
