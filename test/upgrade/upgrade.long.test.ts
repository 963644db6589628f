import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyWebhook } from '@kalends/client/webhooks';
import { createSandbox } from '@kalends/sandbox';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../interface/world.ts';
import { freePort } from '../processes/free-port.ts';
import { runShell } from '../processes/run-shell.ts';
import { STORAGES, unmigratedDatabase } from '../storages/new-database.ts';
import { openReceiver } from '../webhooks/receiver.ts';
import { buildPreviousVersion, presentVersion, type Version } from './versions.ts';

const EMAIL = 'ada@gmail.example';
const CLIENT = { clientId: 'app', clientSecret: 'hush' };
const ROUNDS = 10;

const folder = mkdtempSync(join(tmpdir(), 'kalends-upgrade-'));
let previousVersion: Version;
beforeAll(async () => {
  previousVersion = await buildPreviousVersion(folder);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server at a port, called with a key. */
function serverAt(port: number, key: string) {
  const call = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path} at ${port}: ${text}`).toBe(true);
    return JSON.parse(text) as Json;
  };
  const pages = async (path: string, query: string) => {
    const records: Json[] = [];
    let page = await call('GET', `${path}?${query}`);
    for (;;) {
      records.push(...(page.data as Json[]));
      if (page.nextSyncToken !== undefined) return { records, syncToken: String(page.nextSyncToken) };
      page = await call('GET', `${path}?pageToken=${encodeURIComponent(page.nextPageToken)}`);
    }
  };
  return { call, pages };
}

const byId = (records: Iterable<Json>) =>
  [...records].map(({ id, title, start }) => `${id} ${title} ${start?.dateTime}`).sort();

describe.each(STORAGES)('on %s, both versions run on one database', (storage) => {
  it('and neither loses a write, a sync token, an idempotency key or a webhook', { timeout: 180_000 }, async () => {
    const sandbox = createSandbox({ seed: 5 });
    const { url: sandboxUrl } = await sandbox.listen();
    onTestFinished(() => sandbox.close());
    sandbox.google.addMailbox({ email: EMAIL, name: 'Ada', timeZone: 'Europe/London' });
    sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
    const [oldPort, newPort] = [await freePort(), await freePort()];
    const database = await unmigratedDatabase(storage);
    const environment = {
      KALENDS_DATABASE_URL: storage === 'sqlite' ? `sqlite:${database}` : database,
      KALENDS_SECRET: Buffer.alloc(32, 3).toString('base64'),
      KALENDS_PUBLIC_URL: `http://127.0.0.1:${oldPort}/api`,
      KALENDS_PROVIDERS_URL: sandboxUrl,
      KALENDS_HOST: '127.0.0.1',
      KALENDS_LAME_DUCK_MS: '0',
      KALENDS_ALLOWED_NETWORKS: '127.0.0.0/8',
      KALENDS_CLIENT_SECRET: CLIENT.clientSecret,
    };

    // The previous version: an application, an account, a copy and a subscription.
    const { id: app = '' } = await previousVersion.json(environment, 'app', 'create', '--name', 'Shop');
    await previousVersion.json(
      environment,
      'client',
      'set',
      'PROVIDER_A',
      '--app',
      app,
      '--client-id',
      CLIENT.clientId,
    );
    const keyArguments = ['--app', app, '--name', 'Backend', '--expires-at', 'null'];
    const { key = '' } = await previousVersion.json(environment, 'key', 'create', ...keyArguments);
    const older = previousVersion.start({ ...environment, KALENDS_PORT: String(oldPort) }, 'start');
    await older.printed(/"started"/);
    const old = serverAt(oldPort, key);
    const refreshToken = sandbox.google.issueRefreshToken({ email: EMAIL, clientId: CLIENT.clientId });
    const account = await old.call('POST', '/endUserAccounts', {
      email: EMAIL,
      providerType: 'PROVIDER_A',
      refreshToken,
    });
    const path = `/events/${account.id}/${encodeURIComponent(EMAIL)}`;
    const receiver = await openReceiver();
    const { endpointSecret } = await old.call('POST', `/calendarSubscriptions/${account.id}`, {
      calendarId: EMAIL,
      webhookUrl: receiver.url,
    });
    const start = { dateTime: '2030-03-04T09:00:00', timeZone: 'America/New_York' };
    const create = (title: string) => ({ title, start, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'] });
    const named = { 'idempotency-key': 'before the upgrade' };
    const series = await old.call('POST', path, create('Series'), named);
    const window = 'expandRecurrences=true&startDateTime=2030-03-01T00:00:00Z&endDateTime=2030-04-01T00:00:00Z';
    const first = await old.pages(path, window);
    const copy = new Map(first.records.map((record) => [String(record.id), record]));
    expect(copy.size).toBe(3);

    // The present version migrates, and runs beside it.
    const migration = presentVersion.start(environment, 'migrate');
    expect(await migration.end, migration.output()).toBe(0);
    const newer = presentVersion.start({ ...environment, KALENDS_PORT: String(newPort) }, 'start');
    await newer.printed(/"started"/);
    await runShell(
      `curl --silent --fail --retry 20 --retry-delay 1 --retry-all-errors http://127.0.0.1:${newPort}/readyz`,
      '/',
    );
    const present = serverAt(newPort, key);
    expect(await present.call('POST', path, create('Series'), named)).toMatchObject({ id: series.id });

    let syncToken = first.syncToken;
    const sync = async (server: typeof old) => {
      const changes = await server.pages(path, `syncToken=${encodeURIComponent(syncToken)}`);
      for (const record of changes.records) {
        if (record.isDeleted === true) copy.delete(String(record.id));
        else copy.set(String(record.id), record);
      }
      syncToken = changes.syncToken;
    };
    // Writes and syncs go to one version and the other in turn, each over what the other has written.
    const occurrences = [...copy.keys()];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [old, present] : [present, old];
      await writer.call('POST', path, { title: `Event ${round}`, start });
      await reader.call('PUT', `${path}/${occurrences[round % 2]}`, { title: `Moved ${round}` });
      await writer.call('PUT', `${path}/${series.id}`, { location: `Room ${round}` });
      await sync(reader);
    }
    await present.call('DELETE', `${path}/${occurrences[2]}`);
    await sync(old);
    expect(byId(copy.values())).toEqual(byId((await present.pages(path, window)).records));
    expect(byId(copy.values())).toEqual(byId((await old.pages(path, window)).records));
    const before = receiver.received.length;
    expect(before).toBeGreaterThan(0);

    // The previous version ends; its copy, its subscription and its account go on.
    expect(await older.stop(), older.output()).toBe(0);
    await present.call('DELETE', `${path}/${series.id}`);
    await sync(present);
    expect(byId(copy.values())).toEqual(byId((await present.pages(path, window)).records));
    expect(copy.size).toBe(ROUNDS);
    await receiver.wait(before + 1);
    for (const { body, headers } of receiver.received) {
      expect(verifyWebhook(body, headers, endpointSecret).message).toMatchObject({
        eventType: 'calendar.event.changed',
      });
    }
    expect(await newer.stop(), newer.output()).toBe(0);
    for (const { output } of [older, newer]) expect(output()).not.toMatch(/"level":(50|"error")/);
  });
});
