import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await createDashboardWorld();
});
afterAll(() => world?.close());

it('leads from an application to a webhook, and checks each step by what is there', async () => {
  const { id } = await world.call<{ readonly id: string }>('POST', '/admin/v1/applications', { name: 'New' });
  const { page, faults } = await world.open(`/../${id}/overview`);
  await page.getByText('1 of 5 done').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await takePictures(world, `/../${id}/overview`, 'first-steps', (shown) => shown.getByText('1 of 5 done').waitFor());
  await page.getByRole('link', { name: 'Create an API key' }).click();
  await page.getByRole('button', { name: 'New API key' }).first().click();
  await page.getByLabel('Name').fill('Backend');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('2 of 5 done').waitFor();
  expect(faults).toEqual([]);
});

it('is gone once all is done', async () => {
  const accountId = await world.connect('google');
  const { page } = await world.open('/overview');
  await page.getByText('4 of 5 done').waitFor();
  expect(accountId).toMatch(/^acc_/);
  await world.call('POST', '/v1/webhookEndpoints', { webhookUrl: 'http://127.0.0.1:8088/hook' });
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('First steps').waitFor({ state: 'detached' });
});
