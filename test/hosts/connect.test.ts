import { randomBytes } from 'node:crypto';
import { createSandbox } from '@kalends/sandbox';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { walkAuthorization } from '../../adapters/server/src/tour/browser.ts';
import { freePort } from '../processes/free-port.ts';
import { type InstalledExample, installExample, type RunningExample, startExample } from './example.ts';

/* docs/examples/connect: what the page has, and what the server accepts. test/browser presses the buttons. */
const sandbox = createSandbox({ seed: 7 });
let installed: InstalledExample;
let running: RunningExample;
let site: string;

beforeAll(async () => {
  const port = String(await freePort());
  site = `http://localhost:${port}/`;
  for (const provider of ['google', 'microsoft'] as const) {
    const redirectUris = [`${site}calendar/v1/oauth/callback/${provider}`];
    sandbox[provider].addClient({ clientId: 'app', clientSecret: 'hush', redirectUris });
    sandbox[provider].addMailbox({ email: `ada@${provider}.example`, name: 'Ada', timeZone: 'Europe/Berlin' });
  }
  const { url: SANDBOX_URL } = await sandbox.listen();
  installed = await installExample('connect', inject('tarballs'));
  const env = {
    PORT: port,
    SITE_URL: site.slice(0, -1),
    SANDBOX_URL,
    CLIENT_ID: 'app',
    CLIENT_SECRET: 'hush',
    MICROSOFT_CLIENT_ID: 'app',
    MICROSOFT_CLIENT_SECRET: 'hush',
    KALENDS_SECRET: randomBytes(32).toString('base64'),
  };
  running = await startExample(installed.folder, env, site);
});
afterAll(async () => {
  await running?.stop();
  installed?.remove();
  await sandbox.close();
});

/** Opens the page in a new session, or in one that is known. */
async function openPage(known?: string) {
  const answer = await fetch(site, known === undefined ? {} : { headers: { cookie: known } });
  const cookie = known ?? answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const html = await answer.text();
  const [, tag = ''] = /<kalends-connect([^>]*)>/.exec(html) ?? [];
  const attributes = Object.fromEntries(
    [...tag.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  return { cookie, html, attributes, csp: answer.headers.get('content-security-policy') };
}

/** Connects ada's mailbox with the attributes of the page. */
async function connect(attributes: Record<string, string>, provider = 'google'): Promise<string> {
  const url = new URL(`calendar/v1/oauth/authorize/${attributes['application-id']}/${provider}`, site);
  for (const [name, attribute] of [
    ['redirectUrl', 'redirect-url'],
    ['state', 'state'],
    ['externalId', 'external-id'],
  ] as const) {
    url.searchParams.set(name, attributes[attribute] ?? '');
  }
  const { parameters } = await walkAuthorization(url.href, site, `ada@${provider}.example`);
  expect(parameters.get('state')).toBe(attributes['state']);
  return parameters.get('endUserAccountId') ?? '';
}

async function prove(cookie: string, endUserAccountId: string, state = '') {
  const body = JSON.stringify({ endUserAccountId, state });
  const answer = await fetch(new URL('mailboxes', site), { method: 'POST', headers: { cookie }, body });
  return [answer.status, await answer.json()];
}

it('serves the page, its script and the modules that they import', async () => {
  const { attributes, html, csp } = await openPage();
  expect(attributes).toMatchObject({ 'base-url': '/calendar', providers: 'GOOGLE=Google, MICROSOFT=Microsoft' });
  expect(html).not.toContain('{');
  expect(csp).not.toContain('unsafe');
  const read = new Set<string>();
  const readModule = async (url: string): Promise<void> => {
    if (read.has(url)) return;
    read.add(url);
    const answer = await fetch(url);
    expect([url, answer.status, answer.headers.get('content-type')]).toEqual([url, 200, 'text/javascript']);
    const imported = [...(await answer.text()).matchAll(/\bfrom ["']([^"']+)["']/g)].map(
      ([, path = '']) => new URL(path, url),
    );
    for (const { href } of imported) await readModule(href);
  };
  await readModule(new URL('page.js', site).href);
  expect(read.size).toBeGreaterThan(5);
});

it.each(['google', 'microsoft'])('takes the account that its user has connected at %s, once', async (provider) => {
  const { cookie, attributes } = await openPage();
  const account = await connect(attributes, provider);
  expect(await prove(cookie, account, attributes['state'])).toEqual([200, { email: `ada@${provider}.example` }]);
  expect(await prove(cookie, account, attributes['state'])).toEqual([403, { code: 'state_mismatch' }]);
});

it('refuses the account of another user, and a state of another session', async () => {
  const victim = await openPage();
  const account = await connect(victim.attributes);
  const attacker = await openPage();
  expect(await prove(attacker.cookie, account, victim.attributes['state'])).toEqual([403, { code: 'state_mismatch' }]);
  const own = attacker.attributes['state'];
  expect(await prove(attacker.cookie, account, own)).toEqual([403, { code: 'account_conflict' }]);
  expect(await prove(victim.cookie, account, victim.attributes['state'])).toMatchObject([200, {}]);
});

it('serves no file beside its own', async () => {
  for (const path of ['server.js', '..%2fserver.js', 'kalends/..%2f..%2f..%2f..%2fserver.js', 'page.html']) {
    const { status } = await fetch(new URL(path, site));
    expect([path, status]).toEqual([path, 404]);
  }
});
