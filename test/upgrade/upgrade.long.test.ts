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
const DAV_EMAIL = 'ada@caldav.example';
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
  const send = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const call = async (method: string, path: string, ...rest: [body?: unknown, headers?: Record<string, string>]) => {
    const answer = await send(method, path, ...rest);
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
  return { send, call, pages };
}

type Server = ReturnType<typeof serverAt>;

/** A copy of a list that is kept up to date by one version's tokens. */
async function copyOf(server: Server, path: string, window: string) {
  const records = new Map<string, Json>();
  let { records: listed, syncToken } = await server.pages(path, window);
  for (const record of listed) records.set(String(record.id), record);
  return {
    records,
    token: () => syncToken,
    async sync() {
      ({ records: listed, syncToken } = await server.pages(path, `syncToken=${encodeURIComponent(syncToken)}`));
      for (const record of listed) {
        if (record.isDeleted === true) records.delete(String(record.id));
        else records.set(String(record.id), record);
      }
    },
  };
}

const byId = (records: Iterable<Json>) =>
  [...records].map(({ id, title, start }) => `${id} ${title} ${start?.dateTime}`).sort();

describe.each(STORAGES)('on %s, both versions run on one database', (storage) => {
  it('and neither loses a write, an own sync token, an idempotency key or a webhook', {
    timeout: 180_000,
  }, async () => {
    const sandbox = createSandbox({ seed: 5 });
    const { url: sandboxUrl } = await sandbox.listen();
    onTestFinished(() => sandbox.close());
    sandbox.google.addMailbox({ email: EMAIL, name: 'Ada', timeZone: 'Europe/London' });
    sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
    sandbox.caldav.addMailbox({ email: DAV_EMAIL, name: 'Ada', timeZone: 'Europe/London' });
    const password = sandbox.caldav.addAppPassword({ email: DAV_EMAIL });
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
    const earlier = await copyOf(old, path, window);
    expect(earlier.records.size).toBe(3);

    // A calendar that the present version reads in a new way.
    const credentials = { kind: 'password', serverUrl: `${sandboxUrl}/caldav/`, username: DAV_EMAIL, password };
    const davAccount = await old.call('POST', '/endUserAccounts', {
      email: DAV_EMAIL,
      providerType: 'CALDAV',
      credentials,
    });
    const { data } = await old.call('GET', `/calendars/${davAccount.id}`);
    const davPath = `/events/${davAccount.id}/${(data as Json[]).find(({ isPrimary }) => isPrimary)?.id}`;
    const davSeries = await old.call('POST', davPath, create('Series'));
    const davEarlier = await copyOf(old, davPath, window);
    expect(davEarlier.records.size).toBe(3);

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

    // The present version answers some lists otherwise from what is stored: a token of the previous one expires.
    const refused = await present.send('GET', `${path}?syncToken=${encodeURIComponent(earlier.token())}`);
    expect([refused.status, ((await refused.json()) as Json).code]).toEqual([410, 'SyncTokenExpired']);
    // Writes and syncs go to one version and the other in turn, each over what the other has written.
    const calendars = [
      { path, seriesId: series.id, earlier, later: await copyOf(present, path, window) },
      { path: davPath, seriesId: davSeries.id, earlier: davEarlier, later: await copyOf(present, davPath, window) },
    ];
    for (const { path, seriesId, earlier, later } of calendars) {
      const occurrences = [...earlier.records.keys()];
      expect(byId(later.records.values())).toEqual(byId(earlier.records.values()));
      for (let round = 0; round < ROUNDS; round += 1) {
        const [writer, reader] = round % 2 === 0 ? [old, present] : [present, old];
        await writer.call('POST', path, { title: `Event ${round}`, start });
        await reader.call('PUT', `${path}/${occurrences[round % 2]}`, { title: `Moved ${round}` });
        await writer.call('PUT', `${path}/${seriesId}`, { location: `Room ${round}` });
        await (round % 2 === 0 ? later : earlier).sync();
      }
      await present.call('DELETE', `${path}/${occurrences[2]}`);
      for (const copy of [earlier, later]) {
        await copy.sync();
        expect(byId(copy.records.values())).toEqual(byId((await present.pages(path, window)).records));
        expect(byId(copy.records.values())).toEqual(byId((await old.pages(path, window)).records));
      }
    }
    const before = receiver.received.length;
    expect(before).toBeGreaterThan(0);

    // The previous version ends; its subscription and its accounts go on.
    expect(await older.stop(), older.output()).toBe(0);
    for (const { path, seriesId, later } of calendars) {
      await present.call('DELETE', `${path}/${seriesId}`);
      await later.sync();
      expect(byId(later.records.values())).toEqual(byId((await present.pages(path, window)).records));
      expect(later.records.size).toBe(ROUNDS);
    }
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
