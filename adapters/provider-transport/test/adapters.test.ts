import { type ManualClock, manualClock, seededRandom } from '@kalends/conformance';
import { google } from '@kalends/google';
import { microsoft } from '@kalends/microsoft';
import type { CalendarRef, Provider, ProviderSession } from 'kalends/ports';
import { expect, onTestFinished, test } from 'vitest';
import { type ReplayedAnswer, type ReplayServer, type SeenRequest, startReplay } from './replay-server.ts';

/* Both providers stand on one transport: the same failures of a server, the same behaviour. */

const MINUTE_MS = 60_000;

type Options = Pick<NonNullable<Parameters<typeof google>[0]>, 'limits' | 'retry'>;

const ADAPTERS = {
  Google: (url: string, clock: ManualClock, options: Options): Provider =>
    google({ baseUrl: url, clock, random: seededRandom(1), ...options }),
  Microsoft: (url: string, clock: ManualClock, options: Options): Provider =>
    microsoft({ graphUrl: url, clock, random: seededRandom(1), ...options }),
};

const EVENTS = {
  Google: {
    id: 'e1',
    etag: '"1"',
    status: 'confirmed',
    iCalUID: 'e1@example.com',
    summary: 'Before',
    start: { dateTime: '2026-03-02T09:00:00Z' },
    end: { dateTime: '2026-03-02T10:00:00Z' },
  },
  Microsoft: {
    '@odata.etag': '"1"',
    id: 'e1',
    type: 'singleInstance',
    iCalUId: 'e1',
    subject: 'Before',
    isOrganizer: true,
    start: { dateTime: '2026-03-02T09:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-03-02T10:00:00.0000000', timeZone: 'UTC' },
  },
};

const calendar: CalendarRef = {
  id: 'c1',
  timeZone: 'UTC',
  isPrimary: true,
  isShared: false,
  inviteEmail: '',
  allowedOnlineMeetingProviders: [],
  defaultOnlineMeetingProvider: '',
};

const NAMES = ['Google', 'Microsoft'] as const;

interface Stage {
  readonly server: ReplayServer;
  readonly clock: ManualClock;
  readonly provider: Provider;
  /** Whether each call that was admitted ran in the background. */
  readonly admitted: boolean[];
  session(accountId?: string): ProviderSession;
  get(accountId?: string): Promise<unknown>;
}

async function stage(
  name: (typeof NAMES)[number],
  answers: (ok: ReplayedAnswer) => Parameters<typeof startReplay>[0],
  options: Options = {},
): Promise<Stage> {
  const server = await startReplay(answers({ status: 200, body: JSON.stringify(EVENTS[name]) }));
  onTestFinished(() => server.close());
  const clock = manualClock();
  const provider = ADAPTERS[name](server.url, clock, options);
  const admitted: boolean[] = [];
  const session = (accountId = 'acc_1'): ProviderSession => ({
    accountId,
    email: 'me@example.com',
    accessToken: async (refused) => (refused === undefined ? 'first' : 'second'),
    admit: async (isBackground) => void admitted.push(isBackground),
  });
  const get = (accountId?: string) => provider.events.get(session(accountId), calendar, 'e1');
  return { server, clock, provider, admitted, session, get };
}

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}): ReplayedAnswer => ({
  status,
  headers,
  body: JSON.stringify({ error: { code: 'TooManyRequests', message: 'no' } }),
});

test.each(NAMES)('%s: a throttled mailbox pauses for as long as it is told to, others are not', async (name) => {
  const { server, clock, get } = await stage(name, (ok) => [refusal(429, { 'retry-after': '120' }), ok]);
  await expect(get()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 120_000 });
  await expect(get()).rejects.toMatchObject({ reason: 'rate-limited', retryAfterMs: 120_000 });
  expect(server.seen).toHaveLength(1);
  await get('acc_2');
  await clock.advance(120_000);
  await get();
  expect(server.seen.length).toBeGreaterThanOrEqual(3);
});

test.each(NAMES)('%s: a wait for a turn that is too long is refused at once', async (name) => {
  const limits = { callsPerInterval: 2, intervalMs: MINUTE_MS };
  const { server, get } = await stage(name, (ok) => [ok], { limits, retry: { maxWaitMs: 1_000 } });
  const outcomes = await Promise.allSettled([get(), get(), get()]);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([{ status: 'rejected', reason: expect.objectContaining({ reason: 'rate-limited' }) }]);
  expect(server.seen.length).toBeLessThanOrEqual(2);
});

test.each(NAMES)('%s: a read that timed out on the injected clock is repeated once', async (name) => {
  const { server, clock, get } = await stage(name, () => ['silent']);
  const call = expect(get()).rejects.toMatchObject({ reason: 'timeout', status: undefined });
  await server.arrived(1);
  await clock.advance(MINUTE_MS);
  await server.arrived(2);
  await clock.advance(MINUTE_MS);
  await call;
  expect(server.seen).toHaveLength(2);
});

test.each(NAMES)('%s: a conditional write of unknown outcome is sent once', async (name) => {
  const answers = (ok: ReplayedAnswer) => (request: SeenRequest) => (request.method === 'PATCH' ? 'reset' : ok);
  const { server, provider, session } = await stage(name, answers);
  const [change] = await provider.events.get(session(), calendar, 'e1');
  if (change?.kind !== 'event') throw new Error('no event');
  const current = change.event;
  const write = provider.events.update(
    session(),
    calendar,
    { kind: 'event', providerEventId: 'e1', current },
    { title: 'After' },
    { ifMatch: '"1"' },
  );
  await expect(write).rejects.toMatchObject({ reason: 'unavailable' });
  expect(server.seen.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
});

test.each(NAMES)('%s: every request is admitted, that with a fresh token too', async (name) => {
  const { server, get, admitted } = await stage(name, (ok) => [refusal(401), ok]);
  await get();
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  expect(admitted).toEqual([false, false]);
});

test.each(NAMES)('%s: an answer that inflates beyond the bound is refused, naming the provider', async (name) => {
  const bomb: ReplayedAnswer = { status: 200, body: ' '.repeat(3_000_000), gzip: true };
  const { get } = await stage(name, () => [bomb], { limits: { maxAnswerBytes: 1_000_000 } });
  await expect(get()).rejects.toMatchObject({
    reason: 'malformed',
    message: expect.stringMatching(`^${name} .* 1000000 bytes`),
  });
});
