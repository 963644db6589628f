import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandbox } from '@kalends/sandbox';
import { expect, onTestFinished } from 'vitest';
import { createLogger } from '../../adapters/server/src/logger.ts';
import { storageOf } from '../../adapters/server/src/serve/open-storage.ts';
import { startServer } from '../../adapters/server/src/serve/server.ts';
import { standaloneEngine } from '../../adapters/server/src/serve/standalone-engine.ts';
import { readSettings } from '../../adapters/server/src/settings.ts';
import type { Json } from '../interface/world.ts';

export const MAILBOXES = [
  { name: 'google', providerType: 'PROVIDER_A', email: 'ada@gmail.example' },
  { name: 'microsoft', providerType: 'PROVIDER_B', email: 'grace@outlook.example' },
] as const;

export type Mailbox = (typeof MAILBOXES)[number];

const CLIENT = { clientId: 'drill', clientSecret: 'hush' };

/** The providers, and an installation that is started and stopped on a database. */
export async function openDrill(databaseUrl: string) {
  const sandbox = createSandbox({ seed: 3 });
  const { url: sandboxUrl } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  for (const { name, email } of MAILBOXES) {
    sandbox[name].addMailbox({ email, name: 'Person', timeZone: 'Europe/London' });
    sandbox[name].addClient({ ...CLIENT, redirectUris: [] });
  }
  const port = await freePort();
  const root = `http://127.0.0.1:${port}/api`;
  const environment = {
    KALENDS_DATABASE_URL: databaseUrl,
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_PUBLIC_URL: root,
    KALENDS_PROVIDERS_URL: sandboxUrl,
    KALENDS_HOST: '127.0.0.1',
    KALENDS_PORT: String(port),
    KALENDS_LAME_DUCK_MS: '0',
    KALENDS_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const { settings } = readSettings([], environment);
  const logger = createLogger('silent');
  let key = '';

  return {
    environment,
    /** Starts the server; resolves with the function that stops it. */
    async start(): Promise<() => Promise<void>> {
      const server = await startServer('start', settings, logger);
      onTestFinished(() => server.stop());
      return () => server.stop();
    },
    /** Makes the application, its clients and its key, as commands do. */
    async prepare(): Promise<void> {
      const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
      await engine.start({ background: false });
      const { id } = await engine.applications.create({ name: 'Shop' });
      for (const { providerType } of MAILBOXES) await engine.oauthClients.set(id, providerType, CLIENT);
      ({ key } = await engine.apiKeys.create(id, { name: 'Backend', expiresAt: null }));
      await engine.stop();
    },
    async call(
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ readonly status: number; readonly body: Json }> {
      const answer = await fetch(`${root}/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    refreshToken: ({ name, email }: Mailbox) => sandbox[name].issueRefreshToken({ email, clientId: CLIENT.clientId }),
    /** Calls the provider's own interface as the person would. */
    async atProvider({ name, email }: Mailbox, method: string, id: string, title?: string): Promise<string> {
      const token = await sandbox.accessToken({ provider: name, email });
      const path = name === 'google' ? 'google/calendar/v3/calendars/primary/events' : 'microsoft/v1.0/me/events';
      const day = new Date(sandbox.clock.now() + 86_400_000).toISOString().slice(0, 10);
      const point = (time: string) => ({ dateTime: `${day}T${time}:00`, timeZone: 'Europe/London' });
      const change = { [name === 'google' ? 'summary' : 'subject']: title };
      const answer = await fetch(`${sandboxUrl}/${path}${id === '' ? '' : `/${id}`}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'DELETE'
          ? {}
          : { body: JSON.stringify(id === '' ? { ...change, start: point('09:00'), end: point('10:00') } : change) }),
      });
      expect(answer.ok, await answer.clone().text()).toBe(true);
      return method === 'DELETE' ? id : ((await answer.json()) as { readonly id: string }).id;
    },
  };
}

export type Drill = Awaited<ReturnType<typeof openDrill>>;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
