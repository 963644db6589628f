import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Returns the program of the browser. @throws Error saying how to install it */
function browserPath(): string {
  const path = process.env['KALENDS_CHROMIUM'] ?? PLACES.find((place) => existsSync(place));
  if (path !== undefined && existsSync(path)) return path;
  throw new Error('the browser tests need Chromium: apt-get install chromium, or set KALENDS_CHROMIUM to its path');
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });
}

/** Screens on which pages are looked at. */
export const SCREENS = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  tablet: { viewport: { width: 820, height: 1180 } },
  desk: { viewport: { width: 1440, height: 900 } },
} as const satisfies Record<string, BrowserContextOptions>;

export type Screen = keyof typeof SCREENS;

/** A page, and what went wrong on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, the console and the network. A test expects none. */
  readonly faults: string[];
}

/** Opens a page in a context of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    ...SCREENS.desk,
    locale: 'en-GB',
    timezoneId: 'Europe/Rome',
    reducedMotion: 'reduce',
    ...options,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // The browser reports each answer above 399 as an error of its own; tests look at what the page says instead.
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) faults.push(message.text());
  });
  return { page, faults };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface AxeResults {
  readonly violations: readonly { id: string; help: string; nodes: readonly { html: string }[] }[];
}

/** Returns what axe-core objects to in WCAG 2.2 A and AA, a line for each element; `but` leaves rules out. */
export async function accessibilityProblems(page: Page, but: readonly string[] = []): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`);
  return violations
    .filter(({ id }) => !but.includes(id))
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`));
}

/** Takes a picture of a page into `KALENDS_PICTURES`, for people to look at; without that variable it takes none. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['KALENDS_PICTURES'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
