import { readFile } from 'node:fs/promises';
import type { EndUserAccount } from 'kalends/model';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillAccounts } from '../../adapters/sqlite/test/many-accounts.ts';
import { accessibilityProblems, SCREENS } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';
import { fillUnhealthyAccount } from './unhealthy-account.ts';

const MANY = 100_000;
const UNHEALTHY = `acc_${'29'.padStart(22, '0')}`;
const DAY = 86_400_000;

let world: DashboardWorld;

const rowsOf = (page: Page) => page.locator('.account-table tbody tr');
const emailsOf = (page: Page) => page.locator('.account-table .row-link').allTextContents();

/** Returns a meter of the page's own work, in time of its thread: other programs of the machine do not count. */
async function workMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const work = metrics.find(({ name }) => name === 'TaskDuration') ?? expect.fail('no TaskDuration');
    return work.value * 1_000;
  };
}

/** Scrolls to a part of the list, and returns how many rows can be seen in the frame that follows. */
function rowsInSightAfterScroll(page: Page, part: number): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const element = document.querySelector('.account-scroller');
    element.scrollTop = element.scrollHeight * ${part};
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { top, bottom } = element.getBoundingClientRect();
    const rows = [...document.querySelectorAll('.account-table tbody tr .row-link')];
    return rows.map((row) => row.getBoundingClientRect()).filter((row) => row.bottom > top && row.top < bottom).length;
  })()`);
}

describe('a hundred thousand accounts', () => {
  beforeAll(async () => {
    world = await createDashboardWorld(async (storage, applicationId, database) => {
      fillAccounts(database, applicationId, MANY);
      await fillUnhealthyAccount(storage, { applicationId, accountId: UNHEALTHY });
    });
  });
  afterAll(() => world?.close());

  it('stay few rows on the page, and are read while one scrolls', async () => {
    const { page, faults } = await world.open('/accounts');
    await rowsOf(page).first().waitFor();
    expect(await page.getByText('250 accounts read so far').count()).toBe(1);
    const scroller = page.getByRole('region', { name: 'Accounts, oldest first' });
    const readSoFar = async () =>
      Number((await page.locator('.account-count [role=status]').textContent())?.replace(/\D/g, ''));
    while ((await readSoFar()) < 5_000) {
      await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForFunction('new Promise((resolve) => requestAnimationFrame(() => resolve(true)))');
    }
    expect(await rowsOf(page).count()).toBeLessThan(80);
    // Every frame of a fast scroll through what was read shows rows, and none takes long.
    const workedMs = await workMeter(page);
    for (let step = 59; step >= 0; step -= 1) {
      const before = await workedMs();
      expect(await rowsInSightAfterScroll(page, step / 60)).toBeGreaterThan(0);
      expect((await workedMs()) - before).toBeLessThan(500);
    }
    expect((await emailsOf(page))[0]).toBe('person.000000@outlook.example');
    expect(faults).toEqual([]);
  });

  it('are searched and filtered, in the address too', async () => {
    const { page } = await world.open('/accounts');
    await page.getByLabel('Search').fill('USER-09999');
    await page.getByText(/^\d+ accounts$/).waitFor();
    expect(page.url()).toMatch(/\?q=USER-09999$/);
    // Every seventh has no externalId.
    const expected = Array.from({ length: 10 }, (_, index) => 99_990 + index).filter((index) => index % 7 !== 0);
    expect((await emailsOf(page)).map((email) => Number(email.slice(7, 13)))).toEqual(expected);
    await page.getByRole('button', { name: 'Expired', exact: true }).click();
    await page.getByRole('button', { name: 'Microsoft' }).click();
    await page.getByText('1 account', { exact: true }).waitFor();
    expect(await emailsOf(page)).toEqual(['person.099990@outlook.example']);
    await page.reload();
    await page.getByText('1 account', { exact: true }).waitFor();
    await page.getByLabel('Search').fill('nobody');
    await page.getByRole('heading', { name: 'No account matches' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('250 accounts read so far').waitFor();
    expect(page.url()).toMatch(/\/accounts$/);
  });

  it('are walked through by keyboard alone', async () => {
    const { page } = await world.open('/accounts');
    await rowsOf(page).first().waitFor();
    for (let step = 0; step < 31; step += 1) await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.locator('.row-link:focus', { hasText: 'person.000029@gmail.example' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'person.000029@gmail.example' }).waitFor();
    expect(page.url()).toMatch(/\/accounts\/acc_0+29$/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\/accounts$/);
    await page.locator('.row-link:focus', { hasText: 'person.000029@gmail.example' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('000007');
    await page.getByText('1 account', { exact: true }).waitFor();
  });

  it('say of each calendar, in words, how far it is in sync', async () => {
    const { page } = await world.open(`/accounts/${UNHEALTHY}`);
    const line = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    const inTwoDays = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'Europe/Rome' });
    // The times are of the beginning of the suite, some minutes ago on a slow machine.
    const texts = {
      'List of calendars': /In syncUp to date [4-9] minutes ago, asked every 6 h$/,
      'pushed@group.example': new RegExp(
        `In syncUp to date \\d+ (?:seconds|minutes?) ago, push until ${inTwoDays.format(Date.now() + 2 * DAY)}$`,
      ),
      'polled@group.example': /In syncUp to date \d minutes? ago, asked every 2 min$/,
      'failing@group.example':
        /FailingLast read 3 hours ago, .*The last 6 pulls failed, most recently \d minutes agoProviderUnavailable$/,
      'gone@group.example': /Needs a lookLast read 1 hour ago,.*The provider stopped listing it 5\d minutes ago$/,
      'new@group.example': /First readBeing read for the first time$/,
      'unreadable@group.example': /Needs a look.*3 events could not be read$/,
    };
    for (const [name, text] of Object.entries(texts)) {
      await line(name).waitFor();
      expect(await line(name).textContent()).toMatch(text);
    }
    await page.getByText('Why they could not be read').click();
    await page.getByText('start.timeZone: must be a time zone').nth(2).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(world, `/accounts/${UNHEALTHY}`, 'account-unhealthy', async (each) => {
      await each.getByRole('heading', { name: 'failing@group.example' }).waitFor();
    });
  });

  it('are exported as they match', async () => {
    const { page } = await world.open('/accounts?q=00099');
    await page.getByText(/^\d+ accounts$/).waitFor();
    const exported = async (name: string) => {
      const begun = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return await readFile(await (await begun).path(), 'utf8');
    };
    const json: readonly EndUserAccount[] = JSON.parse(await exported('Export JSON'));
    expect(json.map(({ email }) => email)).toEqual(await emailsOf(page));
    const csv = await exported('Export CSV');
    const [head, ...lines] = csv.trimEnd().split('\r\n');
    expect(head).toBe('id,email,providerType,status,externalId,providerAccountId,authorizedScopes,createdAt,updatedAt');
    expect(lines.map((line) => line.split(',')[1])).toEqual(json.map(({ email }) => email));
  });

  it.each(['light', 'dark'] as const)('have nothing that axe objects to: %s', async (colorScheme) => {
    const { page } = await world.open('/accounts', { colorScheme });
    await rowsOf(page).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'person.000000@outlook.example' }).click();
    await page.getByRole('heading', { name: 'The person has to reconnect this mailbox' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('look as they should', async () => {
    await takePictures(world, '/accounts', 'accounts', (page) => rowsOf(page).first().waitFor());
    await takePictures(world, '/accounts?q=nothing', 'accounts-none', (page) =>
      page.getByRole('heading', { name: 'No account matches' }).waitFor(),
    );
  });
});

describe('an account', () => {
  let accountId = '';
  beforeAll(async () => {
    world = await createDashboardWorld();
    const { page } = await world.open('/accounts');
    await page.getByRole('heading', { name: 'No account is connected yet' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(world, '/accounts', 'accounts-empty');
    accountId = await world.connect('google');
    await world
      .call('POST', `/v1/calendarSubscriptions/${accountId}`, {
        subscriptionType: 'event',
        calendarId: 'ada@gmail.example',
        webhookUrl: 'http://127.0.0.1:4/hook',
      })
      .catch(() => undefined);
  });
  afterAll(() => world?.close());

  it('is synced now, with progress, and says in words how far it is', async () => {
    const { page, faults } = await world.open(`/accounts/${accountId}`);
    const panel = page.getByRole('dialog', { name: 'ada@gmail.example' });
    await panel.getByRole('heading', { name: 'Sync' }).waitFor();
    await panel.getByRole('button', { name: 'Sync now' }).click();
    await panel.getByText(/^\d+ of \d+ collections read$/).waitFor();
    await panel
      .getByText(/^Up to date .*, (push until|asked every)/)
      .first()
      .waitFor();
    await panel.getByRole('heading', { name: 'List of calendars' }).waitFor();
    expect(faults).toEqual([]);
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page: other } = await world.open(`/accounts/${accountId}`, { colorScheme });
      await other
        .getByText(/^Up to date/)
        .first()
        .waitFor();
      expect(await accessibilityProblems(other)).toEqual([]);
    }
    await takePictures(world, `/accounts/${accountId}`, 'account', (each) =>
      each
        .getByText(/^Up to date/)
        .first()
        .waitFor(),
    );
  });

  it('is expired and gets a link to reconnect', async () => {
    const { page } = await world.open(`/accounts/${accountId}`, SCREENS.phone);
    await page.getByRole('button', { name: 'Expire', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Expire ada@gmail.example?' });
    await dialog.getByText(/Its sync stops at once \(\d+ calendars?\)/).waitFor();
    await dialog.getByRole('button', { name: 'Expire', exact: true }).click();
    await page.getByRole('button', { name: 'Create reconnect link' }).click();
    await page
      .getByText(/\/v1\/oauth\/authorize|\/authorize/)
      .first()
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(world, `/accounts/${accountId}`, 'account-expired', (each) =>
      each.getByRole('button', { name: 'Create reconnect link' }).waitFor(),
    );
  });

  it('is deleted once its e-mail has been typed, after saying in numbers what is lost', async () => {
    const id = await world.connect('google');
    const { page, faults } = await world.open(`/accounts/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete ada@gmail.example?' });
    await dialog.getByText(/^\d+ subscriptions?, [\d,]+ mirrored events? in \d+ calendars? are lost/).waitFor();
    const button = dialog.getByRole('button', { name: 'Delete' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Type “ada@gmail.example” to confirm').fill('ada@gmail.example');
    await button.click();
    await page.getByRole('heading', { name: 'No account is connected yet' }).waitFor();
    expect(faults).toEqual([]);
    const path = `/admin/v1/applications/${world.applicationId}/accounts`;
    expect((await world.call<{ readonly data: readonly unknown[] }>('GET', path)).data).toEqual([]);
  });
});
