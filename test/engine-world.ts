import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler } from '@kalends/http';
import { nodeListener } from '@kalends/http/node';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine } from 'kalends';
import { expect } from 'vitest';

export const CLIENT = { clientId: 'kalends-tests', clientSecret: 'a-secret' };
export const REDIRECT_URL = 'https://app.example/return';
export const PROVIDERS = [
  { providerType: 'PROVIDER_A', name: 'google', email: 'ada@gmail.example' },
  { providerType: 'PROVIDER_B', name: 'microsoft', email: 'grace@outlook.example' },
] as const;

export type TestProvider = (typeof PROVIDERS)[number];

/** Both providers as a sandbox over HTTP, with one mailbox each. */
export interface Providers {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** Adds an event at the provider, as the person would with the provider's own program. */
  addEvent(provider: TestProvider, title: string): Promise<void>;
  close(): Promise<void>;
}

export async function startProviders(): Promise<Providers> {
  const sandbox = createSandbox({ seed: 11 });
  const { url } = await sandbox.listen();
  for (const { name, email } of PROVIDERS) {
    sandbox[name].addMailbox({ email, name: 'Somebody', timeZone: 'Europe/London' });
  }
  return {
    sandbox,
    url,
    async addEvent({ name, email }, title) {
      const token = await sandbox.accessToken({ provider: name, email });
      const path = name === 'google' ? 'google/calendar/v3/calendars/primary/events' : 'microsoft/v1.0/me/events';
      const at = new Date(sandbox.clock.now() + 86_400_000).toISOString().slice(0, 13);
      const point = (minutes: string) => ({ dateTime: `${at}:${minutes}:00`, timeZone: 'Europe/London' });
      const answer = await fetch(`${url}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          [name === 'google' ? 'summary' : 'subject']: title,
          start: point('00'),
          end: point('30'),
        }),
      });
      expect(answer.ok).toBe(true);
    },
    close: () => sandbox.close(),
  };
}

/** A started engine behind a real HTTP server. */
export interface RunningEngine {
  readonly engine: Engine;
  readonly publicUrl: string;
  stop(): Promise<void>;
}

/** Starts an engine on a SQLite file (or `:memory:`), with a port and so a public URL of its own. */
export async function startEngine({ url }: Providers, path: string): Promise<RunningEngine> {
  let handler: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  const server = createServer(nodeListener((request) => handler(request)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = createEngine({
    storage: sqlite({ path }),
    providers: {
      PROVIDER_A: google(googleEndpoints(`${url}/google`)),
      PROVIDER_B: microsoft(microsoftEndpoints(`${url}/microsoft`)),
    },
    secret: Buffer.alloc(32, 3).toString('base64'),
    publicUrl,
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
  });
  await engine.start();
  handler = async (request) => createHandler(engine)(request);
  return {
    engine,
    publicUrl,
    async stop() {
      await engine.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An application whose OAuth client both providers know; resolves with the caller on its behalf. */
export async function registerApplication(
  { sandbox }: Providers,
  { engine, publicUrl }: RunningEngine,
): Promise<{ readonly applicationId: string }> {
  const { id } = await engine.applications.create({ name: 'Test', redirectUrls: [REDIRECT_URL] });
  for (const { providerType, name } of PROVIDERS) {
    const redirectUris = [`${publicUrl}/v1/oauth/callback/${providerType.toLowerCase()}`];
    sandbox[name].addClient({ ...CLIENT, redirectUris });
    await engine.oauthClients.set(id, providerType, CLIENT);
  }
  return { applicationId: id };
}
