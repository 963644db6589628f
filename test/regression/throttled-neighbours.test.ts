import { manualClock, seededRandom } from '@kalends/conformance';
import { google } from '@kalends/google';
import type { CalendarRef, Logger, ProviderSession } from 'kalends/ports';
import { expect, it } from 'vitest';

const MAILBOX = { id: 'me@example.com' };
const EVENT = {
  id: 'e1',
  status: 'confirmed',
  start: { dateTime: '2026-03-02T09:00:00Z' },
  end: { dateTime: '2026-03-02T10:00:00Z' },
};
const CALENDAR: CalendarRef = {
  id: 'c1',
  timeZone: 'UTC',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: [],
  defaultOnlineMeetingProvider: '',
};

/** Google, throttling its first call. */
function throttlingOnce(retryAfterSeconds: number, body: object) {
  const clock = manualClock();
  let calls = 0;
  const fetch = async () => {
    calls += 1;
    if (calls > 1) return Response.json(body);
    return new Response('', { status: 429, headers: { 'retry-after': String(retryAfterSeconds) } });
  };
  let warn: () => void = () => undefined;
  const repeating = new Promise<void>((resolve) => {
    warn = resolve;
  });
  const ignore = () => undefined;
  const logger: Logger = { debug: ignore, info: ignore, warn: () => warn(), error: ignore };
  return { clock, repeating, provider: google({ fetch, clock, logger, random: seededRandom(1) }) };
}

it('signs a person in while the sign-in of another one is throttled', async () => {
  const { authorization } = throttlingOnce(60, MAILBOX).provider;
  await expect(authorization.identify('first')).rejects.toMatchObject({ reason: 'rate-limited' });
  expect(await authorization.identify('second')).toMatchObject({ email: MAILBOX.id });
});

it('makes the other calls of a mailbox wait for the longest Retry-After that is waited for', async () => {
  const { clock, repeating, provider } = throttlingOnce(10, EVENT);
  const session: ProviderSession = { accountId: 'a', email: 'me@example.com', accessToken: async () => 'token' };
  const get = () => provider.events.get(session, CALENDAR, 'e1');
  const throttled = get();
  await repeating;
  const other = get();
  const outcomes = Promise.allSettled([throttled, other]);
  await clock.advance(60_000);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});
