import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COUNTERS, HISTOGRAMS } from 'kalends/ports';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../src/logger.ts';
import { STORAGE_GAUGES } from '../src/serve/metrics.ts';
import { storageOf } from '../src/serve/open-storage.ts';
import { standaloneEngine } from '../src/serve/standalone-engine.ts';
import { readSettings, requireSecret, SETTING_NAMES } from '../src/settings.ts';

const DATABASE = { KALENDS_DATABASE_URL: 'sqlite:./kalends.db' };

it('takes flags before variables, and has defaults for what may be left out', () => {
  const env = {
    ...DATABASE,
    KALENDS_PORT: '5000',
    KALENDS_LOG_LEVEL: 'debug',
    KALENDS_ALLOWED_NETWORKS: '10.0.0.0/8, ::1/128',
  };
  const { settings } = readSettings(['--port', '6000'], env);
  expect(settings).toMatchObject({
    databaseUrl: 'sqlite:./kalends.db',
    port: 6000,
    logLevel: 'debug',
    allowedNetworks: ['10.0.0.0/8', '::1/128'],
    apiPath: '/api',
    googleName: 'PROVIDER_A',
    microsoftName: 'PROVIDER_B',
    caldavName: 'CALDAV',
    icloudName: 'ICLOUD',
    icsName: 'ICS',
    rateLimit: 300,
    sharedRateLimit: false,
  });
});

it('tells everything that is wrong at once, by the name it was given under', () => {
  const env = {
    KALENDS_PUBLIC_URL: 'calendar.example.com',
    KALENDS_RATE_LIMIT: 'fast',
    KALENDS_METRICS_TOKEN: 'short',
    KALENDS_ADMIN_TOKEN: 'short too',
  };
  expect(() => readSettings(['--port', '70000'], env)).toThrow(
    [
      'the configuration is incomplete or invalid:',
      '  KALENDS_DATABASE_URL is required; or give --database',
      '  KALENDS_PUBLIC_URL must be the absolute URL of the interface, such as https://calendar.example.com/api',
      '  --port must be at most 65535',
      '  KALENDS_METRICS_TOKEN must have at least 16 characters',
      '  KALENDS_ADMIN_TOKEN must have at least 16 characters, must be printable ASCII without spaces',
      '  KALENDS_RATE_LIMIT must be a whole number',
    ].join('\n'),
  );
});

it.each(['mysql://localhost/x', 'sqlite:', 'kalends.db', 'postgres://'])('refuses the database %s', (url) => {
  expect(() => readSettings(['--database', url], {})).toThrow('--database must be sqlite:PATH, postgres://');
});

it('reads a secret from the file that a variable names, and takes no secret from the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-settings-'));
  try {
    const file = join(folder, 'secret');
    writeFileSync(file, 'from a file\n');
    const { settings } = readSettings([], { ...DATABASE, KALENDS_SECRET: '', KALENDS_SECRET_FILE: file });
    expect(requireSecret(settings)).toBe('from a file');
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(() => readSettings([], { ...DATABASE, KALENDS_SECRET_FILE: '/nowhere/secret' })).toThrow(
    'KALENDS_SECRET_FILE',
  );
  expect(() => requireSecret(readSettings([], DATABASE).settings)).toThrow('openssl rand');
  expect(() => readSettings(['--secret', 'x'], DATABASE)).toThrow("Unknown option '--secret'");
});

it('refuses a variable beside its file, names both, and takes an empty one of them for unset', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'previous');
  writeFileSync(file, 'first,second\n');
  const previousOf = (env: Readonly<Record<string, string>>) =>
    readSettings([], { ...DATABASE, ...env }).settings.previousSecrets;
  expect(() => previousOf({ KALENDS_PREVIOUS_SECRETS: 'third', KALENDS_PREVIOUS_SECRETS_FILE: file })).toThrow(
    'KALENDS_PREVIOUS_SECRETS and KALENDS_PREVIOUS_SECRETS_FILE are both set: unset one of them',
  );
  expect(previousOf({ KALENDS_PREVIOUS_SECRETS: '', KALENDS_PREVIOUS_SECRETS_FILE: file })).toEqual([
    'first',
    'second',
  ]);
  expect(previousOf({ KALENDS_PREVIOUS_SECRETS: 'third', KALENDS_PREVIOUS_SECRETS_FILE: '' })).toEqual(['third']);
  expect(previousOf({ KALENDS_PREVIOUS_SECRETS: '', KALENDS_PREVIOUS_SECRETS_FILE: '' })).toEqual([]);
});

it('takes a flag whatever the variable and its file are, and both of the token of Vault, which have an order', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'value');
  writeFileSync(file, 'sqlite:./file.db\n');
  const { databaseUrl } = readSettings(['--database', 'sqlite:./flag.db'], {
    ...DATABASE,
    KALENDS_DATABASE_URL_FILE: file,
  }).settings;
  expect(databaseUrl).toBe('sqlite:./flag.db');
  const { settings } = readSettings([], { ...DATABASE, VAULT_TOKEN: 'token', VAULT_TOKEN_FILE: file });
  expect(settings).toMatchObject({ vaultToken: 'token', vaultTokenFile: file });
});

it.each([
  ['KALENDS_SECRET', 'short', 'KALENDS_SECRET must have at least 32 bytes, has 3 (it is read as base64'],
  ['KALENDS_PREVIOUS_SECRETS', 'short', 'KALENDS_PREVIOUS_SECRETS, entry 1, must have at least 32 bytes, has 3'],
  ['KALENDS_ALLOWED_NETWORKS', '10.0.0.0/8,10.0.0.0/99', 'KALENDS_ALLOWED_NETWORKS, entry 2, '],
])('names the variable of a value that the engine refuses: %s', async (variable, value, message) => {
  const env = { KALENDS_DATABASE_URL: 'sqlite::memory:', KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64') };
  const { settings } = readSettings([], { ...env, [variable]: value });
  const logger = createLogger('silent');
  expect(() => standaloneEngine(settings, { storage: storageOf(settings, logger), logger })).toThrow(message);
});

it.each([
  'https://calendar.example.com',
  'calendar.example.com:443',
  'calendar.example.com/mcp',
  'a.example,b.example:80',
  'a b.example',
  '*.example.com',
])('refuses %s as the hosts of agents: they would never match', (hosts) => {
  expect(() => readSettings([], { ...DATABASE, KALENDS_MCP_HOSTS: hosts })).toThrow(
    /KALENDS_MCP_HOSTS.* must be host names without scheme, port or path, such as calendar\.example\.com/,
  );
});

it('takes host names and addresses as the hosts of agents', () => {
  const hosts = 'Calendar.example.com, 10.0.0.7,[fd00::1], my_host';
  const { settings } = readSettings([], { ...DATABASE, KALENDS_MCP_HOSTS: hosts });
  expect(settings.mcpHosts).toEqual(['Calendar.example.com', '10.0.0.7', '[fd00::1]', 'my_host']);
});

it.each([
  '/docs',
  '/mcp',
  '/dashboard',
  '/connected',
  '/.well-known',
])('refuses %s as the path of the interface: a page of the server is there', (path) => {
  expect(() => readSettings([], { ...DATABASE, KALENDS_API_PATH: path })).toThrow(/KALENDS_API_PATH.*page/);
  const { settings } = readSettings([], { ...DATABASE, KALENDS_API_PATH: `${path}s` });
  expect(settings.apiPath).toBe(`${path}s`);
});

const text = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');

it('documents every metric with its labels', () => {
  for (const [name, { labels }] of Object.entries({ ...COUNTERS, ...HISTOGRAMS })) {
    expect(text).toContain(`| \`${name}\` | ${labels.join(', ')} |`);
  }
  for (const name of Object.keys(STORAGE_GAUGES)) expect(text).toContain(`\`${name}\``);
});

it('documents every setting', () => {
  for (const { variable, flag } of SETTING_NAMES) {
    const row = text.split('\n').find((line) => line.startsWith(`| \`${variable}\``));
    expect(row, variable).toBeDefined();
    if (flag !== undefined) expect(row, flag).toContain(`\`--${flag}\``);
  }
});
