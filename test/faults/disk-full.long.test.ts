import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sqlite } from '@kalends/sqlite';
import { systemClock } from 'kalends/runtime';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { body, eventsPath, query } from '../interface/steps.ts';
import { createWorld, type Json } from '../interface/world.ts';
import { openReceiver } from '../webhooks/receiver.ts';

const HOUR_MS = 3_600_000;
const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** A database file in which an account was mirrored an hour ago. */
async function mirroredLongAgo() {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'kalends.db');
  const clock = { ...systemClock, now: () => systemClock.now() - HOUR_MS };
  const world = await createWorld({ storage: sqlite({ path, clock }), clock });
  const account = await world.connect('google');
  const start = { dateTime: '2026-03-02T09:00:00Z' };
  const created = body(await world.call('POST', eventsPath(account), { body: { title: 'Held', start } }), 201);
  body(await world.call('GET', eventsPath(account)));
  await world.close();
  return { path, account, eventId: created.id as string, apiKey: world.apiKey };
}

/** The standalone server in a process of its own. */
async function startServer(path: string, apiKey: string) {
  const flags = ['--conditions=kalends-source', '--import', pathOf('../webhooks/processes/typescript-hook.js')];
  const server = pathOf('../../adapters/server/test/processes/run-server.ts');
  const child = spawn(process.execPath, [...flags, server], {
    env: {
      ...process.env,
      KALENDS_DATABASE_URL: `sqlite:${path}`,
      KALENDS_SECRET: Buffer.alloc(32, 7).toString('base64'),
      KALENDS_HOST: '127.0.0.1',
      KALENDS_PORT: '0',
      KALENDS_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  const lines: string[] = [];
  const log = createInterface(child.stderr);
  log.on('line', (line) => lines.push(line));
  while (!lines.some((line) => line.includes('"started"'))) {
    if (child.exitCode !== null) throw new Error(`The server ended:\n${lines.join('\n')}`);
    await Promise.race([once(log, 'line'), once(child, 'close')]);
  }
  const { port } = JSON.parse(lines.find((line) => line.includes('"started"')) ?? '{}');
  const root = `http://127.0.0.1:${port}`;
  const call = async (method: string, url: string, sent?: unknown) => {
    const response = await fetch(`${root}${url}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(sent === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
  };
  return {
    pid: child.pid ?? 0,
    lines,
    call,
    api: (method: string, url: string, sent?: unknown) => call(method, `/api${url}`, sent),
  };
}

/** From here on the process can write `bytes` of a file at most: with 0 each write fails, as on a full disk. */
function limitFiles(pid: number, bytes: '0' | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

it('reads go on while the disk takes no more, writes are 503, and all goes on by itself when it does', {
  timeout: 90_000,
}, async () => {
  const { path, account, eventId, apiKey } = await mirroredLongAgo();
  const receiver = await openReceiver();
  const { pid, call, api, lines } = await startServer(path, apiKey);
  const endpoint = { webhookUrl: receiver.url };
  const reads: readonly (readonly [string, string, unknown?])[] = [
    ['GET', '/v1/endUserAccounts'],
    ['GET', `/v1/endUserAccounts/${account.accountId}`],
    ['GET', `/v1/calendars/${account.accountId}`],
    ['GET', eventsPath(account)],
    ['GET', `${eventsPath(account)}/${encodeURIComponent(eventId)}`],
    [
      'GET',
      `${eventsPath(account)}${query({ startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-03-31T00:00:00Z', expandRecurrences: true })}`,
    ],
    ['GET', `/v1/calendarSubscriptions/${account.accountId}`],
    ['GET', '/v1/webhookEndpoints'],
    [
      'POST',
      `/v1/freeBusy/${account.accountId}`,
      {
        startDateTime: '2026-03-02T00:00:00Z',
        endDateTime: '2026-03-03T00:00:00Z',
        timeZone: 'UTC',
        calendarIds: [account.calendarId],
      },
    ],
  ];
  expect((await call('GET', '/readyz')).status).toBe(200);

  limitFiles(pid, '0');
  // Nothing is written meanwhile: the process finds out by itself, within a second.
  let notReady = await call('GET', '/readyz');
  while (notReady.status === 200) notReady = await call('GET', '/readyz');
  expect(notReady).toMatchObject({
    status: 503,
    body: { reason: expect.stringMatching(/^the database cannot be written \(.+\); is the disk full\?$/) },
  });
  for (const [method, url, sent] of reads) expect([url, (await api(method, url, sent)).status]).toEqual([url, 200]);
  const listed = await api('GET', eventsPath(account));
  expect(listed.body.data.map(({ title }: Json) => title)).toEqual(['Held']);
  for (const [method, url, sent] of [
    ['POST', '/v1/webhookEndpoints', endpoint],
    ['DELETE', `/v1/endUserAccounts/${account.accountId}`, undefined],
  ] as const) {
    const refused = await api(method, url, sent);
    expect(refused).toMatchObject({ status: 503, body: { code: 'InternalError', status: 503 } });
    expect(refused.headers.get('retry-after')).toBe('5');
  }
  expect((await call('GET', '/healthz')).status).toBe(200);
  expect((await call('GET', '/readyz')).status).toBe(503);

  limitFiles(pid, 'unlimited');
  while ((await call('GET', '/readyz')).status !== 200);
  expect(lines.some((line) => line.includes('the database can be written again'))).toBe(true);
  expect((await api('POST', '/v1/webhookEndpoints', endpoint)).status).toBe(201);
  // The loops have lived through it: what is deleted now is told.
  expect((await api('DELETE', `/v1/endUserAccounts/${account.accountId}`)).status).toBe(200);
  await receiver.wait(1);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ eventType: 'enduseraccount.deleted' });
});
