import { manualClock, seededRandom, waitlessClock } from '@kalends/conformance';
import { type GoogleOptions, google } from '@kalends/google';
import type { ProviderSession } from 'kalends/ports';
import { afterEach, describe, expect, test } from 'vitest';
import { failureOf, primaryOf } from '../harness.ts';
import { type ReplayedAnswer, startReplay } from '../replay-server.ts';

const EVENT = JSON.stringify({
  id: 'e1',
  etag: '"1"',
  status: 'confirmed',
  iCalUID: 'e1@google.com',
  start: { dateTime: '2026-03-02T09:00:00Z' },
  end: { dateTime: '2026-03-02T10:00:00Z' },
});
const ok: ReplayedAnswer = { status: 200, body: EVENT };
const refused = (status: number, reason: string, headers: Record<string, string> = {}): ReplayedAnswer => ({
  status,
  headers,
  body: JSON.stringify({ error: { code: status, message: reason, errors: [{ domain: 'global', reason }] } }),
});

let close: (() => Promise<void>) | undefined;

afterEach(async () => {
  await close?.();
  close = undefined;
});

async function start(answers: readonly ReplayedAnswer[], options: GoogleOptions = {}) {
  const server = await startReplay(answers);
  close = server.close;
  const clock = waitlessClock(() => Date.UTC(2026, 2, 2));
  const provider = google({ baseUrl: server.url, clock, random: seededRandom(1), ...options });
  return { provider, seen: server.seen };
}

const session = (accountId = 'acc_1'): ProviderSession => ({
  accountId,
  email: 'me@example.com',
  accessToken: async (stale) => (stale === undefined ? 'first' : 'second'),
});

const calendar = primaryOf('me@example.com');
const get = (provider: ReturnType<typeof google>, by = session()) => provider.events.get(by, calendar, 'e1');
const insert = ({ calendars }: ReturnType<typeof google>) =>
  calendars.create(session(), { name: 'Work', timeZone: 'UTC' });

describe('requests', () => {
  test('carry the token, and ids are encoded', async () => {
    const { provider, seen } = await start([ok]);
    await provider.events.get(session(), { ...calendar, id: 'a#b@c/d' }, 'e 1');
    expect(seen[0]).toMatchObject({
      method: 'GET',
      url: '/calendar/v3/calendars/a%23b%40c%2Fd/events/e%201',
      headers: { authorization: 'Bearer first' },
    });
  });
});

describe('repetitions', () => {
  test.each([
    ['403 rateLimitExceeded', refused(403, 'rateLimitExceeded')],
    ['403 userRateLimitExceeded', refused(403, 'userRateLimitExceeded')],
    ['429', { status: 429 }],
    ['500', { status: 500, body: '<html>oops</html>' }],
    ['503', refused(503, 'backendError')],
  ] as [string, ReplayedAnswer][])('after %s', async (_name, answer) => {
    const { provider, seen } = await start([answer, answer, ok]);
    await get(provider);
    expect(seen).toHaveLength(3);
  });

  test('an exhausted quota is not tried again, and holds up no other call', async () => {
    const { provider, seen } = await start([refused(403, 'quotaExceeded'), ok]);
    expect(await failureOf(get(provider))).toMatchObject({ reason: 'rate-limited', retryAfterMs: 60_000 });
    await get(provider);
    expect(seen).toHaveLength(2);
  });

  test('a POST that may have been carried out is not repeated, one that was throttled is', async () => {
    const lost = await start([{ status: 503 }]);
    expect(await failureOf(insert(lost.provider))).toMatchObject({ reason: 'unavailable' });
    expect(lost.seen).toHaveLength(1);
    await close?.();
    const throttled = await start([refused(403, 'rateLimitExceeded'), refused(400, 'invalid')]);
    expect(await failureOf(insert(throttled.provider))).toMatchObject({ reason: 'invalid' });
    expect(throttled.seen).toHaveLength(2);
  });
});

describe('answers', () => {
  test.each([
    ['400 invalid', refused(400, 'invalid'), 'invalid'],
    ['400 timeRangeEmpty', refused(400, 'timeRangeEmpty'), 'invalid'],
    ['400 eventTypeRestriction', refused(400, 'eventTypeRestriction'), 'unsupported'],
    ['403 forbidden', refused(403, 'forbidden'), 'forbidden'],
    ['403 insufficientPermissions', refused(403, 'insufficientPermissions'), 'forbidden'],
    ['403 accessNotConfigured', refused(403, 'accessNotConfigured'), 'operator'],
    ['403 forbiddenForNonOrganizer', refused(403, 'forbiddenForNonOrganizer'), 'not-organizer'],
    [
      '403 SERVICE_DISABLED in the newer form',
      { status: 403, body: '{"error":{"code":403,"message":"off","details":[{},{"reason":"SERVICE_DISABLED"}]}}' },
      'operator',
    ],
    ['403 of a proxy', { status: 403, body: '<html>Forbidden</html>' }, 'forbidden'],
    ['412', refused(412, 'conditionNotMet'), 'precondition-failed'],
    ['410 fullSyncRequired', refused(410, 'fullSyncRequired'), 'sync-token-expired'],
    ['302', { status: 302, headers: { location: '/elsewhere' } }, 'malformed'],
    ['200 that is no JSON', { status: 200, body: '<html>' }, 'malformed'],
  ] as [string, ReplayedAnswer, string][])('%s', async (_name, answer, reason) => {
    const { provider } = await start([answer]);
    expect(await failureOf(get(provider))).toMatchObject({ reason });
  });

  test.each([
    ['an id of another type', '{"id":1}', 'id: is not as documented'],
    ['no start', '{"id":"e1"}', 'start: is required of an event'],
    ['another shape', '[]', 'object: is not as documented'],
  ])('an event with %s is unreadable', async (_name, body, reason) => {
    const { provider } = await start([{ status: 200, body }]);
    expect(await get(provider)).toEqual([{ kind: 'unreadable', providerEventId: 'e1', seriesId: null, reason }]);
  });

  test('never a token in a message', async () => {
    const { provider } = await start([refused(403, 'forbidden')]);
    expect((await failureOf(get(provider))).message).not.toContain('first');
  });
});

test('600 calls a minute and mailbox, on any clock', async () => {
  const clock = manualClock();
  const provider = google({ clock, fetch: async () => new Response(EVENT) });
  for (let at = 0; at < 600; at += 1) await get(provider);
  expect(await failureOf(get(provider))).toMatchObject({ reason: 'rate-limited', retryAfterMs: 60_000 });
  await get(provider, session('acc_2'));
  await clock.advance(60_000);
  await get(provider);
});
