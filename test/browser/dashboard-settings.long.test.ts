import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await createDashboardWorld();
});
afterAll(() => world?.close());

describe('applications', () => {
  it('are created, set up and deleted', async () => {
    const { page, faults } = await world.open('/../applications');
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByLabel('Name').fill('Second product');
    await page.getByLabel('Redirect URL').fill('https://app.example.com/#fragment');
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.getByText('must be an absolute http or https URL').waitFor();
    await page.getByLabel('Redirect URL').fill('https://app.example.com/connected');
    await page.getByRole('button', { name: 'Create application' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByText('https://app.example.com/connected', { exact: true }).waitFor();

    await page.getByLabel('Redirect URL to add').fill('https://app.example.com/other');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Remove https://app.example.com/other' }).waitFor();
    await page.getByLabel('Redirect URL to add').fill('https://app.example.com/ä');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('must be an absolute http or https URL').waitFor();
    await page.getByRole('button', { name: 'Remove https://app.example.com/connected' }).click();
    await page.getByText('The redirect URL is removed').waitFor();

    await page.getByLabel('Name', { exact: true }).fill('Renamed product');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The name is saved').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Delete application' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/This deletes 0 accounts .* 0 API keys and 0 webhook receivers/).waitFor();
    const button = dialog.getByRole('button', { name: 'Delete application' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByLabel('Type “Renamed product” to confirm').fill('Renamed product');
    await button.click();
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
    expect(faults).toEqual([]);
  });
});

it('stays on its page when another application is chosen', async () => {
  const { id } = await world.call<{ readonly id: string }>('POST', '/admin/v1/applications', { name: 'Switched' });
  const { page, faults } = await world.open('/keys');
  await page.getByRole('row', { name: /Demo/ }).waitFor();
  await page.getByLabel('Application', { exact: true }).selectOption('Switched');
  await page.getByText('Create the first API key').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/${id}/keys`);
  expect(faults).toEqual([]);
});

describe('an OAuth client', () => {
  it('is set, tested and removed, with the redirect URI beside it', async () => {
    const created = await world.call<{ readonly id: string }>('POST', '/admin/v1/applications', { name: 'Clients' });
    const { page, faults } = await world.open(`/../${created.id}/settings`);
    await page.getByRole('link', { name: 'Set up' }).first().click();
    const panel = page.getByRole('dialog', { name: 'OAuth client at Google' });
    await panel.getByText(`${world.dev.connection.baseUrl}/v1/oauth/callback/provider_a`).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/${created.id}/settings/PROVIDER_A`);
    await panel.getByLabel('Client id').fill('kalends-dev');
    await panel.getByLabel('Client secret').fill('wrong');
    await panel.getByRole('button', { name: 'Save client' }).click();
    await page.getByText('The OAuth client is saved').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('Refused', { exact: true }).waitFor();

    await page.goBack();
    await panel.getByRole('button', { name: 'Remove client' }).click();
    await page
      .getByRole('dialog', { name: 'Remove the OAuth client?' })
      .getByRole('button', { name: 'Remove client' })
      .click();
    await page.getByText('The OAuth client is removed').waitFor();
    await expect.poll(() => page.getByText('Not set').count()).toBe(2);
    expect(faults).toEqual([]);
  });
});

it.each(['light', 'dark'] as const)('has nothing that axe objects to: %s', async (colorScheme) => {
  for (const path of ['/settings', '/settings/PROVIDER_B', '/../applications']) {
    const { page } = await world.open(path, { colorScheme });
    await page
      .getByText(path === '/../applications' ? 'Active' : 'kalends-dev')
      .first()
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  }
});

it('looks as it should', async () => {
  await takePictures(world, '/settings', 'settings', (page) => page.getByText('kalends-dev').first().waitFor());
  await takePictures(world, '/settings/PROVIDER_B', 'oauth-client', (page) => page.getByRole('dialog').waitFor());
  await takePictures(world, '/../applications', 'applications', (page) => page.getByText('Active').first().waitFor());
});
