import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { type Client, createClient, type EndUserAccount } from '@kalends/client';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Dev } from '../../adapters/server/src/dev/dev-server.ts';
import { startDev } from '../../adapters/server/src/dev/start-dev.ts';
import { createBookings } from '../../docs/examples/booking/bookings.js';
import { createSite } from '../../docs/examples/booking/site.js';
import { accessibilityProblems, openBrowser, openPage, SCREENS, takePicture } from './chromium.ts';

/* docs/examples/booking against the demo: two hosts, one at each provider. */
const MINUTE = 60_000;

let dev: Dev;
let client: Client;
let browser: Browser;
let origin: string;
let hosts: readonly EndUserAccount[];
const server = createServer((request, response) => site(request, response));
let site: ReturnType<typeof createSite>;

beforeAll(async () => {
  const options = { googleIcs: [], microsoftIcs: [], logLevel: 'warn', note: () => undefined } as const;
  dev = await startDev({ folder: tmpdir(), port: 0, sandboxPort: 0, database: ':memory:', ...options });
  const { baseUrl, apiKey, accounts } = dev.connection;
  client = createClient({ baseUrl, apiKey });
  hosts = await Promise.all(accounts.slice(0, 2).map((account) => client.accounts.upsert(account)));
  const bookings = createBookings(client);
  site = createSite(bookings);
  // The first synchronisation has to be over.
  const window = { startDateTime: '2027-03-01T00:00:00', endDateTime: '2027-03-06T00:00:00', timeZone: 'UTC' };
  await vi.waitFor(() => bookings.slots('team', window), { timeout: 60_000, interval: 250 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
  await dev?.stop();
});

async function open(path = '/', options: BrowserContextOptions = {}) {
  const watched = await openPage(browser, { bypassCSP: true, ...options });
  await watched.page.goto(origin + path);
  return watched;
}

/** Opens the times of a host in three weeks. */
async function openTimes(host: EndUserAccount | undefined, options: BrowserContextOptions = {}) {
  const watched = await open('/', options);
  const { page } = watched;
  if (host !== undefined) await page.getByLabel('With').selectOption({ label: host.email });
  for (const _ of [1, 2, 3]) {
    await page.locator('#picker:not([aria-busy])').waitFor();
    await page.getByRole('button', { name: 'Later days' }).click();
  }
  await page.locator('#picker:not([aria-busy]) .time').first().waitFor();
  return watched;
}

const fill = async (page: Page, name = 'Mary') => {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Your e-mail').fill('mary@example.com');
};
/** Problems once the times are loaded: until then, the page is dimmed on purpose. */
const problemsAtRest = async (page: Page) => {
  await page.locator('#picker[aria-busy]').waitFor({ state: 'detached' });
  return accessibilityProblems(page);
};
const held = (page: Page) => page.locator('.timer').waitFor();
const firstTime = (page: Page) => page.locator('.times .time').first();

/** Returns the start of a time that the page shows, in UTC. */
async function startOf(page: Page, host: EndUserAccount): Promise<number> {
  const requested = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/holds'));
  await firstTime(page).click();
  await held(page);
  expect(host.status).toBe('ACTIVE');
  return Date.parse((await requested).postDataJSON().startDateTime);
}

/** Writes an event over a time, as the host does in a calendar program. */
async function occupy({ id }: EndUserAccount, startMs: number) {
  const { data } = await client.calendars.list(id).page();
  const calendar = data.find((each) => 'isPrimary' in each && each.isPrimary);
  const point = (ms: number) => ({ dateTime: new Date(ms).toISOString(), timeZone: 'UTC' });
  return client.events.create(id, calendar?.id ?? '', {
    title: 'Dentist',
    start: point(startMs),
    end: point(startMs + 30 * MINUTE),
  });
}

describe('a booking', () => {
  it('is made, moved and cancelled by keyboard alone, with the invitation in the calendar', async () => {
    const [host] = hosts as [EndUserAccount];
    const { page, faults } = await openTimes(host);
    await firstTime(page).focus();
    await page.keyboard.press('Enter');
    await held(page);
    expect(await page.evaluate('document.activeElement.id')).toBe('details-title');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Mary');
    await page.keyboard.press('Tab');
    await page.keyboard.type('mary@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You are booked' }).waitFor();
    const booked = await page.locator('#booked').innerText();
    await page.getByRole('link', { name: 'Move or cancel' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Introduction: Mary' }).waitFor();
    expect(await page.locator('#when').innerText()).toBe(booked);
    expect(await page.locator('#with').innerText()).toBe(`With ${host.email}`);
    const booking = await client.bookings.get(page.url().split('/').at(-1) ?? '');
    expect(booking.event?.attendees.map(({ email }) => email)).toContain('mary@example.com');

    await page.getByRole('button', { name: 'Move it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Later days' }).waitFor();
    await page.locator('.times .time').last().focus();
    await page.keyboard.press('Enter');
    await page.getByText('The meeting is moved.').waitFor();
    expect(await page.locator('#when').innerText()).not.toBe(booked);

    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    expect(await page.locator('#booking').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('button', { name: 'Cancel the meeting' }).click();
    await page.getByText('The meeting is cancelled.').waitFor();
    await page.reload();
    await page.getByText('There is no such meeting any more.').waitFor();
    expect(faults).toEqual([]);
  });

  it('goes to the hosts of a team in turn', async () => {
    // A time that both have: each of two people gets it, with another host.
    const offered = [];
    for (const host of hosts) {
      const { page } = await openTimes(host);
      offered.push(await page.locator('.times .time').allInnerTexts());
    }
    const [ofOne = [], ofOther = []] = offered;
    const common = ofOne.find((time) => ofOther.includes(time)) ?? 'no time in common';
    const names = [];
    for (const name of ['Mary', 'Paul']) {
      const { page } = await openTimes(undefined);
      await page.locator('.times .time').filter({ hasText: common }).click();
      await held(page);
      names.push(await page.locator('#with').innerText());
      await fill(page, name);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'You are booked' }).waitFor();
    }
    expect(names.toSorted()).toEqual(hosts.map(({ email }) => `With ${email}`).toSorted());
  });

  it('is of one person when two want the time', async () => {
    const [host] = hosts as [EndUserAccount];
    const [{ page: first }, { page: second }] = [await openTimes(host), await openTimes(host)];
    const time = await firstTime(first).innerText();
    await firstTime(first).click();
    await held(first);
    await firstTime(second).click();
    await second.getByText('Somebody was faster').waitFor();
    expect(await problemsAtRest(second)).toEqual([]);
    const next = second.locator('.offers .time').first();
    expect(await next.innerText()).toMatch(/to \d\d:\d\d \(Europe\/Rome\)/);
    await next.click();
    await held(second);

    // The first one lets it go: it is offered again.
    await first.getByRole('button', { name: 'Choose another time' }).click();
    await first.locator('.times .time').filter({ hasText: time }).waitFor();
  });

  it('is refused when the host has filled the time meanwhile, with times within working hours', async () => {
    const [host] = hosts as [EndUserAccount];
    const { page, faults } = await openTimes(host);
    const startMs = await startOf(page, host);
    await occupy(host, startMs);
    await fill(page);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Somebody was faster').waitFor();
    await page.locator('.offers .time').first().click();
    await held(page);
    expect(await page.getByLabel('Your name').inputValue()).toBe('Mary');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'You are booked' }).waitFor();

    // Moving to the dentist's time is refused too.
    await page.getByRole('link', { name: 'Move or cancel' }).click();
    const token = page.url().split('/').at(-1);
    const answer = await fetch(`${origin}/api/bookings/${token}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ startDateTime: new Date(startMs).toISOString(), timeZone: 'Europe/Rome' }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'SlotTaken' }]);
    expect(faults).toEqual([]);
  });

  it('shows that the host has deleted the event', async () => {
    const [host] = hosts as [EndUserAccount];
    const { page } = await openTimes(host);
    await firstTime(page).click();
    await held(page);
    await fill(page);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('link', { name: 'Move or cancel' }).click();
    await page.getByRole('heading', { name: 'Introduction: Mary' }).waitFor();
    const { calendarId, event } = await client.bookings.get(page.url().split('/').at(-1) ?? '');
    await client.events.delete(host.id, calendarId, event?.id ?? '');
    await page.reload();
    await page.getByText('The meeting was cancelled.').waitFor();
  });
});

describe('a time that was kept too long', () => {
  it('is given up by the page', async () => {
    const { page } = await openTimes(hosts[1]);
    await page.clock.install();
    await page.reload();
    await page.locator('#picker:not([aria-busy]) .days button').first().waitFor();
    await page.getByRole('button', { name: 'Later days' }).click();
    await page.locator('#picker:not([aria-busy]) .time').first().waitFor();
    await firstTime(page).click();
    await held(page);
    await fill(page);
    await page.clock.runFor(4 * MINUTE + 1_000);
    await page.getByText('The time is kept for less than a minute.').waitFor();
    await page.clock.runFor(2 * MINUTE);
    await page.getByText('The time is not kept any more.').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('choose-title');
    expect(await page.getByLabel('Your name').inputValue()).toBe('Mary');
    expect(await problemsAtRest(page)).toEqual([]);
  });

  it('is refused by the service', async () => {
    const { page } = await openTimes(hosts[1]);
    await firstTime(page).click();
    await held(page);
    await fill(page);
    await dev.clock.advance(6 * MINUTE);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The time is not kept any more.').waitFor();
  });
});

it("shows times in the person's zone, or in another one", async () => {
  const { page } = await openTimes(hosts[0], { timezoneId: 'America/New_York' });
  expect(await page.getByLabel('Times in').inputValue()).toBe('America/New_York');
  const inNewYork = await firstTime(page).innerText();
  await page.getByLabel('Times in').selectOption('Asia/Tokyo');
  await page.locator('#picker:not([aria-busy])').waitFor();
  expect(await firstTime(page).innerText()).not.toBe(inNewYork);
  await firstTime(page).click();
  await held(page);
  await page.getByRole('heading', { name: '(Asia/Tokyo)' }).waitFor();
});

it('keeps the key on the server, and says nothing of the calendars', async () => {
  const { page } = await open();
  const texts: string[] = [];
  page.on('response', async (response) => texts.push(await response.text().catch(() => '')));
  await page.reload();
  await page.locator('#picker:not([aria-busy]) .days button').first().waitFor();
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.join('\n')).not.toContain(dev.connection.apiKey);
  const answers = await Promise.all(
    ['server.js', '..%2fserver.js', 'page.html', 'api/nothing', 'booking'].map((path) => fetch(`${origin}/${path}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  const form = await fetch(`${origin}/api/holds`, { method: 'POST', body: new URLSearchParams({ who: 'team' }) });
  expect(form.status).toBe(415);
});

it('says that the connection is lost', async () => {
  const { page } = await openTimes(hosts[0]);
  await page.context().setOffline(true);
  await firstTime(page).click();
  await page.getByText('The connection is lost. Try again.').waitFor();
});

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  it.each(['phone', 'tablet', 'desk'] as const)('has nothing that axe objects to: %s', async (screen) => {
    const { page } = await openTimes(hosts[1], { ...SCREENS[screen], colorScheme });
    expect(await problemsAtRest(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await takePicture(page, `booking-times-${screen}-${colorScheme}`);
    await firstTime(page).click();
    await held(page);
    expect(await problemsAtRest(page)).toEqual([]);
    await takePicture(page, `booking-form-${screen}-${colorScheme}`);
    await fill(page);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('link', { name: 'Move or cancel' }).click();
    await page.getByRole('button', { name: 'Move it' }).click();
    await page.locator('.times .time').first().waitFor();
    expect(await problemsAtRest(page)).toEqual([]);
    await takePicture(page, `booking-move-${screen}-${colorScheme}`);
    await page.getByRole('button', { name: 'Cancel it' }).click();
    expect(await problemsAtRest(page)).toEqual([]);
  });
});
