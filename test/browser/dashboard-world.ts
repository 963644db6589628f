import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@kalends/sqlite';
import type { Storage } from 'kalends/ports';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { build } from 'vite';
import type { Dev } from '../../adapters/server/src/dev/dev-server.ts';
import { startDev } from '../../adapters/server/src/dev/start-dev.ts';
import { openBrowser, openPage, SCREENS, type Screen, takePicture, type WatchedPage } from './chromium.ts';

const PAGE_CONFIG = new URL('../../adapters/dashboard/page/vite.config.ts', import.meta.url).pathname;
let built: Promise<unknown> | undefined;

/** The demo server with its sandbox, and a browser that shows its dashboard. */
export interface DashboardWorld {
  readonly dev: Dev;
  readonly applicationId: string;
  /** Calls `/v1` or `/admin/v1` of the server, and returns the body of its answer. */
  call<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Connects the demo's mailbox at a provider, and returns the account's id. */
  connect(provider: 'google' | 'microsoft'): Promise<string>;
  /** Opens a page of the dashboard, signed in; `path` begins after the application's id: `/keys`. */
  open(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Opens an address, which begins after `/dashboard`, in a page that is not signed in. */
  openSignedOut(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** Puts rows into the server's database, past the server. */
export type Fill = (storage: Storage, applicationId: string, database: string) => Promise<void>;

/**
 * Builds the page from its sources, starts the demo server, and opens a browser. The server's database is in memory, or with `fill`
 * a file.
 */
export async function createDashboardWorld(fill?: Fill): Promise<DashboardWorld> {
  built ??= build({ configFile: PAGE_CONFIG });
  await built;
  const folder = mkdtempSync(join(tmpdir(), 'kalends-dashboard-'));
  const database = fill === undefined ? ':memory:' : join(folder, 'kalends.db');
  const dev = await startDev({
    folder,
    port: 0,
    sandboxPort: 0,
    database,
    googleIcs: [],
    microsoftIcs: [],
    logLevel: 'warn',
    note: () => undefined,
  });
  const browser: Browser = await openBrowser();
  const { baseUrl, apiKey, adminToken, applicationId, accounts } = dev.connection;

  if (fill !== undefined) {
    const storage = sqlite({ path: database });
    await storage.open();
    await fill(storage, applicationId, database);
    await storage.close();
  }
  const storageState = await signedIn(browser, `${dev.siteUrl}/dashboard/session`, adminToken);

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> => {
    const watched = await openPage(browser, { storageState, ...options });
    const { page } = watched;
    await page.goto(`${dev.siteUrl}/dashboard/${applicationId}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return watched;
  };

  const call = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const isAdmin = path.startsWith('/admin/');
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(isAdmin ? { authorization: `Bearer ${adminToken}` } : { 'x-api-key': apiKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  };

  return {
    dev,
    applicationId,
    call,
    async connect(provider) {
      const providerType = provider === 'google' ? 'PROVIDER_A' : 'PROVIDER_B';
      const account = accounts.find((each) => each.providerType === providerType);
      return (await call<{ readonly id: string }>('POST', '/v1/endUserAccounts', account)).id;
    },
    open,
    async openSignedOut(path, options = {}) {
      const watched = await openPage(browser, options);
      await watched.page.goto(`${dev.siteUrl}/dashboard${path}`);
      return watched;
    },
    async close() {
      await browser.close();
      await dev.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Signs in once for all pages of a world: sign-ins of one address are limited. */
async function signedIn(browser: Browser, url: string, token: string) {
  const context = await browser.newContext();
  const answer = await context.request.post(url, { headers: { 'x-kalends-dashboard': '1' }, data: { token } });
  if (!answer.ok()) throw new Error(`the sign-in was refused: ${await answer.text()}`);
  const state = await context.storageState();
  await context.close();
  return state;
}

const LOOKS = [
  ['desk', 'light'],
  ['desk', 'dark'],
  ['tablet', 'light'],
  ['phone', 'light'],
  ['phone', 'dark'],
] as const satisfies readonly (readonly [Screen, 'light' | 'dark'])[];

/**
 * Takes pictures of a page, light and dark, at a desk and on a phone, into `KALENDS_PICTURES`, for people to look at; without
 * that variable it takes none.
 */
export async function takePictures(
  world: DashboardWorld,
  path: string,
  name: string,
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
  open: DashboardWorld['open'] = world.open,
): Promise<void> {
  if (process.env['KALENDS_PICTURES'] === undefined) return;
  for (const [screen, colorScheme] of LOOKS) {
    const { page } = await open(path, { ...SCREENS[screen], colorScheme });
    await prepare(page);
    await takePicture(page, `${name}-${screen}-${colorScheme}`);
    await page.context().close();
  }
}
