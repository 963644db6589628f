import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await createDashboardWorld();
});
afterAll(() => world?.close());

const pages: Page[] = [];
// A page that is left open goes on to follow what the server does.
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});

async function open(path: string, options?: BrowserContextOptions) {
  const watched = await world.open(path, options);
  pages.push(watched.page);
  return watched;
}

const timelineOf = (page: Page) => page.getByRole('list', { name: 'What follows' });
const mailboxOf = (page: Page) => page.getByRole('region', { name: 'Mailbox' });

/** Connects the mailbox that is shown, and subscribes the inbox to it. */
async function follow(page: Page) {
  const mailbox = mailboxOf(page);
  if (await mailbox.getByText('Followed').isVisible()) return;
  const button = mailbox.getByRole('button', { name: 'Follow', exact: true });
  await Promise.race([button.waitFor(), mailbox.getByText('Followed').waitFor()]);
  if (await button.isVisible()) await button.click();
  await mailbox.getByText('Followed').waitFor();
}

async function createEvent(page: Page, title: string) {
  await mailboxOf(page).getByRole('button', { name: 'New event' }).click();
  const dialog = page.getByRole('dialog', { name: 'New event' });
  await dialog.getByLabel('Title').fill(title);
  await dialog.getByRole('button', { name: 'Create event' }).click();
  await mailboxOf(page).getByText(title).first().waitFor();
}

it('shows the notification, the pull, the message and the signed webhook of another person’s change', async () => {
  const { page, faults } = await open('/sandbox');
  await follow(page);
  await createEvent(page, 'Tea with Mary');
  const timeline = timelineOf(page);
  await timeline.getByText('created “Tea with Mary”').waitFor();
  await timeline.getByText('Google says that ada@gmail.example').first().waitFor();
  await timeline
    .getByText(/read ada@gmail\.example's calendar: 1 change/)
    .first()
    .waitFor();
  await timeline.getByText('calendar.event.changed waits for its receiver').first().waitFor();
  await timeline
    .getByText(/arrived: the receiver answered 204/)
    .first()
    .waitFor();
  await timeline.getByText('Signature verified').first().waitFor();
  await timeline.getByRole('link', { name: 'Show request' }).first().click();
  const panel = page.getByRole('dialog', { name: 'Webhook' });
  await panel.getByText('hook-signature: v1,').waitFor();
  await panel.getByText('{"eventType":"calendar.event.changed"').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

it('moves one occurrence of a series, and deletes the series', async () => {
  const { page, faults } = await open('/sandbox');
  const mailbox = mailboxOf(page);
  await mailbox.getByRole('button', { name: 'New event' }).click();
  const form = page.getByRole('dialog', { name: 'New event' });
  await form.getByLabel('Title').fill('Chess');
  await form.getByLabel('Repeats').selectOption('DAILY');
  await form.getByLabel('Guests').fill('charles@gmail.example');
  await form.getByRole('button', { name: 'Create event' }).click();
  await mailbox.getByText('15:00–16:00').first().waitFor();
  await mailbox.getByRole('button', { name: '+1 h for “Chess”' }).first().click();
  await mailbox.getByText('16:00–17:00').waitFor();
  expect(await mailbox.getByText('16:00–17:00').count()).toBe(1);
  await mailbox.getByRole('button', { name: 'Edit “Chess”' }).nth(1).click();
  const edit = page.getByRole('dialog', { name: 'Edit “Chess”' });
  await edit.getByLabel('The whole series').check();
  await edit.getByLabel('Title').fill('Chess, timed');
  await edit.getByRole('button', { name: 'Save event' }).click();
  await mailbox.getByText('Chess, timed').nth(3).waitFor();
  await mailbox.getByRole('button', { name: 'Edit “Chess, timed”' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete …' }).click();
  const confirm = page.getByRole('dialog', { name: /^Delete “Chess, timed”/ });
  await confirm.getByLabel('The whole series').check();
  await confirm.getByRole('button', { name: 'Delete' }).click();
  await mailbox.getByText('Chess, timed').first().waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

it('answers an invitation as its guest', async () => {
  const { page } = await open('/sandbox');
  const mailbox = mailboxOf(page);
  await mailbox.getByRole('button', { name: 'New event' }).click();
  const form = page.getByRole('dialog', { name: 'New event' });
  await form.getByLabel('Title').fill('Lecture');
  await form.getByLabel('Guests').fill('charles@gmail.example');
  await form.getByRole('button', { name: 'Create event' }).click();
  await mailbox.getByText('Lecture', { exact: true }).waitFor();
  await mailbox.getByLabel('Mailbox').selectOption('google charles@gmail.example');
  await mailbox.getByRole('button', { name: 'Accept “Lecture”' }).click();
  await timelineOf(page).getByText('answered “Lecture”: Accepted').waitFor();
  await mailbox.getByRole('button', { name: 'Accept “Lecture”' }).waitFor({ state: 'detached' });
});

it('arms a fault, shows that it hits, and lets the clock bring the retries', async () => {
  const { page, faults } = await open('/sandbox');
  await follow(page);
  await page.getByRole('button', { name: /^The receiver is down/ }).click();
  await page.getByText('The inbox answers 500 to 3 webhooks').waitFor();
  await createEvent(page, 'Dinner');
  const timeline = timelineOf(page);
  await timeline.getByText('not taken: the receiver answered 500').first().waitFor();
  const before = world.dev.clock.now();
  await page.getByRole('button', { name: '+1 hour' }).click();
  await page.getByText(/1 h ahead of real time/).waitFor();
  await timeline.getByText(/turned the clock/).waitFor();
  await page.getByText('Nothing is broken.').waitFor();
  await timeline.getByRole('link', { name: 'Show request' }).first().click();
  const panel = page.getByRole('dialog', { name: 'Webhook' });
  await panel.getByText('Attempt 4').waitFor();
  expect(world.dev.clock.now()).toBeGreaterThan(before + 3_600_000);
  expect(faults).toEqual([]);
});

it('shows that a revoked grant expires the account, and reconnects it', async () => {
  const { page } = await open('/sandbox');
  const mailbox = mailboxOf(page);
  await mailbox.getByLabel('Mailbox').selectOption('microsoft grace@outlook.example');
  await mailbox.getByText('Not connected').waitFor();
  await follow(page);
  await page.getByRole('button', { name: /^The consent is taken back/ }).click();
  await createEvent(page, 'After the end');
  await timelineOf(page).getByText('grace@outlook.example is EXPIRED').waitFor();
  await mailbox.getByText('Expired').waitFor();
  await mailbox.getByRole('button', { name: 'Reconnect' }).click();
  await mailbox.getByText('Followed').waitFor();
});

it('says which field of an event is wrong', async () => {
  const { page } = await open('/sandbox');
  await mailboxOf(page).getByRole('button', { name: 'New event' }).click();
  const dialog = page.getByRole('dialog', { name: 'New event' });
  await dialog.getByLabel('Title').fill('Tea');
  await dialog.getByLabel('Guests').fill('Mary');
  await dialog.getByRole('button', { name: 'Create event' }).click();
  await dialog.locator('.problem').waitFor();
  await dialog.getByLabel('Guests').fill('');
  await dialog.getByLabel('Ends').fill('2020-01-01T10:00');
  await dialog.getByRole('button', { name: 'Create event' }).click();
  await dialog.getByText('must be after start').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

it.each(['light', 'dark'] as const)('has nothing that axe objects to: %s', async (colorScheme) => {
  const { page } = await open('/sandbox', { colorScheme });
  await follow(page);
  await page.getByRole('button', { name: /^Google is slow/ }).click();
  await createEvent(page, `Event in ${colorScheme}`);
  await timelineOf(page).getByText('Signature verified').first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  // Nothing lengthens the page beyond what it shows.
  const heights = await page.evaluate(
    '[document.documentElement.scrollHeight, document.querySelector(".frame").offsetHeight]',
  );
  expect(heights).toEqual([expect.any(Number), (heights as readonly number[])[0]]);
});

it('shows how far a turn of the clock is, also to a page that is opened meanwhile', { timeout: 180_000 }, async () => {
  const { page, faults } = await open('/sandbox');
  await page.getByRole('button', { name: '+1 day' }).click();
  await page.getByRole('progressbar').waitFor();
  const other = await open('/sandbox');
  // A day has some forty thousand wake-ups.
  const timeout = 120_000;
  await other.page.getByText(/1 d .*ahead of real time/).waitFor({ timeout });
  await page.getByText(/1 d .*ahead of real time/).waitFor({ timeout });
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: '+1 week' }).isEnabled()).toBe(true);
  expect(faults).toEqual([]);
});

it('looks as it should', { timeout: 240_000 }, async () => {
  const play = async (page: Page) => {
    await follow(page);
    await createEvent(page, 'Tea with Mary');
    await timelineOf(page)
      .getByText(/arrived: the receiver/)
      .first()
      .waitFor();
  };
  await takePictures(world, '/sandbox', 'sandbox', play);
  await takePictures(world, '/sandbox', 'sandbox-webhook', async (page) => {
    await play(page);
    await timelineOf(page).getByRole('link', { name: 'Show request' }).first().click();
    await page.getByRole('dialog', { name: 'Webhook' }).waitFor();
  });
  await takePictures(world, '/sandbox', 'sandbox-event', async (page) => {
    await page.getByRole('button', { name: 'Edit “Stand-up”' }).first().click();
    await page.getByRole('dialog').waitFor();
  });
  await takePictures(world, '/sandbox', 'sandbox-faults', async (page) => {
    await page.getByRole('button', { name: /^The receiver is down/ }).click();
    await page.getByText('The inbox answers 500 to 3 webhooks').waitFor();
    await page.getByRole('heading', { name: 'Break something' }).scrollIntoViewIfNeeded();
  });
});
