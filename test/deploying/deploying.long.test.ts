import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { codeBlocksBelow } from '../docs/code-blocks.ts';
import { startProcess } from '../processes/background-process.ts';
import { freePort } from '../processes/free-port.ts';
import { runShell } from '../processes/run-shell.ts';
import { newDatabase, unmigratedDatabase } from '../storages/new-database.ts';
import { type PlayedImage, playImage } from './played-image.ts';
import { failuresUntilRefused, proxyAt, statusAt, statusesDuring } from './reverse-proxies.ts';
import { readUnit } from './systemd-unit.ts';

const FILES = fileURLToPath(new URL('../../docs/deploying/', import.meta.url));
const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
const unitText = readFileSync(`${FILES}kalends@.service`, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'kalends-deploying-'));
let image: PlayedImage;

beforeAll(async () => {
  image = await playImage(`${FILES}Dockerfile`, folder);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the compose file: secrets by the documented commands, migration, health and end', {
  timeout: 120_000,
}, async () => {
  const place = join(folder, 'compose');
  mkdirSync(place);
  await runShell(codeBlocksBelow(page, '## Compose')[0]?.text ?? '', place);
  const secrets = join(place, 'docs/deploying/secrets');
  const password = readFileSync(join(secrets, 'postgres_password'), 'utf8').trim();
  expect(readFileSync(join(secrets, 'database_url'), 'utf8')).toBe(`postgres://kalends:${password}@postgres/kalends\n`);
  // The database of the test stands for the service postgres.
  writeFileSync(join(secrets, 'database_url'), await newDatabase('postgres'));

  const { services } = parse(readFileSync(`${FILES}compose.yaml`, 'utf8'));
  const port = String(await freePort());
  const environmentOf = (service: { readonly environment: Readonly<Record<string, string>> }) => ({
    ...image.environment,
    ...Object.fromEntries(
      Object.entries(service.environment).map(([name, value]) => [name, value.replace('/run/secrets', secrets)]),
    ),
    KALENDS_PORT: port,
  });
  const [program = '', ...first] = image.entrypoint;
  const migration = startProcess(program, [...first, ...services.migrate.command], {
    folder: image.folder,
    environment: environmentOf(services.migrate),
  });
  expect(await migration.end, migration.output()).toBe(0);

  const server = startProcess(program, [...first, ...image.command], {
    folder: image.folder,
    environment: environmentOf(services.kalends),
  });
  await server.printed(/"started"/);
  const [node = '', ...check] = image.healthcheck;
  const health = startProcess(node, check, { folder: image.folder, environment: { KALENDS_PORT: port } });
  expect(await health.end, health.output()).toBe(0);
  expect(await statusAt(`http://127.0.0.1:${port}/readyz`)).toBe(200);
  expect(await statusAt(`http://127.0.0.1:${port}/dashboard`)).toBe(200);
  // A scraper comes from Docker's gateway, not from this machine.
  const token = readFileSync(join(secrets, 'metrics_token'), 'utf8').trim();
  const headers = { 'x-forwarded-for': '172.18.0.1', authorization: `Bearer ${token}` };
  expect(await statusAt(`http://127.0.0.1:${port}/metrics`, { headers })).toBe(200);
  const begin = performance.now();
  expect(await server.stop(), server.output()).toBe(0);
  expect(performance.now() - begin).toBeLessThan(1000 * Number.parseInt(services.kalends.stop_grace_period, 10));
});

it('the systemd unit is valid, and confined', async () => {
  const copy = join(folder, 'kalends@.service');
  writeFileSync(copy, unitText.replaceAll(/^(ExecStart\w*)=\S+/gm, '$1=/bin/true'));
  // Unknown settings are warnings only.
  expect(await runShell(`systemd-analyze verify '${copy}' 2>&1`, folder)).toBe('');
  await runShell(`systemd-analyze security --offline=true --threshold=20 '${copy}'`, folder);
});

it.each(['nginx', 'caddy'] as const)('%s in front of two processes of the unit', { timeout: 180_000 }, async (name) => {
  const database = await unmigratedDatabase('postgres');
  const credentials = mkdtempSync(join(folder, 'credentials-'));
  writeFileSync(join(credentials, 'database-url'), database);
  writeFileSync(join(credentials, 'secret'), Buffer.alloc(32, 9).toString('base64'));
  for (const token of ['admin-token', 'metrics-token'])
    writeFileSync(join(credentials, token), `the-${token}-of-operators`);
  const ports = [await freePort(), await freePort()] as const;
  const start = async (port: number) => {
    const unit = readUnit(unitText, {
      '%i': String(port),
      '%d': credentials,
      '/usr/bin/node': process.execPath,
      '/opt/kalends': image.folder,
    });
    const environment = Object.fromEntries(
      (unit.get('Environment') ?? []).flatMap((line) => line.split(' ').map((pair) => pair.split('=', 2))),
    );
    const [program = '', ...args] = unit.get('ExecStart')?.[0]?.split(' ') ?? [];
    const started = startProcess(program, args, { folder, environment });
    await runShell(unit.get('ExecStartPost')?.[0] ?? 'false', folder);
    return started;
  };
  const first = await start(ports[0]);
  const second = await start(ports[1]);

  const proxy = await proxyAt(name, FILES, mkdtempSync(join(folder, 'proxy-')), ports);
  expect(await statusAt(`${proxy.url}/api/v1/openapi.json`)).toBe(200);
  expect(await statusAt(`${proxy.url}/docs/`)).toBe(200);
  expect(await statusAt(`${proxy.url}/api/v1/endUserAccounts`)).toBe(401);
  const hiddenPaths = [
    ...['/api/admin/v1/applications', '/metrics', '/healthz', '/readyz', '/'],
    // Paths that a proxy and the process behind it could read differently.
    ...[
      '/api/admin//../v1/applications',
      '/dashboard//../api/v1/endUserAccounts',
      '/api/admin//%2e%2E/v1/applications',
    ],
    ...['/api/v1/..%2Fx', '/api/%61dmin/v1/applications', '/api/admin/v1/..%2f../../v1/x'],
  ];
  for (const hidden of hiddenPaths) {
    expect(await statusAt(`${proxy.url}${hidden}`), hidden).toBe(404);
  }
  // Failures count for the client's address: a forged header does not spread them, and another client is not refused.
  expect(await failuresUntilRefused(proxy.url, '127.0.0.2')).toBeLessThan(400);
  expect(await statusAt(`${proxy.url}/api/v1/endUserAccounts`, { localAddress: '127.0.0.3' })).toBe(401);

  // A process is replaced under requests.
  expect(
    await statusesDuring(proxy.url, async () => {
      expect(await first.stop(), first.output()).toBe(0);
      await start(ports[0]);
    }),
  ).toEqual([200]);
  // A later version migrates under requests: the older processes answer until they end, seconds after the proxy's next health checks.
  expect(
    await statusesDuring(proxy.url, async () => {
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      await client.query(`insert into kalends_migration (name) values ('9999-later');
        update kalends_fact set value = '9999a' where name = 'zone-data'`);
      await client.end();
      expect(await second.stop(), second.output()).toBe(0);
    }),
  ).toEqual([200]);
});
