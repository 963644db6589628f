import { createHmac, randomUUID } from 'node:crypto';
import type { McpHandler, McpOAuthOptions } from '@kalends/mcp';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  INTROSPECTION_CLIENT,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from './authorization-server.ts';
import { createMcpWorld, type McpWorld, PEOPLE, tokenOf } from './mcp-world.ts';

const RESOURCE = 'https://calendar.example.com/mcp';
const METADATA_URL = 'https://calendar.example.com/.well-known/oauth-protected-resource/mcp';

let world: McpWorld;
let server: TestAuthorizationServer;
beforeAll(async () => {
  world = await createMcpWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  server = await startAuthorizationServer(RESOURCE, world.clock);
  return () => server.close();
});

function handlerOf(more: Partial<McpOAuthOptions> = {}, options: object = {}): McpHandler {
  const application = { id: world.applicationId };
  return world.handler({ oauth: { issuer: server.issuer, resource: RESOURCE, application, ...more }, ...options });
}

async function ask(handler: McpHandler, authorization: string | undefined) {
  const response = await handler(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    }),
  );
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate') ?? '',
    text: await response.text(),
  };
}

/** For the rest of the test. */
function setClockBack(): void {
  world.clock.advance(-3_600_000);
  onTestFinished(() => world.clock.advance(3_600_000));
}

const bearer = async (claims: object = {}, header: object = {}) =>
  `Bearer ${await server.issue({ scope: 'calendars.write', ...claims }, header)}`;
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the metadata of the resource', () => {
  it('names the authorization server, and a request without a token is sent there', async () => {
    const handler = handlerOf();
    const { status, challenge } = await ask(handler, undefined);
    expect(status).toBe(401);
    expect(challenge).toBe(
      `Bearer realm="kalends", scope="calendars.read calendars.write", resource_metadata="${METADATA_URL}"`,
    );
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
      const response = await handler(new Request(`https://calendar.example.com${path}`));
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toEqual({
        resource: RESOURCE,
        authorization_servers: [server.issuer],
        scopes_supported: ['calendars.read', 'calendars.write'],
        bearer_methods_supported: ['header'],
        resource_name: 'kalends calendars',
      });
      const preflight = await handler(new Request(`https://calendar.example.com${path}`, { method: 'OPTIONS' }));
      expect(preflight.status).toBe(204);
      const written = await handler(new Request(`https://calendar.example.com${path}`, { method: 'POST' }));
      expect(written.status).toBe(405);
    }
  });

  it('is that of a resource at the root too', async () => {
    const handler = handlerOf({ resource: 'https://calendar.example.com/' });
    const { challenge } = await ask(handler, undefined);
    expect(challenge).toContain(
      'resource_metadata="https://calendar.example.com/.well-known/oauth-protected-resource"',
    );
  });
});

describe('a JWT', () => {
  it('admits by its scopes: to read, or to write too', async () => {
    const handler = handlerOf();
    const reader = await ask(handler, await bearer({ scope: 'openid calendars.read' }));
    expect(reader.status).toBe(200);
    expect(reader.text).toContain('list_events');
    for (const name of ['create_event', 'preview_create_event', 'hold_slot']) {
      expect(reader.text).not.toContain(`"${name}"`);
    }
    for (const claims of [{ scope: 'calendars.write' }, { scope: undefined, scp: ['calendars.write'] }]) {
      expect((await ask(handler, await bearer(claims))).text).toContain('"create_event"');
    }
    for (const scope of [undefined, '', 'calendars', 'calendars.writer', 'xcalendars.read']) {
      const refused = await ask(handler, await bearer({ scope }));
      expect(refused.status, scope).toBe(403);
      expect(refused.challenge).toContain('error="insufficient_scope"');
      expect(refused.challenge).toContain(`resource_metadata="${METADATA_URL}"`);
    }
    const own = handlerOf({ readScope: 'cal:r', writeScope: 'cal:w' });
    expect((await ask(own, await bearer({ scope: 'cal:r' }))).status).toBe(200);
    expect((await ask(own, await bearer())).status).toBe(403);
  });

  it('may have the audience among others, and the types that servers write', async () => {
    const handler = handlerOf();
    for (const claims of [{ aud: ['https://other.example', RESOURCE] }, { aud: `${RESOURCE}/` }]) {
      expect((await ask(handler, await bearer(claims))).status).toBe(200);
    }
    for (const typ of ['JWT', 'application/at+jwt']) {
      expect((await ask(handler, await bearer({}, { typ }))).status).toBe(200);
    }
    const audience = handlerOf({ audience: 'api://calendars' });
    expect((await ask(audience, await bearer({ aud: 'api://calendars' }))).status).toBe(200);
    expect((await ask(audience, await bearer())).status).toBe(401);
  });

  it('is refused for another resource or issuer, out of its time, bound to a key, and without a claim', async () => {
    const handler = handlerOf();
    const now = Math.floor(world.clock.now() / 1_000);
    for (const claims of [
      { aud: 'https://calendar.example.com' },
      { aud: 'https://calendar.example.com/mcp2' },
      { aud: [] },
      { aud: undefined },
      { iss: 'https://issuer.example' },
      { iss: `${server.issuer}/` },
      { iss: undefined },
      { exp: now - 31 },
      { exp: undefined },
      { nbf: now + 60 },
      { cnf: { jkt: 'x' } },
      { sub: undefined, client_id: undefined },
      { sub: 'a\nb', client_id: 'c d' },
    ]) {
      const refused = await ask(handler, await bearer(claims));
      expect([refused.status, JSON.stringify(claims)]).toEqual([401, JSON.stringify(claims)]);
      expect(refused.challenge).toContain('error="invalid_token"');
    }
    for (const typ of ['id_token', 'logout+jwt', 'dpop+jwt', 'secevent+jwt']) {
      expect((await ask(handler, await bearer({}, { typ }))).status, typ).toBe(401);
    }
    const expired = await ask(handler, await bearer({ exp: now - 31 }));
    expect(expired.challenge).toContain('error_description="The token has expired."');
  });

  it('is refused without a signature of the server: alg none, a public key as a secret, another key, another text', async () => {
    const handler = handlerOf();
    const token = await server.issue({ scope: 'calendars.write' });
    const [head = '', body = '', mark = ''] = token.split('.');
    expect((await ask(handler, `Bearer ${token}`)).status).toBe(200);
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const other = await startAuthorizationServer(RESOURCE, world.clock);
    const foreign = await other.issue({ iss: server.issuer, scope: 'calendars.write' }, { kid: 'key-1' });
    await other.close();
    const forgedHead = encoded({ alg: 'HS256', kid: 'key-1', typ: 'at+jwt' });
    const forged = createHmac('sha256', server.publicModulus()).update(`${forgedHead}.${body}`).digest('base64url');
    for (const bad of [
      `${encoded({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
      `${encoded({ alg: 'none', typ: 'at+jwt' })}.${body}.${mark}`,
      `${forgedHead}.${body}.${forged}`,
      foreign,
      `${head}.${encoded({ ...claims, sub: 'admin' })}.${mark}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${head}.${body}.${mark}.x`,
      'x',
    ]) {
      expect((await ask(handler, `Bearer ${bad}`)).status, bad).toBe(401);
    }
  });

  it('is checked by the keys as they are now: a new one is read, a withdrawn one refused', async () => {
    const handler = handlerOf();
    const old = await bearer({ exp: Math.floor(world.clock.now() / 1_000) + 3_600 });
    expect((await ask(handler, old)).status).toBe(200);
    const reads = () => server.requests.filter((path) => path === '/keys').length;
    expect(reads()).toBe(1);
    await server.rotate();
    // A stranger's token with an unknown key does not have the keys read each time.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await ask(handler, await bearer({}, { kid: randomUUID() }))).status).toBe(401);
    }
    expect(reads()).toBe(1);
    world.clock.advance(30_000);
    expect((await ask(handler, await bearer())).status).toBe(200);
    expect(reads()).toBe(2);
    expect((await ask(handler, old)).status).toBe(401);
  });

  it('is refused when its keys have grown old and are withdrawn', async () => {
    const handler = handlerOf();
    const old = await bearer({ exp: Math.floor(world.clock.now() / 1_000) + 3_600 });
    expect((await ask(handler, old)).status).toBe(200);
    await server.rotate();
    world.clock.advance(599_000);
    expect((await ask(handler, old)).status).toBe(200);
    world.clock.advance(1_000);
    expect((await ask(handler, old)).status).toBe(401);
  });

  it('is checked by keys and metadata read anew once the clock was set back', async () => {
    const handler = handlerOf();
    const old = await bearer();
    expect((await ask(handler, old)).status).toBe(200);
    await server.rotate();
    setClockBack();
    expect((await ask(handler, old)).status).toBe(401);
    expect(server.requests.filter((path) => path === server.settings.metadataPath)).toHaveLength(2);
  });

  it('is neither admitted nor refused while the server cannot be asked', async () => {
    const handler = handlerOf();
    server.settings.isDown = true;
    const waiting = await ask(handler, await bearer());
    expect(waiting.status).toBe(503);
    expect(waiting.challenge).toBe('');
    server.settings.isDown = false;
    expect((await ask(handler, await bearer())).status).toBe(200);
  });

  it.each([
    '/.well-known/oauth-authorization-server/tenant',
    '/tenant/.well-known/openid-configuration',
  ])('finds the keys by the metadata at %s, which has to be of the same issuer', async (path) => {
    server.settings.metadataPath = path;
    expect((await ask(handlerOf(), await bearer())).status).toBe(200);
    server.settings.issuer = 'https://other.example';
    expect((await ask(handlerOf(), await bearer())).status).toBe(503);
    const configured = handlerOf({ jwksUrl: `${new URL(server.issuer).origin}/keys` });
    expect((await ask(configured, await bearer())).status).toBe(200);
  });
});

describe('introspection', () => {
  const opaqueHandler = () => handlerOf({ introspection: INTROSPECTION_CLIENT });
  const active = (claims: object = {}) => ({
    active: true,
    aud: RESOURCE,
    sub: 'user-1',
    scope: 'calendars.write',
    ...claims,
  });

  it('admits what the server calls active, for this resource', async () => {
    const handler = opaqueHandler();
    server.opaque.set('good', active());
    server.opaque.set('reader', active({ scope: 'calendars.read' }));
    expect((await ask(handler, 'Bearer good')).text).toContain('"create_event"');
    expect((await ask(handler, 'Bearer reader')).text).not.toContain('"create_event"');
    const now = Math.floor(world.clock.now() / 1_000);
    const bad = {
      inactive: { active: false },
      truthy: active({ active: 'true' }),
      elsewhere: active({ aud: 'https://other.example' }),
      nowhere: active({ aud: undefined }),
      expired: active({ exp: now - 31 }),
      early: active({ nbf: now + 60 }),
      foreign: active({ iss: 'https://other.example' }),
      bound: active({ cnf: { jkt: 'x' } }),
      dpop: active({ token_type: 'DPoP' }),
    };
    for (const [token, answer] of Object.entries(bad)) {
      server.opaque.set(token, answer);
      const { status } = await ask(handler, `Bearer ${token}`);
      // An answer that is no introspection is a fault of the server.
      expect([token, status]).toEqual([token, token === 'truthy' ? 503 : 401]);
    }
    expect((await ask(handler, 'Bearer unknown')).status).toBe(401);
  });

  it('asks once for the requests of ten seconds, and then sees a revocation', async () => {
    const handler = opaqueHandler();
    server.opaque.set('good', active());
    for (let request = 0; request < 3; request += 1) expect((await ask(handler, 'Bearer good')).status).toBe(200);
    expect(server.requests.filter((path) => path === '/introspect')).toHaveLength(1);
    server.opaque.delete('good');
    world.clock.advance(10_000);
    expect((await ask(handler, 'Bearer good')).status).toBe(401);
  });

  it('sees a revocation once the clock was set back', async () => {
    const handler = opaqueHandler();
    server.opaque.set('good', active());
    expect((await ask(handler, 'Bearer good')).status).toBe(200);
    server.opaque.delete('good');
    setClockBack();
    expect((await ask(handler, 'Bearer good')).status).toBe(401);
  });

  it('answers 503 when the server refuses its client', async () => {
    const handler = handlerOf({ introspection: { ...INTROSPECTION_CLIENT, clientSecret: 'wrong' } });
    server.opaque.set('good', active());
    expect((await ask(handler, 'Bearer good')).status).toBe(503);
  });
});

describe('the application of a token', () => {
  it('is the one of a claim, if there is one', async () => {
    const handler = handlerOf({ application: { claim: 'https://calendar.example.com/app' } });
    const claim = (id: unknown) => bearer({ 'https://calendar.example.com/app': id });
    expect((await ask(handler, await claim(world.applicationId))).status).toBe(200);
    for (const id of [undefined, '', 'app_none', 7, [world.applicationId], { id: world.applicationId }]) {
      expect((await ask(handler, await claim(id))).status, JSON.stringify(id)).toBe(401);
    }
    const { id } = await world.engine.applications.create({ name: 'Leaving', redirectUrls: [] });
    const agent = await world.connect(handler, (await claim(id)).slice('Bearer '.length));
    expect((await agent.call('list_accounts', {})).text).toContain('No account is connected');
    const token = await claim(id);
    await world.engine.applications.delete(id);
    expect((await ask(handler, token)).status).toBe(401);
  });

  it('stands beside API keys, and each subject has previews and a limit of its own', async () => {
    const counted: string[] = [];
    const handler = handlerOf(
      {},
      {
        countCall: async (key: string) => {
          counted.push(key);
          return undefined;
        },
      },
    );
    expect((await ask(handler, `Bearer ${world.apiKey}`)).status).toBe(200);
    expect((await ask(handler, 'Bearer kal_live_x')).status).toBe(401);
    const connected = async (claims: object) =>
      world.connect(handler, await server.issue({ scope: 'calendars.write', ...claims }));
    const one = await connected({});
    const input = {
      accountId: world.accounts.google,
      calendarId: PEOPLE.google.email,
      title: 'By a subject',
      start: '2027-03-02T12:00',
    };
    const previewToken = tokenOf(await one.call('preview_create_event', input));
    for (const claims of [{ sub: 'user-2' }, { client_id: 'agent-2' }]) {
      const other = await connected(claims);
      const refused = await other.call('create_event', { ...input, previewToken });
      expect(refused, JSON.stringify(claims)).toMatchObject({ isError: true });
    }
    const byKey = await world.connect(handler);
    expect(await byKey.call('create_event', { ...input, previewToken })).toMatchObject({ isError: true });
    // A new token of the same subject and client.
    const again = await connected({ jti: 'another' });
    expect(await again.call('create_event', { ...input, previewToken })).toMatchObject({ isError: false });
    expect(new Set(counted)).toEqual(
      new Set([expect.stringMatching(/^key_/), 'oauth user-1 agent-1', 'oauth user-2 agent-1', 'oauth user-1 agent-2']),
    );
  });
});

it('refuses options that cannot be used', () => {
  const refused = (options: Partial<McpOAuthOptions>, path: string) =>
    expect(() => handlerOf(options)).toThrow(expect.objectContaining({ details: [expect.objectContaining({ path })] }));
  refused({ issuer: 'http://issuer.example' }, 'oauth.issuer');
  refused({ issuer: 'issuer' }, 'oauth.issuer');
  refused({ resource: `${RESOURCE}#x` }, 'oauth.resource');
  refused({ resource: 'https://user@calendar.example.com/mcp' }, 'oauth.resource');
  refused({ jwksUrl: 'ftp://issuer.example' }, 'oauth.jwksUrl');
  refused({ introspection: { ...INTROSPECTION_CLIENT, url: 'http://issuer.example' } }, 'oauth.introspection.url');
  refused({ readScope: 'a b' }, 'oauth.readScope');
  refused({ writeScope: 'a"' }, 'oauth.writeScope');
  expect(() => handlerOf({}, { authorize: () => undefined })).toThrow(/authorize/);
});

describe('the application of the options', () => {
  it('that is not there is a fault of the server, which is logged, and none of the token', async () => {
    const logged: string[] = [];
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (_text: string, fields: object) => logged.push(JSON.stringify(fields)),
    };
    const handler = handlerOf({ application: { id: 'app_unknown' } }, { logger });
    const { status, challenge, text } = await ask(handler, await bearer());
    expect({ status, challenge }).toEqual({ status: 500, challenge: '' });
    const { requestId } = JSON.parse(text);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(requestId);
    expect(logged[0]).toContain('app_unknown');
  });
});
