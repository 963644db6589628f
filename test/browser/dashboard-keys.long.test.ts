import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await createDashboardWorld();
});
afterAll(() => world?.close());

it('creates a key, shows it once, and revokes it', async () => {
  const { page, faults } = await world.open('/keys');
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('Backend, production');
  await page.getByLabel('Expires').selectOption('30d');
  await page.getByLabel('May only read').check();
  await page.getByRole('button', { name: 'Create key' }).click();

  const dialog = page.getByRole('dialog', { name: 'The key “Backend, production”' });
  const key = (await dialog.locator('.secret code').textContent()) ?? '';
  expect(key).toMatch(/^kal_dev_/);
  await page.keyboard.press('Escape');
  expect(await dialog.isVisible()).toBe(true);
  const asked = () => fetch(`${world.dev.connection.baseUrl}/v1/endUserAccounts`, { headers: { 'x-api-key': key } });
  expect((await asked()).status).toBe(200);
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  expect(await page.content()).not.toContain(key);

  const row = page.getByRole('row', { name: /Backend, production/ });
  await row.getByText('May only read').waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await asked()).status).toBe(401);
  await page.getByLabel('Show ended keys').check();
  await row.getByText('Revoked').waitFor();
  expect(faults).toEqual([]);
});

it.each(['light', 'dark'] as const)('has nothing that axe objects to: %s', async (colorScheme) => {
  const { page } = await world.open('/keys', { colorScheme });
  await page.getByRole('row', { name: /Demo/ }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'New API key' }).click();
  expect(await accessibilityProblems(page)).toEqual([]);
});

it('looks as it should', async () => {
  const { id } = await world.call<{ readonly id: string }>('POST', '/admin/v1/applications', { name: 'Empty' });
  const none = (page: Page) => page.getByText('Create the first API key').waitFor();
  await takePictures(world, `/../${id}/keys`, 'keys-empty', none);
  await takePictures(world, '/keys', 'key-created', async (page) => {
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').fill('Backend, production');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  });
  await takePictures(world, '/keys', 'keys', (page) => page.getByRole('row', { name: /Demo/ }).waitFor());
});
