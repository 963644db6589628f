import { type ManualClock, manualClock } from '@kalends/conformance';
import { createHandler, type Handler, type HandlerOptions } from '@kalends/http';
import { createId, parseSecrets, systemRandom } from 'kalends/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChannelTokens } from '../../src/channels/channel-token.ts';
import { createWorld, type World } from '../interface/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const STRANGER = '203.0.113.9';
const LIMIT = { perSecond: 1, burst: 5 };

interface Stage {
  readonly clock: ManualClock;
  readonly log: readonly string[];
  ask(path: string, from?: string | undefined, init?: RequestInit): Promise<Response>;
}

function stage(options: HandlerOptions = {}): Stage {
  const clock = manualClock();
  const log: string[] = [];
  const write = (message: string) => void log.push(message);
  const logger = { debug: write, info: () => undefined, warn: write, error: write };
  const handler: Handler = createHandler(world.engine, { failureLimit: LIMIT, clock, logger, ...options });
  const ask: Stage['ask'] = (path, remoteAddress = STRANGER, init = {}) =>
    handler(new Request(`http://kalends.test${path}`, init), { remoteAddress });
  return { clock, log, ask };
}

const authorize = (query = '') => `/v1/oauth/authorize/${world.applicationId}/provider_a${query}`;
const key = (text: string) => ({ headers: { 'x-api-key': text } });
const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const graphBatch = (clientState: string) => {
  const body = { value: [{ subscriptionId: 's', clientState }] };
  return post(body, { 'content-length': String(JSON.stringify(body).length) });
};

async function failTimes({ ask }: Stage, times: number, from = STRANGER): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    expect((await ask('/nowhere', from)).status).toBe(404);
  }
}

describe('behind the sign-in of a host', () => {
  it('calls are not limited by address; open routes and unknown paths are', async () => {
    const authorizeCaller = ({ headers }: Request) =>
      headers.get('cookie') === 'session=1' ? { applicationId: world.applicationId } : undefined;
    const { clock } = stage();
    const handler = createHandler(world.engine, { failureLimit: LIMIT, clock, authorize: authorizeCaller });
    const ask = async (path: string, cookie = '') => {
      const request = new Request(`http://kalends.test${path}`, { headers: { cookie } });
      return (await handler(request, { remoteAddress: STRANGER })).status;
    };
    for (let count = 0; count < 10; count += 1) expect(await ask('/v1/endUserAccounts')).toBe(401);
    // The callers of a host are no administrators.
    const refused = await handler(new Request('http://kalends.test/v1/endUserAccounts'), { remoteAddress: STRANGER });
    expect(await refused.json()).toMatchObject({ code: 'Unauthorized', title: 'The caller is not recognized' });
    expect(await ask(authorize())).toBe(302);
    for (let count = 0; count < 5; count += 1) expect(await ask('/nowhere')).toBe(404);
    expect(await ask('/nowhere')).toBe(429);
    expect(await ask(authorize())).toBe(429);
    expect(await ask('/v1/endUserAccounts', 'session=1')).toBe(200);
  });
});

describe('failures', () => {
  it.each([
    ['unknown paths', () => ['/nowhere', {}] as const, 404],
    ['bad keys', () => ['/v1/endUserAccounts', key('kal_live_wrong')] as const, 401],
    ['missing keys', () => ['/v1/endUserAccounts', {}] as const, 401],
    ['bad keys on open routes', () => ['/v1/openapi.json', key('wrong')] as const, 401],
    ['unknown applications', () => ['/v1/oauth/authorize/app_none/provider_a', {}] as const, 404],
    ['unregistered redirect URLs', () => [authorize('?redirectUrl=https://evil.test/'), {}] as const, 400],
    ['refused flows', () => [authorize('?prompt=always'), {}] as const, 302],
    ['unknown states', () => ['/v1/oauth/callback/provider_a?state=none', {}] as const, 400],
    ['forged tokens of Graph', () => ['/v1/push/provider_b', graphBatch('forged')] as const, 202],
    ['garbage', () => ['/v1/push/provider_b', post('x')] as const, 400],
    [
      'forged tokens of Google',
      () =>
        [
          '/v1/push/provider_a',
          post({}, { 'x-goog-channel-id': 'c', 'x-goog-resource-state': 'exists', 'x-goog-channel-token': 't' }),
        ] as const,
      202,
    ],
  ] as const)('count: %s', async (_name, make, status) => {
    const { ask, clock } = stage();
    const [path, init] = make();
    for (let count = 0; count < LIMIT.burst; count += 1) expect((await ask(path, STRANGER, init)).status).toBe(status);
    const refused = await ask(path, STRANGER, init);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ code: 'RateLimited', requestId: expect.any(String) });
    expect((await ask(path, '203.0.113.10', init)).status).toBe(status);
    await clock.advance(1_000);
    expect((await ask(path, STRANGER, init)).status).toBe(status);
    expect((await ask(path, STRANGER, init)).status).toBe(429);
  });

  it('count by address: successes, and what belongs to a good key, count for nothing', async () => {
    const { ask } = stage();
    for (let count = 0; count < 3 * LIMIT.burst; count += 1) {
      expect((await ask(authorize())).status).toBe(302);
      expect((await ask('/v1/openapi.json')).status).toBe(200);
      expect((await ask('/v1/endUserAccounts', STRANGER, key(world.apiKey))).status).toBe(200);
      expect((await ask('/v1/endUserAccounts/acc_none', STRANGER, key(world.apiKey))).status).toBe(404);
    }
  });

  it('never stop a key that was good lately', async () => {
    const each = stage();
    expect((await each.ask('/v1/endUserAccounts', '198.51.100.1', key(world.apiKey))).status).toBe(200);
    await failTimes(each, LIMIT.burst);
    expect((await each.ask('/v1/endUserAccounts', STRANGER, key('kal_live_guess'))).status).toBe(429);
    expect((await each.ask('/v1/endUserAccounts', STRANGER, key(world.apiKey))).status).toBe(200);
  });

  it('count for whole /64 networks of IPv6', async () => {
    const each = stage();
    for (let host = 1; host <= LIMIT.burst; host += 1) await failTimes(each, 1, `2001:db8:1:2::${host}`);
    expect((await each.ask('/nowhere', '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await each.ask('/nowhere', '2001:db8:1:3::1')).status).toBe(404);
  });

  it('count for the client behind trusted proxies, whatever it writes into the header itself', async () => {
    const { ask } = stage({ trustProxy: 1 });
    const by = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    for (let count = 0; count < LIMIT.burst; count += 1) {
      expect((await ask('/nowhere', '10.0.0.1', by(`1.1.1.${count}, ${STRANGER}`))).status).toBe(404);
    }
    expect((await ask('/nowhere', '10.0.0.1', by(`9.9.9.9, ${STRANGER}`))).status).toBe(429);
    expect((await ask('/nowhere', '10.0.0.1', by('203.0.113.77'))).status).toBe(404);
  });

  it('do not lock every caller out behind an unnamed proxy: a warning is logged', async () => {
    const { ask, log } = stage();
    const init = { headers: { 'x-forwarded-for': STRANGER } };
    for (let count = 0; count < 3 * LIMIT.burst; count += 1) {
      expect((await ask('/nowhere', '10.0.0.1', init)).status).toBe(404);
    }
    expect(log.filter((message) => message.includes('trustProxy'))).toHaveLength(1);
    // A peer of the internet gains nothing by the header.
    for (let count = 0; count < LIMIT.burst; count += 1) await ask('/nowhere', STRANGER, init);
    expect((await ask('/nowhere', STRANGER, init)).status).toBe(429);
  });

  it('are not counted without an address, nor when there is no limit', async () => {
    const each = stage({ failureLimit: false });
    await failTimes(each, 3 * LIMIT.burst);
    const handler = createHandler(world.engine, { failureLimit: LIMIT });
    for (let count = 0; count < 3 * LIMIT.burst; count += 1) {
      expect((await handler(new Request('http://kalends.test/nowhere'))).status).toBe(404);
    }
  });
});

describe('a provider’s genuine notifications', () => {
  it('are never refused for failures from the same address once one has come from there', async () => {
    const channelId = createId(systemRandom, 'chn');
    const token = createChannelTokens(parseSecrets(Buffer.alloc(32, 7).toString('base64'))).issue(channelId);
    const genuine = post(
      {},
      { 'x-goog-channel-id': channelId, 'x-goog-resource-state': 'exists', 'x-goog-channel-token': token },
    );
    const each = stage();
    expect((await each.ask('/v1/push/provider_a', STRANGER, genuine)).status).toBe(202);
    await failTimes(each, LIMIT.burst);
    expect((await each.ask('/nowhere')).status).toBe(429);
    for (let count = 0; count < 3; count += 1) {
      expect((await each.ask('/v1/push/provider_a', STRANGER, genuine)).status).toBe(202);
    }
  });

  it.each([
    ['without a body', false],
    ['in a small body', true],
  ])('are not refused either when nothing but forged ones came from there before: %s', async (_name, hasBody) => {
    const channelId = createId(systemRandom, 'chn');
    const token = createChannelTokens(parseSecrets(Buffer.alloc(32, 7).toString('base64'))).issue(channelId);
    const notify = (secret: string) =>
      hasBody
        ? (['/v1/push/provider_b', graphBatch(secret)] as const)
        : ([
            '/v1/push/provider_a',
            {
              method: 'POST',
              headers: {
                'x-goog-channel-id': channelId,
                'x-goog-resource-state': 'exists',
                'x-goog-channel-token': secret,
              },
            },
          ] as const);
    const send = (each: Stage, secret: string) => {
      const [path, init] = notify(secret);
      return each.ask(path, STRANGER, init);
    };
    const each = stage();
    // This endpoint is unauthenticated: any provider's notifications arrive here.
    for (let count = 0; count < LIMIT.burst; count += 1) expect((await send(each, 'forged')).status).toBe(202);
    expect((await send(each, 'forged')).status).toBe(429);
    expect((await send(each, token)).status).toBe(202);
    expect((await each.ask('/nowhere')).status).toBe(429);
  });

  it('over the limit, large bodies of unknown senders are not read', async () => {
    const each = stage();
    await failTimes(each, LIMIT.burst);
    const init = post({ value: Array.from({ length: 500 }, () => ({ subscriptionId: 's', clientState: 'forged' })) });
    expect((await each.ask('/v1/push/provider_b', STRANGER, init)).status).toBe(429);
    const stream = new ReadableStream({ pull: () => expect.unreachable('the body was read') }, { highWaterMark: 0 });
    const unbounded = { method: 'POST', body: stream, duplex: 'half' } as RequestInit;
    expect((await each.ask('/v1/push/provider_b', STRANGER, unbounded)).status).toBe(429);
  });
});
