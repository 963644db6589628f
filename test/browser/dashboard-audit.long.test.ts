import { readFile } from 'node:fs/promises';
import type { AuditEntry } from 'kalends/model';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
let endpointId: string;
let accountId: string;
beforeAll(async () => {
  world = await createDashboardWorld();
  accountId = await world.connect('google');
  const endpoint = { webhookUrl: 'http://127.0.0.1:1999/hook' };
  ({ webhookEndpointId: endpointId } = await world.call<{ webhookEndpointId: string }>(
    'POST',
    '/v1/webhookEndpoints',
    endpoint,
  ));
  await world.call('POST', `/v1/webhookEndpoints/${endpointId}/rotateSecret`);
  for (let number = 1; number <= 60; number += 1) {
    await world.call('PUT', `/admin/v1/applications/${world.applicationId}`, { name: `Shop ${number}` });
  }
});
afterAll(() => world?.close());

const rows = (page: Page) => page.locator('.audit tbody tr');

it('lists entries, the newest first, more on request, and new ones live', async () => {
  const { page, faults } = await world.open('/audit');
  await page.getByText('50+ entries').waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
  const count = await rows(page).count();
  expect(count).toBeGreaterThan(62);
  await world.call('POST', `/admin/v1/applications/${world.applicationId}/apiKeys`, { name: 'Live', expiresAt: '1d' });
  await page
    .getByRole('row', { name: /apiKey\.created/ })
    .first()
    .waitFor();
  await expect.poll(() => rows(page).count()).toBe(count + 1);
  expect(faults).toEqual([]);
});

it('is silent while its tab is behind others, and reads again in front', async () => {
  const { page, faults } = await world.open('/audit?action=apiKey.created');
  await page.getByText('Live', { exact: true }).first().waitFor();
  await rows(page).first().waitFor();
  const show = (isHidden: boolean) =>
    page.evaluate(`(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));
    })()`);
  await show(true);
  await page.getByText('Live', { exact: true }).first().waitFor({ state: 'detached' });
  const count = await rows(page).count();
  await world.call('POST', `/admin/v1/applications/${world.applicationId}/apiKeys`, {
    name: 'Behind',
    expiresAt: '1d',
  });
  await show(false);
  await page.getByText('Live', { exact: true }).first().waitFor();
  await expect.poll(() => rows(page).count()).toBe(count + 1);
  expect(faults).toEqual([]);
});

it('turns a search into a filter of the address, which a chip removes', async () => {
  const { page } = await world.open('/audit');
  await rows(page).first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('webhookSecret.rotated');
  await page.keyboard.press('Enter');
  await page.getByText('1 entry').waitFor();
  expect(page.url()).toContain('action=webhookSecret.rotated');
  await page.reload();
  await page.getByText('1 entry').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Action' }).click();
  await page.getByText('50+ entries').waitFor();

  await page.getByRole('combobox', { name: 'Actors' }).selectOption('key');
  await page.getByRole('row', { name: /account\.connected/ }).waitFor();
  expect(await page.getByRole('row', { name: /application\.updated/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').fill(accountId);
  await page.keyboard.press('Enter');
  await page.getByText('1 entry').waitFor();
  await page.getByRole('button', { name: '24 hours' }).click();
  expect(new URL(page.url()).searchParams.toString()).toBe(`actorType=key&target=${accountId}&days=1`);
  await page.getByText('1 entry').waitFor();
});

it('leads from an entry to what it tells of, by keyboard', async () => {
  const { page, faults } = await world.open('/audit?action=webhookSecret.rotated');
  await rows(page).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.locator('dialog.panel').getByText(endpointId).first().waitFor();
  expect(page.url()).toMatch(new RegExp(`/webhooks/${endpointId}$`));
  await page.goBack();
  await page.getByText('1 entry').waitFor();
  expect(faults).toEqual([]);
});

it('exports what the filters choose, as CSV and JSON', async () => {
  const { page } = await world.open('/audit?action=application.updated');
  await page.getByText('50+ entries').waitFor();
  const save = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Export ${name}` }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(new RegExp(`^audit-[\\d-]+\\.${name.toLowerCase()}$`));
    return await readFile((await download.path()) ?? '', 'utf8');
  };
  const entries = JSON.parse(await save('JSON')) as readonly AuditEntry[];
  expect(entries.length).toBeGreaterThanOrEqual(60);
  expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(['application.updated']));
  const lines = (await save('CSV')).split('\r\n');
  expect(lines).toHaveLength(entries.length + 1);
  expect(lines[0]).toBe('at,id,applicationId,actorType,actorId,address,action,target,changed');
  expect(lines[1]).toContain(entries[0]?.id);
  await page.getByText(`${entries.length} entries exported`).first().waitFor();
});

it.each(['light', 'dark'] as const)('has nothing that axe objects to: %s', async (colorScheme) => {
  const { page } = await world.open(`/audit?target=${accountId}`, { colorScheme });
  await rows(page).first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('searchbox').fill('nobody@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('No entry fits.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

it('looks as it should', async () => {
  await takePictures(world, '/audit', 'audit', (page) => page.getByText('Live', { exact: true }).first().waitFor());
  await takePictures(world, `/audit?target=${accountId}&days=7`, 'audit-filtered', (page) =>
    page.getByText('Live', { exact: true }).first().waitFor(),
  );
});
