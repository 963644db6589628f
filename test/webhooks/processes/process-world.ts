import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Storage } from 'kalends/ports';
import { onTestFinished } from 'vitest';
import { sealSecret } from '../../../src/webhooks/target-secret.ts';
import { localSealer } from '../../data-keys/local-sealer.ts';
import { storageAt } from '../../storages/storage-at.ts';
import { ACCOUNT, APPLICATION, type Job, keyOf, SECRET, sharedClock } from './job.ts';

export const ENDPOINT_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** Fills an empty database with subscriptions `whs_0` …, one for each calendar, that POST to a server of this process. */
export async function openProcessWorld(options: {
  /** A path or an address, as `storageAt` takes it. */
  readonly database: string;
  readonly subscriptions: number;
  readonly rateLimit: number | null;
  readonly speed: number;
  readonly listener: RequestListener;
}) {
  const { database, speed } = options;
  const startedAt = Date.now();
  const clock = sharedClock({ startedAt, speed });
  const storage = await storageAt(database, clock);
  await storage.open();
  const server = createServer(options.listener);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await storage.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await fill(storage, url, options);
  const base: Pick<Job, 'database' | 'startedAt' | 'speed'> = { database, startedAt, speed };
  return { storage, clock, base };
}

async function fill(
  storage: Storage,
  url: string,
  { subscriptions, rateLimit }: { readonly subscriptions: number; readonly rateLimit: number | null },
): Promise<void> {
  const times = { createdAt: 1, updatedAt: 1 };
  await storage.applications.create({ id: APPLICATION, name: 'Test', redirectUrls: [], ...times, deletedAt: null });
  await storage.accounts.save(
    {
      id: ACCOUNT,
      applicationId: APPLICATION,
      providerType: 'FAKE',
      providerConfigId: 'prv_1',
      providerAccountId: null,
      email: 'ada@example.com',
      externalId: null,
      authorizedScopes: [],
      status: 'ACTIVE',
      ...times,
    },
    {
      id: 'crd_1',
      applicationId: APPLICATION,
      accountId: ACCOUNT,
      kind: 'oauth',
      wrappedKey: '',
      sealedAccessToken: '',
      sealedRefreshToken: '',
      expiresAt: 0,
      status: 'ACTIVE',
      version: 1,
      ...times,
    },
  );
  const sealer = localSealer(SECRET);
  for (let index = 0; index < subscriptions; index += 1) {
    const owner = { applicationId: APPLICATION, id: `whs_${index}` };
    await storage.subscriptions.insert({
      ...owner,
      accountId: ACCOUNT,
      calendarId: keyOf(index).calendarId,
      subscriptionType: 'event',
      detail: 'change',
      format: 'plain',
      providerType: 'FAKE',
      url: `${url}/${index}`,
      ...(await sealSecret(sealer, owner, ENDPOINT_SECRET)),
      previousSecret: null,
      rateLimit,
      disabledAt: null,
      failingSince: null,
      ...times,
    });
  }
}
