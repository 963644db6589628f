import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { createEngine, type Engine, type EngineOptions } from 'kalends';
import type { Finding, Provider } from 'kalends/ports';
import { ProviderError } from 'kalends/ports';
import { systemRandom } from 'kalends/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { serviceKeyring } from '../data-keys/service-keyring.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(32, 8).toString('base64');
const DAY = 86_400_000;

function engineOf({ storage, fake, clock }: ComposedEngine, options: Partial<EngineOptions> = {}): Engine {
  return createEngine({
    storage,
    providers: { FAKE: fake.provider },
    secret: SECRET,
    clock,
    random: systemRandom,
    ...options,
  });
}

/** Returns the diagnosis; time passes only where a check waits for it. */
async function diagnose(engine: Engine): Promise<{ readonly status: string; of(check: string): readonly Finding[] }> {
  const { status, findings } = await engine.operations.diagnose();
  for (const { status: each, remedy } of findings) {
    if (each === 'ok') expect(remedy).toBeNull();
    if (each === 'failed') expect(remedy).not.toBeNull();
  }
  return { status, of: (check) => findings.filter((finding) => finding.check === check) };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves the interface of an engine under /api. */
const serve = (engine: Engine) => listen(createServer(nodeListener(createHandler(engine, { basePath: '/api' }))));

it('recognises this installation at its push address, also from another process with a previous secret', async () => {
  const composed = await openComposedEngine();
  const url = await serve(engineOf(composed));
  const rotated = engineOf(composed, { publicUrl: `${url}/api`, secret: OTHER, previousSecrets: [SECRET] });
  const { of } = await diagnose(rotated);
  expect(of('push')).toMatchObject([{ status: 'ok', message: expect.stringContaining(`${url}/api/v1/push/fake`) }]);
  expect(of('publicUrl')).toMatchObject([{ status: 'warning' }]);
  expect(of('publicAddress')).toMatchObject([{ status: 'warning', message: expect.stringContaining('127.0.0.1') }]);
});

it('notices what else may answer there', async () => {
  const composed = await openComposedEngine();
  const stranger = engineOf(composed, { secret: OTHER });
  // Answers as Graph expects it, and could fool a check that only looks for its own token.
  const echo = createServer((request, response) => {
    response.end(new URL(request.url ?? '', 'http://x').searchParams.get('validationToken'));
  });
  const page = createServer((_request, response) => response.writeHead(404).end('<h1>nginx</h1>'));
  const closed = createServer();
  const closedUrl = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  for (const [url, expected] of [
    [await serve(stranger), 'another installation'],
    [await listen(echo), 'is not kalends'],
    [await listen(page), 'with status 404'],
    [closedUrl, 'refuses or breaks the connection'],
  ] as const) {
    const { status, of } = await diagnose(engineOf(composed, { publicUrl: `${url}/api` }));
    expect(of('push')).toMatchObject([{ status: 'failed', message: expect.stringContaining(expected) }]);
    expect(status).toBe('failed');
  }
});

it.each([
  [undefined, 'warning', 'No public URL is set'],
  ['http://calendar.invalid/api', 'failed', 'is not https'],
  ['https://calendar.invalid/api', 'ok', 'https://calendar.invalid/api'],
])('judges the public URL %s: %s', async (publicUrl, status, message) => {
  const composed = await openComposedEngine();
  const { of } = await diagnose(engineOf(composed, publicUrl === undefined ? {} : { publicUrl }));
  expect(of('publicUrl')).toMatchObject([{ status, message: expect.stringContaining(message) }]);
  if (publicUrl === undefined) expect(of('push')).toEqual([]);
  else expect(of('publicAddress')).toMatchObject([{ status: 'failed', message: expect.stringContaining('resolve') }]);
});

it('tests OAuth clients, notes it in the audit log, and watches the ends of their secrets', async () => {
  const composed = await openComposedEngine();
  const { fake, clock, applicationId } = composed;
  const refusing: Provider = {
    ...fake.provider,
    authorization: {
      ...fake.provider.authorization,
      refresh: () => Promise.reject(new ProviderError('operator', 'the client secret is wrong')),
    },
  };
  const providers = { FAKE: fake.provider, BAD: refusing, OLD: fake.provider };
  const engine = engineOf(composed, { providers });
  const at = (days: number) => new Date(clock.now() + days * DAY).toISOString();
  const client = { clientId: 'c', clientSecret: 's' };
  await engine.oauthClients.set(applicationId, 'FAKE', { ...client, secretExpiresAt: at(31) });
  await engine.oauthClients.set(applicationId, 'BAD', { ...client, secretExpiresAt: at(29) });
  await engine.oauthClients.set(applicationId, 'OLD', client);
  const by = { type: 'admin', id: 'ada', address: '192.0.2.1' } as const;
  const { status, findings } = await engine.operations.diagnose(by);
  const told = (check: string) =>
    findings.filter((each) => each.check === check).map((each) => [each.status, each.message]);
  expect(told('oauthClient')).toEqual([
    ['failed', expect.stringMatching(/at BAD: .*the client secret is wrong/)],
    ['ok', expect.stringContaining('at FAKE is accepted')],
    ['ok', expect.stringContaining('at OLD is accepted')],
  ]);
  expect(told('oauthClientSecret')).toEqual([
    ['warning', expect.stringMatching(/at BAD ends on .*, in 29 days/)],
    ['ok', expect.stringMatching(/at FAKE ends on .*, in 31 days/)],
    ['skipped', expect.stringContaining('at OLD has no known end')],
  ]);
  expect(status).toBe('failed');
  const { data } = await engine.audit.list({ action: 'oauthClient.tested' });
  expect(data.map(({ actor }) => actor)).toEqual([by, by, by]);
  await clock.advance(30 * DAY);
  const later = await diagnose(engine);
  expect(later.of('oauthClientSecret').map((each) => each.status)).toEqual(['failed', 'warning', 'skipped']);
});

it('compares the clocks of providers, by their Date header', async () => {
  const composed = await openComposedEngine();
  const { fake, clock } = composed;
  const at = (skewMs: number | null): Provider => ({
    ...fake.provider,
    authorization: {
      ...fake.provider.authorization,
      readTime: async () => (skewMs === null ? null : clock.now() + skewMs),
    },
  });
  const providers = { GOOD: at(2_000), LATE: at(60_000), WRONG: at(-3_600_000), SILENT: at(null) };
  const { of } = await diagnose(engineOf(composed, { providers }));
  expect(of('providerClock').map((each) => [each.status, each.message])).toEqual([
    ['ok', expect.stringContaining('GOOD')],
    ['warning', expect.stringContaining('is 60 s behind that of the provider LATE')],
    ['failed', expect.stringContaining('is 3600 s ahead of that of the provider WRONG')],
    ['skipped', expect.stringContaining('SILENT')],
  ]);
  expect(of('databaseClock')).toMatchObject([{ status: 'ok' }]);
  expect(of('zoneData')).toMatchObject([{ status: 'ok' }]);
});

it('ends in bounded time: a check that hangs or fails is a finding, and the others are told', async () => {
  const composed = await openComposedEngine();
  const signals: AbortSignal[] = [];
  const hostChecks = [
    {
      check: 'hangs',
      run: (signal: AbortSignal) => {
        signals.push(signal);
        return new Promise<readonly Finding[]>(() => undefined);
      },
    },
    { check: 'breaks', run: () => Promise.reject(new Error('planted')) },
    { check: 'host', run: async () => [{ check: 'host', status: 'ok', message: 'fine', remedy: null } as const] },
  ];
  const engine = engineOf(composed, { hostChecks });
  let over = false;
  const diagnosis = diagnose(engine).finally(() => {
    over = true;
  });
  let seconds = 0;
  for (; !over && seconds < 60; seconds += 1) await composed.clock.advance(1_000);
  const { of } = await diagnosis;
  expect(seconds).toBeLessThan(30);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(of('hangs')).toMatchObject([{ status: 'warning', message: 'The check did not end within 10 s.' }]);
  expect(of('breaks')).toMatchObject([{ status: 'failed', message: expect.stringContaining('planted') }]);
  expect(of('host')).toMatchObject([{ status: 'ok' }]);
});

it('says what a secret that does not fit needs, and which parts of a database it cannot look at', async () => {
  const composed = await openComposedEngine();
  const wrong = await diagnose(engineOf(composed, { secret: OTHER }));
  expect(wrong.of('secret')).toMatchObject([{ status: 'failed', message: expect.stringContaining('open nothing') }]);
  const away = { ...composed.storage.health, reach: () => Promise.reject(new Error('planted outage')) };
  const storage = { ...composed.storage, health: away };
  const { status, of } = await diagnose(engineOf(composed, { storage }));
  expect(status).toBe('failed');
  expect(of('database')).toMatchObject([{ status: 'failed', message: expect.stringContaining('planted outage') }]);
  expect([of('secret')[0]?.status, of('oauthClient')[0]?.status]).toEqual(['skipped', 'skipped']);
  expect(of('zoneData')).toHaveLength(1);
  const empty = { ...composed.storage.health, schema: async () => ({ applied: [], missing: ['0001'] }) };
  const unmigrated = await diagnose(engineOf(composed, { storage: { ...composed.storage, health: empty } }));
  expect(unmigrated.of('database')).toMatchObject([
    { status: 'failed', remedy: expect.stringContaining('kalends migrate') },
  ]);
});

it('asks each keyring whether it works: one that wraps must, others are wanted for what they wrapped', async () => {
  const composed = await openComposedEngine();
  const [current, former] = [serviceKeyring('new'), serviceKeyring('old')];
  const engine = engineOf(composed, { keyring: current, previousKeyrings: [former] });
  // The local one, under the secret, comes last.
  const statuses = async () => (await diagnose(engine)).of('keyring').map(({ status }) => status);
  expect(await statuses()).toEqual(['ok', 'ok', 'ok']);
  former.isAway = true;
  expect(await statuses()).toEqual(['ok', 'warning', 'ok']);
  current.isAway = true;
  expect(await statuses()).toEqual(['failed', 'warning', 'ok']);
  const [finding] = (await diagnose(engine)).of('keyring');
  expect(finding?.message).toContain('new');
  expect(finding?.message).toContain('taken away by the test');
});
