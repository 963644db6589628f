import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler, type Handler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { build } from 'esbuild-wasm';
import { createEngine, type Engine } from 'kalends';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems, openBrowser, openPage, SCREENS } from './chromium.ts';

/* <kalends-connect> in a page of an application: strict content security policy, no bundler at run time, both providers. */
const CLIENT = { clientId: 'app', clientSecret: 'hush' };
const PROVIDERS = [
  ['google', 'PROVIDER_A'],
  ['microsoft', 'PROVIDER_B'],
] as const;
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'";
const STYLE = ':root { color-scheme: light dark; background: light-dark(#fff, #14171c); font: 16px/1.5 system-ui }';
/** Registers the element, and keeps what it says; `hold` in the address keeps the browser on the page. */
const SCRIPT = `import { defineKalendsConnect } from './connect.js';
globalThis.seen = [];
for (const name of ['kalends-connect', 'kalends-connected', 'kalends-error']) {
  document.addEventListener(name, (event) => {
    seen.push([name, event.detail]);
    if (location.hash === '#hold') event.preventDefault();
  });
}
defineKalendsConnect();`;

const sandbox = createSandbox({ seed: 7 });
const server = createServer((request, response) => listener(request, response));
let listener: ReturnType<typeof nodeListener>;
let engine: Engine;
let browser: Browser;
let origin: string;
let applicationId: string;

const page = (attributes: string) => `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Settings</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css"><main><h1>Settings</h1>
<kalends-connect base-url="/api" application-id="${applicationId}" redirect-url="/settings" ${attributes}>
<p>Choose where your calendar is.</p></kalends-connect></main>
<script type="module" src="/page.js"></script></html>`;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../adapters/client/src/connect/index.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/connect.js': ['text/javascript', outputFiles[0]?.text ?? ''],
    '/page.js': ['text/javascript', SCRIPT],
    '/page.css': ['text/css', STYLE],
  };
  let api: Handler | undefined;
  listener = nodeListener(async (request, peer) => {
    const { pathname, searchParams } = new URL(request.url);
    if (api?.matches(pathname)) return api(request, peer);
    const [type, text] = files[pathname] ?? ['text/html', page(searchParams.get('attributes') ?? BOTH)];
    return new Response(text, { headers: { 'content-type': type, 'content-security-policy': POLICY } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { url } = await sandbox.listen();
  engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: {
      PROVIDER_A: google(googleEndpoints(`${url}/google`)),
      PROVIDER_B: microsoft(microsoftEndpoints(`${url}/microsoft`)),
    },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: `${origin}/api`,
  });
  await engine.start();
  const application = await engine.applications.create({ name: 'Test', redirectUrls: [`${origin}/settings`] });
  applicationId = application.id;
  for (const [provider, type] of PROVIDERS) {
    const redirectUris = [`${origin}/api/v1/oauth/callback/${type.toLowerCase()}`];
    sandbox[provider].addClient({ ...CLIENT, redirectUris });
    for (const name of ['ada', 'bob']) {
      sandbox[provider].addMailbox({ email: `${name}@${provider}.example`, name, timeZone: 'Europe/Rome' });
    }
    await engine.oauthClients.set(applicationId, type, CLIENT);
  }
  api = createHandler(engine, { basePath: '/api' });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await sandbox.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const BOTH = 'providers="PROVIDER_A=Google, PROVIDER_B=Microsoft"';

async function open(path = '/settings', options: BrowserContextOptions = {}) {
  const watched = await openPage(browser, options);
  await watched.page.goto(`${origin}${path}`);
  return watched;
}

const withAttributes = (attributes: string) => `/settings?attributes=${encodeURIComponent(attributes)}`;
const seen = (of: Page) => of.evaluate('seen') as Promise<readonly (readonly [string, Record<string, unknown>])[]>;
const button = (of: Page, provider: string) => of.getByRole('button', { name: `Connect ${provider} calendar` });

describe('the way to the provider and back', () => {
  it.each([
    ['Google', 'Allow', 'google'],
    ['Microsoft', 'Accept', 'microsoft'],
  ])('connects at %s by keyboard alone, and survives a reload', async (label, allow, provider) => {
    const { page: tab, faults } = await open();
    await button(tab, label).focus();
    await tab.keyboard.press('Enter');
    await tab.getByRole('button', { name: allow }).click();
    await tab.getByRole('status').getByText('Your calendar is connected.').waitFor();
    expect(tab.url()).toBe(`${origin}/settings`);
    const [[name, detail] = ['', {}], ...more] = await seen(tab);
    expect([name, more]).toEqual(['kalends-connected', []]);
    const account = await engine.accounts.get({ applicationId }, String(detail['endUserAccountId']));
    expect(account.email).toBe(`ada@${provider}.example`);
    expect(await button(tab, label).isVisible()).toBe(false);
    await tab.reload();
    await button(tab, label).waitFor();
    expect(await seen(tab)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('says what to do after a refusal, and tries again', async () => {
    const { page: tab } = await open();
    await button(tab, 'Google').click();
    await tab.getByRole('button', { name: 'Deny' }).click();
    await tab.getByText('Access to the calendar was not granted. Connect again').waitFor();
    expect(await seen(tab)).toMatchObject([['kalends-error', { status: 'failed', code: 'access_denied' }]]);
    await button(tab, 'Google').click();
    await tab.getByRole('button', { name: 'Allow' }).click();
    await tab.getByText('Your calendar is connected.').waitFor();
  });

  it('says when another mailbox signed in than loginHint names', async () => {
    const { page: tab } = await open(withAttributes(`${BOTH} login-hint="bob@google.example"`));
    await button(tab, 'Google').click();
    await tab.getByLabel('ada@google.example').check();
    await tab.getByRole('button', { name: 'Allow' }).click();
    await tab.getByText('Another mailbox signed in than was expected').waitFor();
  });

  it('shows the buttons again after "back"', async () => {
    const { page: tab } = await open();
    await button(tab, 'Google').click();
    await tab.getByRole('button', { name: 'Deny' }).waitFor();
    await tab.goBack();
    await button(tab, 'Google').click();
    await tab.getByRole('button', { name: 'Deny' }).waitFor();
  });
});

describe('an address that this tab has not asked for', () => {
  it.each(['endUserAccountId=acc_attacker', 'error=access_denied&error_description=Call+0900'])('%s', async (query) => {
    const { page: tab } = await open(`/settings?${query}&state=x#top`);
    await tab.getByText('This answer belongs to another tab, or was used already.').waitFor();
    expect(await seen(tab)).toEqual([
      ['kalends-error', { status: 'failed', code: 'state_mismatch', description: null, state: 'x' }],
    ]);
    expect(tab.url()).toBe(`${origin}/settings#top`);
    expect(await tab.locator('body').innerText()).not.toContain('0900');
  });

  it('leaves the check of its own state to the server', async () => {
    const attributes = `${BOTH} state="of-the-server"`;
    const { page: tab } = await open(`${withAttributes(attributes)}&endUserAccountId=acc_1&state=of-the-server`);
    await tab.getByText('Your calendar is connected.').waitFor();
    expect(await seen(tab)).toMatchObject([['kalends-connected', { state: 'of-the-server' }]]);
  });
});

describe('in the page', () => {
  it('can be kept from leaving, with the address in the event', async () => {
    const { page: tab } = await open('/settings#hold');
    await button(tab, 'Microsoft').click();
    const [[name, detail] = ['', {}]] = await seen(tab);
    expect([name, detail['providerType'], tab.url()]).toEqual([
      'kalends-connect',
      'PROVIDER_B',
      `${origin}/settings#hold`,
    ]);
    const url = new URL(String(detail['url']));
    expect(url.pathname).toBe(`/api/v1/oauth/authorize/${applicationId}/provider_b`);
    expect(url.searchParams.get('redirectUrl')).toBe(`${origin}/settings`);
    expect(url.searchParams.get('state')).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['', '"providers" names no provider'],
    [`${BOTH} prompt="always"`, '"prompt" is one of consent'],
  ])('says what is wrong with its attributes: %s', async (attributes, message) => {
    const { page: tab } = await open(withAttributes(attributes || 'data-none'));
    if (attributes !== '') await button(tab, 'Google').click();
    await tab.getByText(message).waitFor();
  });

  it('takes texts, slots and an outcome of the page', async () => {
    const { page: tab } = await open();
    await button(tab, 'Google').waitFor();
    await tab.evaluate(`{
      const connect = document.querySelector('kalends-connect');
      connect.texts = { button: (label) => label + ' verbinden', errors: { account_conflict: 'Gehört schon jemandem.' } };
      connect.insertAdjacentHTML('beforeend', '<span slot="provider-PROVIDER_B">Outlook</span>');
      connect.result = { status: 'failed', code: 'account_conflict', description: null, state: null };
    }`);
    await tab.getByRole('button', { name: 'Google verbinden' }).waitFor();
    await tab.getByText('Gehört schon jemandem.').waitFor();
    await tab.getByRole('button', { name: 'Outlook' }).waitFor();
    expect(await seen(tab)).toEqual([]);
  });

  it.each([
    ['desk', 'light'],
    ['phone', 'dark'],
  ] as const)('has nothing that axe objects to: %s, %s', async (screen, colorScheme) => {
    const { page: tab } = await open('/settings', { ...SCREENS[screen], colorScheme, bypassCSP: true });
    await button(tab, 'Google').focus();
    expect(await accessibilityProblems(tab)).toEqual([]);
    await tab.goto(`${origin}/settings?error=access_denied&state=x`);
    await tab.getByText('This answer belongs to another tab').waitFor();
    expect(await accessibilityProblems(tab)).toEqual([]);
  });
});
