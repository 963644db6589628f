import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@kalends/client/webhooks';
import type { Application, CalendarEvent, EndUserAccount } from 'kalends/model';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityProblems } from './chromium.ts';
import { createDashboardWorld, type DashboardWorld } from './dashboard-world.ts';

const SECRET = 'story-secret';
const MAILBOXES = [
  { provider: 'google', providerType: 'PROVIDER_A', name: 'Google', email: 'ada@gmail.example' },
  { provider: 'microsoft', providerType: 'PROVIDER_B', name: 'Microsoft', email: 'grace@outlook.example' },
] as const;

let world: DashboardWorld;
let server: Server;
let receiverUrl: string;
const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ headers: request.headers, body });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  world = await createDashboardWorld();
});
afterAll(async () => {
  await world?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Goes through the provider's sign-in as the person, and returns the id of the account that the application gets. */
async function consent(page: Page, address: string, email: string): Promise<string> {
  await page.goto(address);
  const mailbox = page.getByLabel(email, { exact: true });
  if ((await mailbox.count()) > 0) await mailbox.check();
  await page.getByRole('button', { name: /^(Allow|Accept)$/ }).click();
  await page.getByRole('heading', { name: 'Connected' }).waitFor();
  return (await page.locator('code').textContent()) ?? '';
}

/** Calls the control interface of the sandbox. */
async function atSandbox(path: string, body: object): Promise<void> {
  const response = await fetch(`${world.dev.connection.sandboxUrl}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
}

it('is played from the first application to its audit log', { timeout: 300_000 }, async () => {
  const { baseUrl } = world.dev.connection;
  const { page, faults } = await world.open('/../applications');
  const pageOf = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

  // An application, its redirect URL, its OAuth clients, its key.
  await page.getByRole('button', { name: 'New application' }).click();
  await page.getByLabel('Name').fill('Story');
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  const applicationId = new URL(page.url()).pathname.split('/')[2] ?? '';
  await page.getByLabel('Redirect URL to add').fill(`${world.dev.siteUrl}/connected`);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByText('The redirect URL is added').waitFor();
  for (const { provider, providerType, name } of MAILBOXES) {
    const redirectUris = [`${baseUrl}/v1/oauth/callback/${providerType.toLowerCase()}`];
    await atSandbox(`/${provider}/clients`, { clientId: 'story', clientSecret: SECRET, redirectUris });
    await page.getByRole('link', { name: 'Set up' }).first().click();
    const panel = page.getByRole('dialog', { name: `OAuth client at ${name}` });
    await panel
      .getByText(redirectUris[0] ?? '')
      .first()
      .waitFor();
    await panel.getByLabel('Client id').fill('story');
    await panel.getByLabel('Client secret').fill(SECRET);
    await panel.getByRole('button', { name: 'Save client' }).click();
    await page.getByText('The OAuth client is saved').first().waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  }
  for (const index of [0, 1]) {
    await page.getByRole('button', { name: 'Test connection' }).nth(index).click();
    await page.getByText('Accepted', { exact: true }).nth(index).waitFor();
  }
  await pageOf('API keys');
  await page.getByRole('button', { name: 'New API key' }).first().click();
  await page.getByLabel('Name').fill('Backend');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('.secret code').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const asBackend = async <Body>(path: string): Promise<Body> => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-api-key': key } });
    return (await response.json()) as Body;
  };

  // Two people connect their mailboxes through the consent pages.
  const person = await world.openSignedOut('/');
  const accountIds: string[] = [];
  await pageOf('Accounts');
  await page.getByRole('button', { name: 'Connect mailbox' }).click();
  expect(await accessibilityProblems(page)).toEqual([]);
  for (const { name, email } of MAILBOXES) {
    const flow = await page.getByRole('link', { name: `Sign in at ${name}` }).getAttribute('href');
    accountIds.push(await consent(person.page, flow ?? '', email));
  }
  const [googleId = ''] = accountIds;
  await page.keyboard.press('Escape');
  for (const { email } of MAILBOXES)
    await page
      .getByRole('row', { name: new RegExp(email) })
      .getByText('Active')
      .waitFor();

  // A webhook for all changes of the first account.
  await pageOf('Webhooks');
  await page.getByRole('button', { name: 'New subscription' }).first().click();
  await page.getByLabel('Search for the account').fill('ada@');
  await page.getByLabel('Account', { exact: true }).getByText('ada@gmail.example').waitFor({ state: 'attached' });
  await page.getByLabel('Address').fill(receiverUrl);
  await page.getByRole('button', { name: 'Create subscription' }).click();
  const endpointSecret = (await page.locator('.secret code').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have stored it' }).click();

  // Its calendars: a series, one occurrence moved, then the following ones.
  const calendars = await asBackend<{ data: { id: string; name: string; isPrimary: boolean }[] }>(
    `/v1/calendars/${googleId}`,
  );
  const calendarId = calendars.data.find(({ isPrimary }) => isPrimary)?.id ?? '';
  const series = await fetch(`${baseUrl}/v1/events/${googleId}/${encodeURIComponent(calendarId)}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      title: 'Story time',
      start: { dateTime: '2031-03-04T10:00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2031-03-04T11:00:00', timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
    }),
  });
  expect(series.status).toBe(201);
  const starts = async () => {
    const query =
      'expandRecurrences=true&orderBy=startDateTime&startDateTime=2031-03-01T00:00:00Z&endDateTime=2031-05-01T00:00:00Z';
    const { data } = await asBackend<{ data: CalendarEvent[] }>(
      `/v1/events/${googleId}/${encodeURIComponent(calendarId)}?${query}&timeZone=Europe/London`,
    );
    return data.filter(({ title }) => title === 'Story time').map(({ start }) => start?.dateTime?.slice(0, 16));
  };
  const agendaOf = (date: string) => {
    const query = { account: googleId, calendars: encodeURIComponent(calendarId), view: 'agenda', date };
    return `${world.dev.siteUrl}/dashboard/${applicationId}/calendar?${new URLSearchParams(query)}`;
  };
  // The browser is in Rome, and the series in London: its times are London's, also after the clocks have changed.
  const moveTo = async (day: string, time: string, reach: string) => {
    await page.goto(agendaOf(day));
    await page
      .getByRole('button', { name: /Story time/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Start time').fill(time);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel(reach).check();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByText('The change is made').waitFor();
  };
  const [first, second] = ['2031-03-04T10:00', '2031-03-11T14:00'];
  await moveTo('2031-03-11', '14:00', 'This one');
  expect(await starts()).toEqual([first, second, '2031-03-18T10:00', '2031-03-25T10:00', '2031-04-01T10:00']);
  await moveTo('2031-03-18', '09:00', 'This and following');
  expect(await starts()).toEqual([first, second, '2031-03-18T09:00', '2031-03-25T09:00', '2031-04-01T09:00']);
  await page.keyboard.press('Escape');

  // The webhook has been delivered; it is sent again.
  await pageOf('Webhooks');
  const receiver = page.getByRole('row', { name: /hook/ });
  await receiver.getByText(/of \d+ delivered/).waitFor();
  await receiver.getByRole('link').click();
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
  const before = received.length;
  const [sent] = received;
  const { message } = verifyWebhook(sent?.body ?? '', sent?.headers ?? {}, endpointSecret);
  expect(message.eventType).toMatch(/^calendar\./);
  await page
    .getByRole('button', { name: /calendar\./ })
    .last()
    .click();
  await page.getByRole('button', { name: 'Redeliver' }).first().click();
  await expect.poll(() => received.length, { timeout: 15_000 }).toBeGreaterThan(before);
  const ids = received.map(({ headers }) => headers['hook-id']);
  expect(ids.slice(0, before)).toContain(ids.at(-1));
  await page.keyboard.press('Escape');

  // The grant ends at the provider; the person reconnects through a link.
  await atSandbox('/google/mailboxes/ada@gmail.example/revoke', {});
  await pageOf('Accounts');
  await page.getByRole('link', { name: 'ada@gmail.example' }).click();
  const panel = page.getByRole('dialog', { name: 'ada@gmail.example' });
  await panel.getByRole('button', { name: 'Sync now' }).click();
  await panel.getByText('Expired', { exact: true }).first().waitFor();
  await panel.getByRole('button', { name: 'Create reconnect link' }).click();
  const link = (await panel.locator('.code-block pre', { hasText: '/v1/oauth/authorize/' }).textContent()) ?? '';
  expect(await consent(person.page, link.trim(), 'ada@gmail.example')).toBe(googleId);
  await page.reload();
  await panel.getByText('Active', { exact: true }).first().waitFor();
  expect((await asBackend<EndUserAccount>(`/v1/endUserAccounts/${googleId}`)).status).toBe('ACTIVE');
  await page.keyboard.press('Escape');

  // All of it is in the audit log.
  await pageOf('Audit');
  await page.getByRole('row', { name: /application\.created/ }).waitFor();
  const rows = (await page.locator('.audit tbody tr').allInnerTexts()).join('\n');
  for (const action of [
    'application.created',
    'application.updated',
    'oauthClient.set',
    'oauthClient.tested',
    'apiKey.created',
    'account.connected',
    'account.expired',
    'account.reconnectLink.created',
    'account.reconnected',
    'receiver.redelivered',
  ]) {
    expect(rows).toContain(action);
  }
  const application = await world.call<Application>('GET', `/admin/v1/applications/${applicationId}`);
  expect(application.name).toBe('Story');
  expect([...faults, ...person.faults]).toEqual([]);
});
