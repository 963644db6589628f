import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MeasurementList } from 'kalends/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillBusyDay } from './busy-hours.ts';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

let world: DashboardWorld;
let receiverUrl = '';
/** A receiver that is down. */
const receiver = createServer((_request, response) => response.writeHead(503).end());

describe('the overview of a busy service', () => {
  beforeAll(async () => {
    world = await createDashboardWorld((storage) => fillBusyDay(storage));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/calendar`;
    await world.call('POST', '/v1/webhookEndpoints', { webhookUrl: receiverUrl });
    await world.connect('google');
    const path = `/admin/v1/applications/${world.applicationId}/receivers`;
    const isFailing = async () =>
      (await world.call<{ readonly data: readonly { readonly failingSince: string | null }[] }>('GET', path)).data.some(
        ({ failingSince }) => failingSince !== null,
      );
    while (!(await isFailing()));
  });
  afterAll(async () => {
    await world?.close();
    await new Promise((resolve) => receiver.close(resolve));
  });

  it('says in words what needs a look, with links', async () => {
    const { page, faults } = await world.open('/overview');
    const state = page.getByRole('region', { name: 'State of the service' });
    const throttled = state
      .getByRole('listitem')
      .filter({ hasText: /^WarningGoogle has throttled \d+ of [\d,]+ calls/ });
    await throttled.waitFor();
    expect(await throttled.getByRole('link').getAttribute('href')).toContain('/settings/PROVIDER_A');
    const receiver = state.getByRole('listitem').filter({ hasText: `${receiverUrl} has failed for` });
    expect(await receiver.getByRole('link').getAttribute('href')).toContain('/webhooks/whe_');
    expect(await state.getByText('Microsoft').count()).toBe(0);
    await state.getByText(/^\d+ things need a look$/).waitFor();
    expect(faults).toEqual([]);
  });

  it('draws plots, shows each as a table, and keeps the period in the address', async () => {
    const { page, faults } = await world.open('/overview');
    const calls = page.getByRole('region', { name: 'Calls of providers' });
    await calls.locator('canvas').waitFor();
    await calls.getByText('As a table').click();
    const table = calls.getByRole('table');
    await table.getByRole('columnheader').nth(3).waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Time',
      'Answered',
      'Throttled',
      'Failed',
    ]);
    const asked = page.waitForResponse((response) => response.url().endsWith('/admin/v1/measurements'));
    await page.reload();
    const list = (await (await asked).json()) as MeasurementList;
    const total = list.data
      .filter(({ name }) => name === 'providerCalls')
      .reduce((sum, { points }) => sum + points.reduce((all, { count }) => all + count, 0), 0);
    await calls.locator('.plot-figure strong').getByText(total.toLocaleString('en'), { exact: true }).waitFor();
    await calls.getByText('As a table').click();
    await table.getByRole('row').nth(1).waitFor();
    const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents();
    expect(cells[0]).toMatch(/^\d\d:\d\d/);
    expect(cells.slice(1).every((text) => /^[\d,]+$/.test(text))).toBe(true);

    await page.getByRole('button', { name: 'Last day' }).click();
    expect(page.url()).toMatch(/overview\?period=day$/);
    await page.reload();
    await page.getByRole('button', { name: 'Last day', pressed: true }).waitFor();
    await calls.locator('canvas').waitFor();
    await calls.getByText('As a table').click();
    await table.getByRole('row').nth(90).waitFor();
    expect(faults).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has nothing that axe objects to: %s', async (colorScheme) => {
    const { page } = await world.open('/overview', { colorScheme });
    await page.locator('canvas').first().waitFor();
    await page.getByText('As a table').first().click();
    await page.getByText(/things need a look$/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('looks as it should', async () => {
    for (const period of ['hour', 'day']) {
      await takePictures(world, `/overview?period=${period}`, `overview-${period}`, async (page) => {
        await page.locator('canvas').nth(5).waitFor();
        await page.getByText(/^Checked/).waitFor();
      });
    }
    await takePictures(world, '/overview', 'overview-plots', async (page) => {
      await page.locator('canvas').nth(5).waitFor();
      await page.getByText(/^Checked/).waitFor();
      await page.getByText('The same by API').scrollIntoViewIfNeeded();
      await page.locator('.u-over').nth(3).hover();
    });
  });
});

describe('the overview of a new service', () => {
  beforeAll(async () => {
    world = await createDashboardWorld();
  });
  afterAll(() => world?.close());

  it('says what to do next, and that all is well', async () => {
    const { page, faults } = await world.open('/overview');
    await page.getByRole('heading', { name: 'Nothing has happened yet' }).waitFor();
    await page.getByRole('link', { name: 'Set up a provider' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(faults).toEqual([]);
    await takePictures(world, '/overview', 'overview-empty', (each) => each.getByText(/^Checked/).waitFor());
  });
});
