import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createSandbox } from '@kalends/sandbox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lastingLines, tourPicture } from '../../../scripts/tour-picture.js';
import { openConnection, rawRequest } from '../../../test/interface/raw-connection.ts';
import { devCommand } from '../src/dev/dev-command.ts';
import type { Dev, DevOptions } from '../src/dev/dev-server.ts';
import { greeting } from '../src/dev/greeting.ts';
import { startDev } from '../src/dev/start-dev.ts';
import { createApi, encoded, listAll } from '../src/tour/api.ts';
import { runTour } from '../src/tour/tour-command.ts';

let folder: string;
const running: Dev[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kalends-dev-'));
});
afterEach(async () => {
  for (const dev of running.splice(0)) await dev.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<Pick<DevOptions, 'googleIcs' | 'database' | 'calDav'>> = {}) {
  const notes: string[] = [];
  const dev = await startDev({
    folder,
    port: 0,
    sandboxPort: 0,
    database: options.database ?? join(folder, 'kalends.db'),
    googleIcs: options.googleIcs ?? [],
    microsoftIcs: [],
    calDav: options.calDav,
    logLevel: 'warn',
    note: (note) => notes.push(note),
  });
  running.push(dev);
  return { dev, notes, api: createApi(dev.connection.baseUrl, dev.connection.apiKey) };
}

async function stop(dev: Dev) {
  running.splice(running.indexOf(dev), 1);
  await dev.stop();
}

async function tour() {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const code = await runTour(['--folder', folder], io);
  io.stdout.end();
  io.stderr.end();
  return { code, output: (await text(io.stdout)) + (await text(io.stderr)) };
}

it('plays the tour twice against one server', { timeout: 120_000 }, async () => {
  const { api, dev } = await start();
  const { connection } = dev;
  for (const _round of [1, 2]) {
    const { code, output } = await tour();
    expect(code, output).toBe(0);
    expect(output).toContain('all as promised, on all three providers');
    expect(lastingLines(tourPicture(output)), 'run: npm run --silent tour | node scripts/draw-tour.js').toEqual(
      lastingLines(readFileSync(new URL('../../../docs/images/tour.svg', import.meta.url), 'utf8')),
    );
  }
  // The tour leaves the printed tokens alone.
  for (const mailbox of connection.accounts) {
    await api.expect('POST', '/v1/endUserAccounts', mailbox, 200);
  }
});

it('finds mailboxes, accounts and sync tokens again after a restart on other ports', { timeout: 60_000 }, async () => {
  const first = await start();
  const before: { path: string; syncToken: string; titles: unknown[] }[] = [];
  for (const mailbox of first.dev.connection.accounts.filter((each) => 'refreshToken' in each)) {
    const account = await first.api.expect('POST', '/v1/endUserAccounts', mailbox, 201);
    const calendars = await listAll(first.api, `/v1/calendars/${account.id}`, {});
    const primary = calendars.items.find(({ isPrimary }) => isPrimary === true);
    const path = `/v1/events/${account.id}/${encoded(primary?.id)}`;
    const { items, syncToken } = await listAll(first.api, path, {});
    before.push({ path, syncToken, titles: items.map(({ title }) => title) });
  }
  await stop(first.dev);

  const second = await start();
  expect(second.dev.connection.apiKey).toBe(first.dev.connection.apiKey);
  expect(second.dev.connection.applicationId).toBe(first.dev.connection.applicationId);
  const accounts = await listAll(second.api, '/v1/endUserAccounts', {});
  expect(accounts.items.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE']);
  for (const { path, syncToken, titles } of before) {
    expect((await listAll(second.api, path, { syncToken })).items).toEqual([]);
    expect((await listAll(second.api, path, {})).items.map(({ title }) => title)).toEqual(titles);
    const created = await second.api.expect(
      'POST',
      path,
      { title: 'After the restart', start: { dateTime: '2026-03-02T09:00:00Z' } },
      201,
    );
    const changes = await listAll(second.api, path, { syncToken });
    expect(changes.items.map(({ id }) => id)).toEqual([created.id]);
  }
});

it('loads an .ics file once, into a calendar of the Google mailbox', { timeout: 60_000 }, async () => {
  const file = join(folder, 'club.ics');
  writeFileSync(
    file,
    [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//test//EN',
      'X-WR-CALNAME:Club',
      'X-WR-TIMEZONE:Europe/Berlin',
      'BEGIN:VEVENT',
      'UID:1@test',
      'DTSTAMP:20260101T000000Z',
      'DTSTART;TZID=Europe/Berlin:20260305T190000',
      'DTEND;TZID=Europe/Berlin:20260305T210000',
      'RRULE:FREQ=WEEKLY;COUNT=6',
      'EXDATE;TZID=Europe/Berlin:20260312T190000',
      'SUMMARY:Evening',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  );
  const first = await start({ googleIcs: [file] });
  expect(first.notes.join()).toContain('1 events loaded as calendar "Club"');
  const [mailbox] = first.dev.connection.accounts;
  const account = await first.api.expect('POST', '/v1/endUserAccounts', mailbox, 201);
  const calendars = await listAll(first.api, `/v1/calendars/${account.id}`, {});
  const club = calendars.items.filter(({ name }) => name === 'Club');
  expect(club).toHaveLength(1);
  const window = {
    expandRecurrences: 'true',
    orderBy: 'startDateTime',
    startDateTime: '2026-03-01T00:00:00Z',
    endDateTime: '2026-05-01T00:00:00Z',
  };
  const { items } = await listAll(first.api, `/v1/events/${account.id}/${encoded(club[0]?.id)}`, window);
  expect(items.map(({ start }) => (start as { dateTime: string }).dateTime)).toEqual([
    '2026-03-05T19:00:00+01:00',
    '2026-03-19T19:00:00+01:00',
    '2026-03-26T19:00:00+01:00',
    '2026-04-02T19:00:00+02:00',
    '2026-04-09T19:00:00+02:00',
  ]);
  await stop(first.dev);

  const second = await start({ googleIcs: [file] });
  expect(second.notes.join()).toContain('loaded by an earlier start');
  const again = await listAll(second.api, `/v1/calendars/${account.id}`, {});
  expect(again.items.filter(({ name }) => name === 'Club')).toHaveLength(1);
});

it('keeps nothing when the database is in memory', async () => {
  const { dev } = await start({ database: ':memory:' });
  const key = dev.connection.apiKey;
  await stop(dev);
  const again = await start({ database: ':memory:' });
  expect(again.dev.connection.apiKey).not.toBe(key);
});

it('tells a person what to do next, with commands that name this server', async () => {
  const { dev } = await start({ database: ':memory:' });
  const printed = greeting(dev);
  expect(printed.match(/^ {3}curl /gm)).toHaveLength(5);
  for (const value of [
    dev.connection.baseUrl,
    dev.connection.apiKey,
    dev.connection.adminToken,
    dev.connection.applicationId,
    dev.connection.sandboxUrl,
  ]) {
    expect(printed).toContain(value);
  }
  for (const mailbox of dev.connection.accounts) {
    expect(printed).toContain(mailbox.email);
    expect(printed).toContain('refreshToken' in mailbox ? mailbox.refreshToken : mailbox.credentials.password);
  }
});

it('has an administration, whose token outlives restarts', async () => {
  const first = await start();
  const asked = async (dev: Dev, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return await fetch(`${dev.connection.baseUrl}/admin/v1/auditLog?limit=10`, { headers });
  };
  const { adminToken, apiKey } = first.dev.connection;
  const log = (await (await asked(first.dev, adminToken)).json()) as { readonly data: readonly unknown[] };
  expect(log.data.length).toBeGreaterThan(0);
  expect((await asked(first.dev, apiKey)).status).toBe(401);
  await stop(first.dev);
  const second = await start();
  expect(second.dev.connection.adminToken).toBe(adminToken);
  expect((await asked(second.dev, adminToken)).status).toBe(200);
});

it('shows its measurements to this machine', async () => {
  const { dev } = await start({ database: ':memory:' });
  expect(await (await fetch(`${dev.siteUrl}/metrics`)).text()).toContain('kalends_due_collections');
  const forwarded = await fetch(`${dev.siteUrl}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  expect(forwarded.status).toBe(403);
});

it('answers loopback names alone, so that no page in a browser reaches it under a name of its own', async () => {
  const { dev } = await start({ database: ':memory:' });
  const { port } = new URL(dev.siteUrl);
  const connection = await openConnection(dev.siteUrl);
  const statusOf = async (path: string, host: string) => {
    connection.write(rawRequest('GET', path, { host }));
    const { status, text: body } = await connection.answer();
    return [status, body.includes(dev.connection.apiKey)];
  };
  for (const name of ['evil.example', 'localhost.evil.example', 'evil.example@localhost', '127.0.0.1.evil.example']) {
    for (const path of ['/docs/start.js', '/healthz', '/metrics', '/api/v1/openapi.json', '/dashboard', '/mcp']) {
      const [status, tellsKey] = await statusOf(path, `${name}:${port}`);
      expect([403, 400], `${path} at ${name}`).toContain(status);
      expect(tellsKey).toBe(false);
    }
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`, 'localhost:8080']) {
    expect(await statusOf('/docs/start.js', host), host).toEqual([200, true]);
  }
  connection.socket.destroy();
});

it('refuses a second server in the same folder, and gives the folder back', async () => {
  const first = await start();
  await expect(start()).rejects.toThrow('another server');
  await stop(first.dev);
  await start();
});

it('runs in memory beside other servers of the folder, and the one that started last is the one that the tour finds', async () => {
  const kept = await start();
  const [first, second] = [await start({ database: ':memory:' }), await start({ database: ':memory:' })];
  expect(existsSync(join(folder, 'dev.lock'))).toBe(true);
  expect((await fetch(`${first.dev.siteUrl}/healthz`)).status).toBe(200);
  const running = () => JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8'));
  expect(running()).toEqual(second.dev.connection);
  await stop(first.dev);
  expect(running()).toEqual(second.dev.connection);
  await stop(second.dev);
  expect(existsSync(join(folder, 'running.json'))).toBe(false);
  await stop(kept.dev);
  expect(existsSync(join(folder, 'dev.lock'))).toBe(false);
});

it.each([
  ['a missing calendar', { googleIcs: ['missing.ics'] }, /cannot read missing\.ics/],
  ['a database that cannot be', { database: '/nonexistent/kalends.db' }, /cannot open the database \/nonexistent/],
])('stops what it had started when there is %s', async (_title, options, message) => {
  await expect(start(options)).rejects.toThrow(message);
  const { dev } = await start({ database: ':memory:' });
  expect(dev.connection.accounts).toHaveLength(3);
});

it('names the file that is no calendar', async () => {
  const file = join(folder, 'junk.ics');
  writeFileSync(file, 'hello');
  await expect(start({ googleIcs: [file] })).rejects.toThrow(`${file}: `);
});

it('prints a living refresh token or app password again after the account was deleted', {
  timeout: 60_000,
}, async () => {
  const first = await start();
  for (const mailbox of first.dev.connection.accounts) {
    const account = await first.api.expect('POST', '/v1/endUserAccounts', mailbox, 201);
    await first.api.expect('DELETE', `/v1/endUserAccounts/${account.id}`, undefined, 200);
  }
  await stop(first.dev);
  const second = await start();
  for (const mailbox of second.dev.connection.accounts) {
    await second.api.expect('POST', '/v1/endUserAccounts', mailbox, 201);
  }
});

it('prints the same app password after a restart, on any port', { timeout: 60_000 }, async () => {
  const first = await start();
  const [before] = first.dev.connection.accounts.filter((mailbox) => 'credentials' in mailbox);
  await stop(first.dev);
  const [after] = (await start()).dev.connection.accounts.filter((mailbox) => 'credentials' in mailbox);
  expect(before?.credentials.password).toMatch(/^\w{4}(-\w{4}){3}$/);
  expect(after?.credentials.password).toBe(before?.credentials.password);
});

it("connects a CalDAV server of the user's own, and tells neither greeting nor folder its password", async () => {
  const other = createSandbox({});
  other.caldav.addMailbox({ email: 'mary@caldav.example', name: 'Mary', timeZone: 'Europe/Rome' });
  const password = other.caldav.addAppPassword({ email: 'mary@caldav.example' });
  const { url } = await other.listen({ port: 0, hostname: '127.0.0.1' });
  try {
    const signIn = { serverUrl: `${url}/caldav/`, username: 'mary@caldav.example', password };
    await expect(start({ calDav: { ...signIn, password: 'wrong' } })).rejects.toThrow(`--caldav ${url}/caldav/: `);
    const { dev, api } = await start({ calDav: signIn });
    const { ownServer } = dev.connection;
    const account = await api.expect('GET', `/v1/endUserAccounts/${ownServer?.id}`);
    expect(account).toMatchObject({ providerType: 'CALDAV', email: 'mary@caldav.example', status: 'ACTIVE' });
    expect((await listAll(api, `/v1/calendars/${ownServer?.id}`, {})).items).toHaveLength(1);
    expect(greeting(dev)).toContain(`${ownServer?.id}, at ${url}/caldav/`);
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect([greeting(dev), ...kept].filter((text) => text.includes(password))).toEqual([]);
  } finally {
    await other.close();
  }
});

it.each([
  [['--caldav', 'http://127.0.0.1:5232/'], '--caldav needs --user NAME'],
  [['--user', 'alice'], '--user needs --caldav URL'],
  [['--caldav', 'dav.example.com', '--user', 'alice'], '--caldav must be a URL such as https://'],
])('refuses %j', async (args, message) => {
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  await expect(devCommand.run(args, io)).rejects.toThrow(message);
});

it('says so when no server runs in the folder', async () => {
  await expect(tour()).rejects.toThrow('no server runs in this folder');
});
