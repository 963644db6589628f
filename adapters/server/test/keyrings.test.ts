import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startVault, type VaultProcess } from '../../vault/test/server/start-vault.ts';
import { runRewrap } from '../src/admin/rewrap-command.ts';
import { createLogger } from '../src/logger.ts';
import { storageOf } from '../src/serve/open-storage.ts';
import { startServer } from '../src/serve/server.ts';
import { standaloneEngine } from '../src/serve/standalone-engine.ts';
import { readSettings } from '../src/settings.ts';
import { withoutSettings } from './commands/without-settings.ts';

const logger = createLogger('silent');

let vault: VaultProcess;
let folder: string;
let tokenFile: string;
beforeAll(async () => {
  vault = await startVault();
  folder = mkdtempSync(join(tmpdir(), 'kalends-keyrings-'));
  tokenFile = join(folder, 'token');
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await vault.close();
  rmSync(folder, { recursive: true, force: true });
});

let databases = 0;
let env: Record<string, string>;
beforeEach(async () => {
  databases += 1;
  writeFileSync(tokenFile, `${await vault.tokenFor('kalends')}\n`);
  env = {
    KALENDS_DATABASE_URL: `sqlite:${join(folder, `${databases}.db`)}`,
    KALENDS_SECRET: Buffer.alloc(32, 5).toString('base64'),
    KALENDS_HOST: '127.0.0.1',
    KALENDS_PORT: '0',
    KALENDS_LAME_DUCK_MS: '0',
  };
});

const ofVault = () => ({ KALENDS_VAULT_KEY: 'kalends', VAULT_ADDR: vault.address, VAULT_TOKEN_FILE: tokenFile });

async function withEngine<Result>(
  more: Readonly<Record<string, string>>,
  work: (engine: ReturnType<typeof standaloneEngine>) => Promise<Result>,
): Promise<Result> {
  const { settings } = readSettings([], { ...env, ...more });
  const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
  await engine.start({ background: false });
  try {
    return await work(engine);
  } finally {
    await engine.stop();
  }
}

/** Stores an application with an OAuth client, sealed under the keyring of the settings. */
const prepare = (more: Readonly<Record<string, string>>) =>
  withEngine(more, async (engine) => {
    const { id } = await engine.applications.create({ name: 'Shop' });
    await engine.oauthClients.set(id, 'PROVIDER_A', { clientId: 'client', clientSecret: 'hush' });
    return id;
  });

async function rewrap(more: Readonly<Record<string, string>>) {
  let said = '';
  const io = { stdin: process.stdin, stdout: { write: (text: string) => (said += text) }, stderr: process.stderr };
  withoutSettings();
  for (const [name, value] of Object.entries({ ...env, ...more })) vi.stubEnv(name, value);
  const code = await runRewrap([], io as never);
  return { code, said };
}

it.each<[string, Readonly<Record<string, string>>, string]>([
  ['no key', { KALENDS_KEYRING: 'vault' }, 'KALENDS_KEYRING=vault needs KALENDS_VAULT_KEY'],
  ['no address', { KALENDS_VAULT_KEY: 'k', VAULT_TOKEN: 't' }, 'KALENDS_VAULT_KEY needs VAULT_ADDR'],
  ['no token', { KALENDS_VAULT_KEY: 'k', VAULT_ADDR: 'http://v' }, 'KALENDS_VAULT_KEY needs VAULT_TOKEN or'],
  ['a wrong address', { KALENDS_VAULT_KEY: 'k', VAULT_ADDR: 'v', VAULT_TOKEN: 't' }, 'VAULT_ADDR must be an absolute'],
  [
    'a wrong mount',
    { KALENDS_VAULT_KEY: 'k', VAULT_ADDR: 'http://v', VAULT_TOKEN: 't', KALENDS_VAULT_MOUNT: '/' },
    'KALENDS_VAULT_MOUNT must be a path',
  ],
])('refuses settings of Vault with %s', async (_name, more, message) => {
  await expect(prepare(more)).rejects.toThrow(message);
});

it('moves to Vault and back by its settings, with kalends rewrap', async () => {
  await prepare({});
  const toVault = { ...ofVault(), KALENDS_KEYRING: 'vault' };
  // Before the move every process learns to unwrap by Vault.
  expect(await withEngine(ofVault(), (engine) => engine.dataKeys.checkKeyrings())).toEqual([
    { id: expect.stringMatching(/^local:/), isCurrent: true, problem: null },
    { id: 'vault:transit/kalends', isCurrent: false, problem: null },
  ]);
  expect((await rewrap(toVault)).said).toContain(
    'rewrapped            1\nup to date           0\ncannot be opened     0\n',
  );
  expect((await rewrap(toVault)).said).toContain('rewrapped            0\nup to date           1\n');
  // Without Vault, nothing opens.
  expect((await rewrap({})).said).toContain('KALENDS_VAULT_KEY');
  await vault.operate('POST', 'transit/keys/kalends/rotate');
  expect((await rewrap(toVault)).said).toContain('rewrapped            1\n');
  expect((await rewrap(ofVault())).said).toContain('rewrapped            1\n');
  expect(await rewrap({})).toMatchObject({ code: 0, said: expect.stringContaining('up to date           1\n') });
  const { data } = await withEngine({}, (engine) => engine.audit.list({ action: 'secrets.rewrapped' }));
  expect(data.map(({ actor, target }) => [actor.type, target])).toEqual([
    ['command', expect.stringMatching(/^local:/)],
    ['command', 'vault:transit/kalends'],
    ['command', 'vault:transit/kalends'],
  ]);
});

it('kalends rewrap says what to do while Vault is sealed', async () => {
  await prepare({});
  await vault.seal();
  try {
    await expect(rewrap({ ...ofVault(), KALENDS_KEYRING: 'vault' })).rejects.toThrow(
      /^the keyring is unavailable: Vault at .* is sealed: unseal it with: vault operator unseal\.$/,
    );
  } finally {
    await vault.unseal();
  }
  expect((await rewrap({ ...ofVault(), KALENDS_KEYRING: 'vault' })).code).toBe(0);
});

it('reads the token file for each request, as an agent renews it', async () => {
  const old = await vault.tokenFor('kalends');
  writeFileSync(tokenFile, old);
  const states = await withEngine({ ...ofVault(), KALENDS_KEYRING: 'vault' }, async (engine) => {
    const read = async () => (await engine.dataKeys.checkKeyrings())[0]?.problem;
    const before = await read();
    await vault.operate('POST', 'auth/token/revoke', { token: old });
    const between = await read();
    writeFileSync(tokenFile, await vault.tokenFor('kalends'));
    return [before, between, await read()];
  });
  expect(states).toEqual([null, expect.stringContaining('Vault refuses the token'), null]);
});

it('accepts two tokens while one takes the place of the other, for the administration and the metrics', async () => {
  const [first, second] = ['first-0123456789abcdef', 'second-0123456789abcdef'];
  const statuses = async (tokens: string) => {
    const more = { KALENDS_ADMIN_TOKEN: tokens, KALENDS_METRICS_TOKEN: tokens.replaceAll('-', '_') };
    const server = await startServer('serve', readSettings([], { ...env, ...more }).settings, logger);
    const status = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })).status;
    };
    try {
      return [
        await status('/api/admin/v1/applications', first),
        await status('/api/admin/v1/applications', second),
        await status('/metrics', first.replaceAll('-', '_')),
        await status('/metrics', second.replaceAll('-', '_')),
        await status('/api/admin/v1/applications', `${first},${second}`),
        await status('/metrics', first),
      ];
    } finally {
      await server.stop();
    }
  };
  expect(await statuses(first)).toEqual([200, 401, 200, 401, 401, 401]);
  expect(await statuses(`${first}, ${second}`)).toEqual([200, 200, 200, 200, 401, 401]);
  expect(await statuses(second)).toEqual([401, 200, 401, 200, 401, 401]);
});

it('refuses three tokens, an empty list, and one token for both purposes', async () => {
  const token = 'first-0123456789abcdef';
  const read = (more: Readonly<Record<string, string>>) => () => readSettings([], { ...env, ...more });
  expect(read({ KALENDS_ADMIN_TOKEN: `${token},${token}2,${token}3` })).toThrow('must be one token, or two');
  expect(read({ KALENDS_ADMIN_TOKEN: ',' })).toThrow('KALENDS_ADMIN_TOKEN must not be empty');
  expect(read({ KALENDS_METRICS_TOKEN: `${token},short` })).toThrow('KALENDS_METRICS_TOKEN must have at least 16');
  const same = readSettings([], { ...env, KALENDS_ADMIN_TOKEN: `${token}2,${token}`, KALENDS_METRICS_TOKEN: token });
  await expect(startServer('serve', same.settings, logger)).rejects.toThrow('must differ');
});
