import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await createDashboardWorld();
});
afterAll(() => world?.close());

it('opens signed in by the link that the demo prints, once', async () => {
  const link = world.dev.dashboardUrl.slice(`${world.dev.siteUrl}/dashboard`.length);
  const { page, faults } = await world.openSignedOut(link);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/${world.applicationId}/overview`);
  expect(new URL(page.url()).hash).toBe('');
  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  expect(faults).toEqual([]);

  const again = await world.openSignedOut(link);
  await again.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await again.page.getByText('This link has been used, or has ended. Ask for another.').waitFor();
});

it('signs in with the admin token and out again, by keyboard', async () => {
  const { page, faults } = await world.openSignedOut('/');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.type('adm_wrong-token-of-nobody');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('That is not the admin token.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByLabel('Admin token').fill(world.dev.connection.adminToken);
  await page.keyboard.press('Enter');
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await signOut.waitFor();
  await signOut.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(faults).toEqual([]);
});

it('returns to the page of the address after the sign-in', async () => {
  const path = `/${world.applicationId}/keys`;
  const { page } = await world.openSignedOut(path);
  await page.getByLabel('Admin token').fill(world.dev.connection.adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard${path}`);
});

it('says that the session has ended, and goes on where it was', async () => {
  const { page } = await world.open('/keys');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('Late');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('Admin token').fill(world.dev.connection.adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
});

it('looks as it should', async () => {
  const shown = (page: Page) => page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await takePictures(world, '/', 'sign-in', shown, world.openSignedOut);
});
