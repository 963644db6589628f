import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld, takePictures } from './dashboard-world.ts';

interface Received {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

let world: DashboardWorld;
let server: Server;
let receiverUrl: string;
const received: Received[] = [];
let answer = (response: ServerResponse) => response.writeHead(200).end('thank you');
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await createDashboardWorld();
});
afterAll(async () => {
  await world?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const panelOf = (page: Page) => page.locator('dialog.panel');

it('says what to do next where there is no receiver, with nothing that axe objects to', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, faults } = await world.open('/webhooks', { colorScheme });
    await page.getByRole('heading', { name: 'Create the first webhook endpoint' }).waitFor();
    expect(await page.locator('.empty pre').textContent()).toContain('/v1/webhookEndpoints');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(faults).toEqual([]);
  }
});

it('creates an endpoint, shows its secret once, and a message arrives live', async () => {
  const { page, faults } = await world.open('/webhooks');
  await page.getByRole('button', { name: 'New endpoint' }).first().click();
  await page.getByLabel('Address').fill('https://10.0.0.1/hook');
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  await page.locator('dialog .problem, dialog [role=alert]').first().waitFor();
  await page.getByLabel('Address').fill(`${receiverUrl}/accounts`);
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  const dialog = page.getByRole('dialog', { name: 'The signing secret' });
  const secret = (await dialog.locator('.secret code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  expect(await page.content()).not.toContain(secret);

  const row = page.getByRole('row', { name: /accounts/ });
  await row.getByText('Nothing sent yet').waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
  await world.connect('google');
  // Nothing is reloaded: the stream tells of the attempt.
  await row.getByText('1 of 1 delivered').waitFor();
  await row.getByRole('img', { name: /The newest 1 attempts: 1 delivered, 0 failed/ }).waitFor();
  expect(faults).toEqual([]);
});

it('shows request and answer of an attempt, and sends it again', async () => {
  const { page, faults } = await world.open('/webhooks');
  await page.getByRole('row', { name: /accounts/ }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const panel = panelOf(page);
  await panel.getByRole('heading', { name: 'Deliveries' }).waitFor();
  expect(page.url()).toMatch(/\/webhooks\/whe_/);
  await panel.getByRole('button', { name: /enduseraccount\.created/ }).click();
  const [request, response] = await Promise.all(
    [0, 1].map((index) => panel.locator('.side-by-side pre').nth(index).textContent()),
  );
  const [sent] = received;
  expect(request).toContain(`hook-id: ${sent?.headers['hook-id']}`);
  expect(request).toContain(JSON.stringify(JSON.parse(sent?.body ?? ''), null, 2));
  expect(response).toBe('200\n\nthank you');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityProblems(page)).toEqual([]);
  }
  await panel.getByRole('button', { name: 'Redeliver' }).click();
  await panel
    .getByRole('button', { name: /enduseraccount\.created/ })
    .nth(1)
    .waitFor();
  expect(received[1]?.headers['hook-id']).toBe(sent?.headers['hook-id']);
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(page.url()).toMatch(/\/webhooks$/);
  expect(faults).toEqual([]);
});

it('shows a receiver that fails, and sends again what failed', async () => {
  const { page, faults } = await world.open('/webhooks');
  answer = (response) => response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"maintenance"}');
  await world.connect('microsoft');
  const row = page.getByRole('row', { name: /accounts/ });
  await row.getByText('2 of 3 delivered').waitFor();
  await page.reload();
  await row.getByText('Failing').waitFor();
  await page.getByRole('button', { name: 'Failing' }).click();
  expect(page.url()).toContain('show=failing');
  await row.getByRole('link').click();
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Failed', exact: true }).click();
  await panel.getByRole('button', { name: /503 server error/ }).click();
  await panel.getByText('Next attempt').waitFor();
  await panel.getByText(/in \d+ (second|minute)s?/).waitFor();
  expect(await panel.locator('.side-by-side pre').nth(1).textContent()).toContain('"error": "maintenance"');

  answer = (response) => response.writeHead(200).end('back');
  await panel.getByRole('button', { name: 'Send failed ones again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send again what failed' });
  await dialog.getByText('The log has 1 message since then whose last attempt failed.').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('1 message is due').waitFor();
  await panel.getByRole('button', { name: 'All', exact: true }).click();
  await panel
    .getByRole('button', { name: /200.*enduseraccount\.created/ })
    .nth(2)
    .waitFor();
  expect(faults).toEqual([]);
});

it('shows a receiver that was disabled, as it happens, and enables it', async () => {
  const { webhookEndpointId } = await world.call<{ webhookEndpointId: string }>('POST', '/v1/webhookEndpoints', {
    webhookUrl: `${receiverUrl}/gone`,
  });
  const { page, faults } = await world.open('/webhooks');
  const row = page.getByRole('row', { name: /gone/ });
  await row.getByText('Nothing sent yet').waitFor();
  await page.getByText('Live', { exact: true }).first().waitFor();
  answer = (response) => response.writeHead(410).end();
  await world.connect('google');
  await row.getByText('Disabled').waitFor();
  answer = (response) => response.writeHead(200).end('back');
  await row.getByRole('link').click();
  const panel = panelOf(page);
  await panel.getByText('It failed for too long, or answered 410').waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await panel.getByRole('button', { name: 'Send failed ones again' }).isDisabled()).toBe(true);
  await panel.getByRole('button', { name: 'Enable' }).click();
  await panel.getByText('Delivers').waitFor();
  await world.call('DELETE', `/v1/webhookEndpoints/${webhookEndpointId}`);
  expect(faults).toEqual([]);
});

it('subscribes to a calendar, rotates the secret, and deletes with what is lost', async () => {
  const { page, faults } = await world.open('/webhooks');
  await page.getByRole('button', { name: 'New subscription' }).click();
  await page.getByLabel('Search for the account').fill('grace');
  await page.getByLabel('Account', { exact: true }).getByText('grace@outlook.example').waitFor({ state: 'attached' });
  const covers = page.getByLabel('Tells of');
  await covers
    .getByText(/^Changes in/)
    .first()
    .waitFor({ state: 'attached' });
  await covers.selectOption({ index: 1 });
  await page.getByLabel('Address').fill(`${receiverUrl}/calendar?token=hush-hush`);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create subscription' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();

  await page.getByRole('button', { name: 'Subscriptions' }).click();
  const row = page.getByRole('row', { name: /calendar/ });
  await row.getByRole('link').click();
  expect(await page.content()).not.toContain('hush-hush');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'Rotate secret' }).click();
  await page
    .getByRole('dialog', { name: 'Rotate the signing secret?' })
    .getByRole('button', { name: 'Rotate' })
    .click();
  expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'I have stored it' }).click();

  await panel.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this receiver?' });
  await dialog.getByText(/This deletes its log of \d+ attempts?/).waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByText('No receiver fits.').waitFor();
  expect(faults).toEqual([]);
});

it('searches with /, and keeps the search in the address', async () => {
  const { page } = await world.open('/webhooks');
  await page.getByRole('row', { name: /accounts/ }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nowhere');
  await page.getByText('No receiver fits.').waitFor();
  expect(page.url()).toContain('search=nowhere');
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /accounts/ }).waitFor();
});

it('looks as it should', async () => {
  answer = (response) => response.writeHead(received.length % 3 === 0 ? 500 : 200).end('{"ok":true}');
  await world.call('POST', '/v1/webhookEndpoints', { webhookUrl: `${receiverUrl}/crm/calendar-accounts` });
  await takePictures(world, '/webhooks', 'webhooks', (page) =>
    page.getByText('Live', { exact: true }).first().waitFor(),
  );
  await takePictures(world, '/webhooks', 'webhooks-panel', async (page) => {
    await page
      .getByRole('row', { name: /accounts/ })
      .first()
      .getByRole('link')
      .click();
    const panel = panelOf(page);
    await panel
      .getByRole('button', { name: /enduseraccount\.created/ })
      .first()
      .click();
    await panel.getByRole('heading', { name: 'Request' }).scrollIntoViewIfNeeded();
  });
});
