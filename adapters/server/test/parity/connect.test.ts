import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock, seededRandom, type Transcript } from '@kalends/conformance';
import type { Clock } from 'kalends/ports';
import { systemClock } from 'kalends/runtime';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { consentOnLoopback } from '../../src/parity/loopback-consent.ts';
import { PROVIDER_NAMES, type ProviderName, providerAt } from '../../src/parity/provider-at.ts';
import { walkAuthorization } from '../../src/tour/browser.ts';
import { CLIENT, EMAIL, ONE_CASE, runCommand, startStandIn } from './stand-in.ts';

const folder = mkdtempSync(join(tmpdir(), 'kalends-connect-'));
const running: Awaited<ReturnType<typeof startStandIn>>[] = [];
afterEach(async () => {
  for (const { sandbox } of running.splice(0)) await sandbox.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function standIn(name: ProviderName) {
  const started = await startStandIn(name);
  running.push(started);
  return started;
}

describe.each(PROVIDER_NAMES)('%s', (name) => {
  test('--connect signs in on the consent page, and neither token nor code is printed or recorded', async () => {
    const { env, server } = await standIn(name);
    const out = join(folder, `${name}.json`);
    let landed: Promise<URL> | undefined;
    const run = await runCommand(
      ['--provider', name, '--connect', '--settle', '0', '--only', ONE_CASE, '--out', out],
      env,
      (stderr) => {
        const consentUrl = /^http\S+$/m.exec(stderr)?.[0];
        if (landed !== undefined || consentUrl === undefined || !stderr.includes('Redirect URI')) return;
        landed = consentIn(consentUrl, server);
      },
    );
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(`passed  ${ONE_CASE}\n`);
    const callback = await landed;
    expect(callback?.hostname).toBe(name === 'google' ? '127.0.0.1' : 'localhost');
    const everything = [run.stdout, run.stderr.replace(/^http\S+$/m, ''), readFileSync(out, 'utf8')].join();
    const code = callback?.searchParams.get('code') ?? '';
    expect(code.length).toBeGreaterThan(10);
    expect(everything).not.toContain(code);
    const transcript = JSON.parse(readFileSync(out, 'utf8')) as Transcript;
    const bodies = transcript.cases.flatMap(({ exchanges }) => exchanges.map(({ requestBody }) => requestBody));
    const refreshes = bodies.filter((body) => JSON.stringify(body).includes('refresh_token'));
    expect(refreshes).toEqual([expect.objectContaining({ refresh_token: '~refreshtoken.1~' })]);
  });
});

/** Registers the redirect URI, consents as a browser does, and opens the redirect. */
async function consentIn(consentUrl: string, server: Awaited<ReturnType<typeof startStandIn>>['server']): Promise<URL> {
  const redirectUri = new URL(consentUrl).searchParams.get('redirect_uri') ?? '';
  server.addClient({ ...CLIENT, redirectUris: [redirectUri] });
  const { parameters } = await walkAuthorization(consentUrl, redirectUri, EMAIL);
  const callback = new URL(`${redirectUri}?${parameters}`);
  await fetch(callback);
  return callback;
}

/** Opens the listener of a sign-in; `ready` resolves with its addresses. */
async function signIn(clock: Clock = systemClock, port = 0) {
  const { env, server } = await standIn('google');
  const provider = providerAt('google', { root: env['KALENDS_PARITY_ROOT'], clock: systemClock, fetch });
  let onReady: (consentUrl: string, redirectUri: string) => void = () => undefined;
  const ready = new Promise<{ consentUrl: string; redirectUri: string; state: string }>((resolve) => {
    onReady = (consentUrl, redirectUri) =>
      resolve({ consentUrl, redirectUri, state: new URL(consentUrl).searchParams.get('state') ?? '' });
  });
  const token = consentOnLoopback({
    provider,
    client: { ...CLIENT, settings: {} },
    port,
    host: '127.0.0.1',
    onReady,
    clock,
    random: seededRandom(1),
  });
  // Its rejection is looked at later.
  token.catch(() => undefined);
  return { token, ready, server };
}

test('asks with PKCE, state and nonce, for a refresh token', async () => {
  const { ready, token } = await signIn();
  const { consentUrl, redirectUri, state } = await ready;
  const asked = Object.fromEntries(new URL(consentUrl).searchParams);
  expect(asked).toMatchObject({
    redirect_uri: redirectUri,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    access_type: 'offline',
    prompt: 'consent',
  });
  expect(new Set([asked['code_challenge'], asked['nonce'], state]).size).toBe(3);
  expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  await fetch(`${redirectUri}?state=${state}&error=access_denied`);
  await expect(token).rejects.toThrow('the provider refused: access_denied');
});

test('takes nothing but one answer to its own state, and closes then', async () => {
  const { ready, token, server } = await signIn();
  const { consentUrl, redirectUri, state } = await ready;
  const status = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
  expect(await status(`${redirectUri}?state=another&code=stolen`)).toBe(400);
  expect(await status(`${redirectUri}?code=stolen`)).toBe(400);
  expect(await status(new URL('/', redirectUri).href)).toBe(404);
  expect(await status(`${redirectUri}?state=${state}&code=posted`, { method: 'POST' })).toBe(404);
  const callback = await consentIn(consentUrl, server);
  expect(await token).toMatch(/./);
  await expect(fetch(callback)).rejects.toThrow();
});

test.each([
  ['code=made-up', 'the provider refused the code of the consent'],
  ['', 'the provider sent no code'],
  ['error=%1B[31mred', 'the provider refused: unknown'],
])('an answer with %j is an error that says so', async (parameters, message) => {
  const { ready, token } = await signIn();
  const { redirectUri, state } = await ready;
  const page = await fetch(`${redirectUri}?state=${state}&${parameters}`);
  expect(page.status).toBe(400);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(await page.text()).toContain('The terminal says why.');
  await expect(token).rejects.toMatchObject({ name: 'CommandError', exitCode: 1 });
  await expect(token).rejects.toThrow(message);
});

test('gives up after ten minutes', async () => {
  const clock = manualClock();
  const { ready, token } = await signIn(clock);
  const { redirectUri } = await ready;
  await clock.advance(9 * 60_000);
  expect((await fetch(redirectUri)).status).toBe(400);
  await clock.advance(60_000);
  await expect(token).rejects.toThrow('no consent came within 10 minutes');
});

test('names --port when the port is taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const { token } = await signIn(systemClock, port);
  await expect(token).rejects.toThrow(`port ${port} is taken; choose another with --port N`);
  await new Promise((resolve) => other.close(resolve));
});
