import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, PROVIDERS, type ProviderName, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  // No waiting in tests: what the provider asks to wait for longer than a moment is answered at once.
  world = await createWorld();
});
afterEach(() => world.close());

const EVENTS = { google: '/calendar/v3/calendars/.*/events', microsoft: '/v1.0/me/calendars/.*/events' };

function fail(provider: ProviderName, fault: { status: number; headers?: Record<string, string>; body?: unknown }) {
  world.sandbox.faults.arm({ provider, method: 'POST', path: EVENTS[provider], kind: 'answer', ...fault });
}

const GOOGLE_THROTTLED = {
  error: { code: 403, message: 'x', errors: [{ domain: 'usageLimits', reason: 'rateLimitExceeded' }] },
};

describe.each(PROVIDERS)('when $provider fails a write', ({ provider }) => {
  const create = async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    expect((await world.call('GET', path)).status).toBe(200);
    const answer = () =>
      world.call('POST', path, { body: { title: 'x', start: { dateTime: '2026-03-02T09:00:00Z' } } });
    return { path, answer };
  };

  it('429 RateLimited with Retry-After, and nothing is written', async () => {
    const { path, answer } = await create();
    fail(provider, {
      status: provider === 'google' ? 403 : 429,
      headers: { 'retry-after': '120' },
      body: provider === 'google' ? GOOGLE_THROTTLED : { error: { code: 'TooManyRequests', message: 'x' } },
    });
    const refused = await answer();
    expect([refused.status, refused.body.code]).toEqual([429, 'RateLimited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(100);
    world.sandbox.faults.clear();
    expect((await world.call('GET', path)).body.data).toEqual([]);
  });

  it('503 ProviderUnavailable with Retry-After for an outage that says how long', async () => {
    const { answer } = await create();
    fail(provider, { status: 503, headers: { 'retry-after': '300' }, body: '<html>Service Unavailable</html>' });
    const refused = await answer();
    expect([refused.status, refused.body.code]).toEqual([503, 'ProviderUnavailable']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('502 ProviderError for an answer that is not what is documented', async () => {
    const { answer } = await create();
    fail(provider, { status: 200, body: { hello: 'world' } });
    const refused = await answer();
    expect([refused.status, refused.body.code]).toEqual([502, 'ProviderError']);
  });
});

describe.each(PROVIDERS)('reading from $provider', ({ provider }) => {
  it('503 CalendarSyncing with Retry-After while the first pull goes on, then everything', async () => {
    const slow = await createWorld({ sync: { readWaitMs: 1 } });
    try {
      const { accountId, calendarId } = await slow.connect(provider).catch(async () => reconnect(slow, provider));
      const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
      slow.sandbox.faults.arm({
        provider,
        method: 'GET',
        path: EVENTS[provider],
        kind: 'delay',
        delayMs: 100,
        times: 1,
      });
      let refusals = 0;
      let answer = await slow.call('GET', path);
      while (answer.status === 503) {
        expect(answer.body.code).toBe('CalendarSyncing');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        refusals += 1;
        answer = await slow.call('GET', path);
      }
      expect(answer.status).toBe(200);
      expect(refusals).toBeGreaterThan(0);
    } finally {
      await slow.close();
    }
  });

  it('answers from the mirror while the provider is down', async () => {
    const { accountId, calendarId } = await world.connect(provider);
    const path = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    await world.call('POST', path, { body: { title: 'kept', start: { dateTime: '2026-03-02T09:00:00Z' } } });
    world.sandbox.faults.arm({ provider, kind: 'answer', status: 503, headers: { 'retry-after': '300' } });
    const answer = await world.call('GET', path);
    expect([answer.status, answer.body.data.map(({ title }: { title: string }) => title)]).toEqual([200, ['kept']]);
    expect(Date.parse(answer.headers.get('x-kalends-synced-at') ?? '')).toBeLessThanOrEqual(Date.now());
  });
});

/** The list of calendars was still being pulled: the account is there, ask again. */
async function reconnect(slow: World, provider: ProviderName) {
  const { body } = await slow.call('GET', '/v1/endUserAccounts');
  const account = body.data.find(({ email }: { email: string }) => email.endsWith(`@${provider}.example`));
  let calendars = await slow.call('GET', `/v1/calendars/${account.id}`);
  while (calendars.status === 503) calendars = await slow.call('GET', `/v1/calendars/${account.id}`);
  const primary = calendars.body.data.find(({ isPrimary }: { isPrimary: boolean }) => isPrimary);
  return { accountId: account.id as string, calendarId: primary.id as string };
}
