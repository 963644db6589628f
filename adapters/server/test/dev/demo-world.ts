import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dev } from '../../src/dev/dev-server.ts';
import { startDev } from '../../src/dev/start-dev.ts';
import { createApi, encoded, items, type Json } from '../../src/tour/api.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Anything = any;

/** Starts the demo, in memory unless a folder is given. */
export async function startDemo(folder?: string) {
  const own = folder ?? mkdtempSync(join(tmpdir(), 'kalends-demo-'));
  const dev = await startDev({
    folder: own,
    port: 0,
    sandboxPort: 0,
    database: folder === undefined ? ':memory:' : join(folder, 'kalends.db'),
    googleIcs: [],
    microsoftIcs: [],
    logLevel: 'warn',
    note: () => undefined,
  });
  const stop = async () => {
    await dev.stop();
    if (folder === undefined) rmSync(own, { recursive: true, force: true });
  };
  return { dev, api: createApi(dev.connection.baseUrl, dev.connection.apiKey), stop };
}

/** Connects the two mailboxes that push, and subscribes the primary calendar of each. */
export async function connectMailboxes({ dev, api }: Awaited<ReturnType<typeof startDemo>>, webhookUrl: string) {
  const accounts: { readonly id: string; readonly email: string; readonly calendarId: string }[] = [];
  for (const mailbox of dev.connection.accounts.filter((each) => 'refreshToken' in each)) {
    const { id } = await api.expect('POST', '/v1/endUserAccounts', mailbox, 201);
    const calendars = items(await api.expect('GET', `/v1/calendars/${id}`));
    const calendarId = String(calendars.find(({ isPrimary }) => isPrimary === true)?.id);
    await api.expect('GET', `/v1/events/${id}/${encoded(calendarId)}`);
    await api.expect('POST', `/v1/calendarSubscriptions/${id}`, { calendarId, webhookUrl }, 201);
    accounts.push({ id: String(id), email: mailbox.email, calendarId });
  }
  return accounts;
}

/** Signs in to the dashboard by the link that the start prints, and returns the calls of its page. */
export async function signIn(dev: Dev) {
  const code = new URL(dev.dashboardUrl).hash.slice('#code='.length);
  const own = { 'x-kalends-dashboard': '1', 'content-type': 'application/json' };
  const begun = await fetch(`${dev.siteUrl}/dashboard/session`, {
    method: 'POST',
    headers: own,
    body: JSON.stringify({ code }),
  });
  const cookie = String(begun.headers.get('set-cookie')).split(';', 1).join();
  return (method: string, path: string, body?: Json): Promise<Response> =>
    fetch(`${dev.siteUrl}/dashboard${path}`, {
      method,
      headers: { ...own, cookie },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** Calls the controls of the demo as the page does. */
export function controlsBy(call: Awaited<ReturnType<typeof signIn>>) {
  return async (method: string, path: string, body?: Json): Promise<{ status: number; body: Anything }> => {
    const response = await call(method, `/sandbox${path}`, body);
    return { status: response.status, body: await response.json() };
  };
}

/** A receiver that fails its first POSTs. */
export async function openFailingReceiver(failures: number) {
  const posts: { readonly id: string; readonly sentAt: number }[] = [];
  const server = createServer((request, response) => {
    const { 'hook-id': id, 'hook-timestamp': seconds } = request.headers;
    posts.push({ id: String(id), sentAt: Number(seconds) * 1000 });
    request.resume();
    response.writeHead(posts.length > failures ? 204 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    posts,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
