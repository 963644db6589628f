import { google, googleEndpoints } from '@kalends/google';
import { type ShardedStorageOptions, shardedStorage } from '@kalends/postgres';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import { createEngine, type Engine } from 'kalends';
import type { Clock, Storage } from 'kalends/ports';
import { monotonicClock } from 'kalends/runtime';
import { CLIENT } from '../../../../test/engine-world.ts';
import { createReceiver, type Receiver } from '../../../../test/interface/receiver.ts';

/** A clock that runs `speed` times as fast, for all who share what is remembered of places. */
export function fastClock(speed: number): Clock {
  return {
    now: () => monotonicClock.now() * speed,
    sleep: (ms, signal) => monotonicClock.sleep(ms / speed, signal),
  };
}

/** A clock that is advanced by its sleepers, without a wait: for a single process. */
export function jumpingClock(): Clock {
  let aheadMs = 0;
  return {
    now: () => monotonicClock.now() + aheadMs,
    async sleep(ms) {
      aheadMs += ms;
    },
  };
}

/** A mailbox that is connected, with a subscription to its calendar. */
export interface Mailbox {
  readonly email: string;
  readonly accountId: string;
  readonly calendarId: string;
  readonly subscriptionId: string;
  /** Path of the receiver to which its messages go. */
  readonly path: string;
}

/** An engine on several databases, a provider with mailboxes and a receiver of messages. */
export interface ShardedWorld {
  readonly storage: ReturnType<typeof shardedStorage>;
  readonly engine: Engine;
  readonly caller: { readonly applicationId: string };
  readonly sandbox: Sandbox;
  readonly receiver: Receiver;
  connect(name: string): Promise<Mailbox>;
  /** Adds an event at the provider. */
  addEvent(mailbox: Mailbox, title: string): Promise<void>;
  close(): Promise<void>;
}

export function engineOf(storage: Storage, sandboxUrl: string): Engine {
  return createEngine({
    storage,
    providers: { PROVIDER_A: google(googleEndpoints(`${sandboxUrl}/google`)) },
    secret: Buffer.alloc(32, 3).toString('base64'),
    webhooks: { allowedNetworks: ['127.0.0.0/8'] },
    sync: { pollWithoutPushMs: 200, freshWithoutPushMs: 1, readWaitMs: 60_000 },
  });
}

/** @param options of the storage; its clock is what moves wait by */
export async function startShardedWorld(options: ShardedStorageOptions): Promise<ShardedWorld> {
  const sandbox = createSandbox({ seed: 11 });
  const { url } = await sandbox.listen();
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  const storage = shardedStorage(options);
  const engine = engineOf(storage, url);
  await engine.start();
  const receiver = await createReceiver();
  const { id: applicationId } = await engine.applications.create({ name: 'Test', redirectUrls: [] });
  const caller = { applicationId };
  await engine.oauthClients.set(applicationId, 'PROVIDER_A', CLIENT);
  return {
    storage,
    engine,
    caller,
    sandbox,
    receiver,
    async connect(name) {
      const email = `${name}@gmail.example`;
      sandbox.google.addMailbox({ email, name, timeZone: 'Europe/London' });
      const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId });
      const { account } = await engine.accounts.upsert(caller, { email, providerType: 'PROVIDER_A', refreshToken });
      const { data } = await engine.calendars.list(caller, account.id, {});
      const calendarId = data.find((calendar) => 'isPrimary' in calendar && calendar.isPrimary)?.id ?? '';
      const path = `/${name}`;
      const { webhookSubscriptionId } = await engine.subscriptions.create(caller, account.id, {
        calendarId,
        webhookUrl: `${receiver.url}${path}`,
      });
      return { email, accountId: account.id, calendarId, subscriptionId: webhookSubscriptionId, path };
    },
    async addEvent({ email }, title) {
      const token = await sandbox.accessToken({ provider: 'google', email });
      const answer = await fetch(`${url}/google/calendar/v3/calendars/primary/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          summary: title,
          start: { dateTime: '2026-04-01T09:00:00Z' },
          end: { dateTime: '2026-04-01T10:00:00Z' },
        }),
      });
      if (!answer.ok) throw new Error(`The provider answered ${answer.status}`);
    },
    async close() {
      await engine.stop();
      await receiver.close();
      await sandbox.close();
    },
  };
}
