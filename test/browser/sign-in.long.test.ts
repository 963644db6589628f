import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { caldav } from '@kalends/caldav';
import { createHandler, type Handler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { createSandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems, openBrowser, openPage, SCREENS, takePicture } from './chromium.ts';

/* The page of our own that asks for server, user and app password. */
const EMAIL = 'ada@calendar.example';
const WRONG = 'This did not work. Check what you have entered, and try again.';
const LOOKS = [
  ['phone', 'light'],
  ['desk', 'dark'],
] as const;

const sandbox = createSandbox({ seed: 11 });
const server = createServer((request, response) => listener(request, response));
let listener: ReturnType<typeof nodeListener>;
let engine: Engine;
let browser: Browser;
let origin: string;
let serverUrl: string;
let password: string;
let applicationId: string;

beforeAll(async () => {
  const { url } = await sandbox.listen();
  sandbox.caldav.addMailbox({ email: EMAIL, name: 'Ada', timeZone: 'Europe/Rome' });
  password = sandbox.caldav.addAppPassword({ email: EMAIL });
  serverUrl = `${url}/caldav/`;
  let api: Handler | undefined;
  listener = nodeListener(async (request, peer) => {
    if (api?.matches(new URL(request.url).pathname)) return api(request, peer);
    return new Response('<!doctype html><title>Connected</title>', { headers: { 'content-type': 'text/html' } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  engine = createEngine({
    storage: sqlite({ path: ':memory:' }),
    providers: { CALDAV: caldav({ allowedNetworks: ['127.0.0.0/8'] }) },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: origin,
  });
  await engine.start();
  const redirectUrls = [`${origin}/connected`];
  applicationId = (await engine.applications.create({ name: 'Tea & Biscuits', redirectUrls })).id;
  api = createHandler(engine);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await sandbox.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function openSignIn(options: Parameters<typeof openPage>[1] = {}) {
  const watched = await openPage(browser, options);
  await watched.page.goto(`${origin}/v1/oauth/authorize/${applicationId}/caldav?state=mine`);
  return watched;
}

it('connects by keyboard alone, after a password that was wrong', async () => {
  const { page, faults } = await openSignIn();
  const fill = async (...texts: readonly string[]) => {
    for (const text of texts) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  // The first field has the focus.
  await fill(serverUrl, EMAIL, 'wrong');
  await page.getByRole('alert').getByText(WRONG).waitFor();
  expect(await page.getByLabel('Server').inputValue()).toBe(serverUrl);
  expect(await page.getByLabel('App password').inputValue()).toBe('');
  // Now the empty one has it.
  await fill(password);
  await page.waitForURL(`${origin}/connected?**`);
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('state')).toBe('mine');
  const account = await engine.accounts.get({ applicationId }, searchParams.get('endUserAccountId') ?? '');
  expect(account).toMatchObject({ email: EMAIL, status: 'ACTIVE' });
  expect(faults).toEqual([]);
});

it('goes back without an account when it is cancelled, with its fields empty', async () => {
  const { page, faults } = await openSignIn();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL(`${origin}/connected?**`);
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  expect(faults).toEqual([]);
});

it.each(LOOKS)('has nothing that axe objects to, nor a line that is cut off: %s, %s', async (screen, colorScheme) => {
  const { page, faults } = await openSignIn({ ...SCREENS[screen], colorScheme, bypassCSP: true });
  await page.getByRole('heading', { name: 'Connect a calendar' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePicture(page, `sign-in-page-${screen}-${colorScheme}`);
  await page.getByLabel('Server').fill(serverUrl);
  await page.getByLabel('User name').fill('a:b');
  await page.getByLabel('App password').fill('wrong');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('User name must not contain a colon.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePicture(page, `sign-in-page-refused-${screen}-${colorScheme}`);
  const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  expect(await page.evaluate(isTooWide)).toBe(false);
  expect(faults).toEqual([]);
});
