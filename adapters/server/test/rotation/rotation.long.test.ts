import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type Sandbox } from '@kalends/sandbox';
import type { Engine } from 'kalends';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDatabase, STORAGES, type StorageName } from '../../../../test/storages/new-database.ts';
import { startVault, type VaultProcess } from '../../../vault/test/server/start-vault.ts';
import { createLogger } from '../../src/logger.ts';
import { storageOf } from '../../src/serve/open-storage.ts';
import { standaloneEngine } from '../../src/serve/standalone-engine.ts';
import { readSettings } from '../../src/settings.ts';
import { type ClientSide, type Load, type LoadedAccount, openVerifier, startLoad } from './load.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** Rounds of the load with old and new processes or secrets side by side. */
const ROUNDS = 5;
const ACCOUNTS = 6;
const CLIENT = { clientId: 'client', clientSecret: 'first-secret', redirectUris: [] };
const [SECRET, NEXT_SECRET] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];

interface World {
  readonly client: ClientSide;
  readonly load: Load;
  readonly vault: VaultProcess;
  readonly sandbox: Sandbox;
  readonly tokenFile: string;
  readonly applicationId: string;
  readonly webhookEndpointId: string;
  /** Replaces the process by one with other settings; both serve for a while. */
  roll(settings: Readonly<Record<string, string>>): Promise<void>;
  /** Runs a step of administration with the present settings. */
  administer<Result>(step: (engine: Engine) => Promise<Result>): Promise<Result>;
}

/** The steps of docs/operating.md, in its order: each case leaves the service as the next one needs it. */
const CASES: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
  [
    'KALENDS_SECRET',
    async ({ roll, administer, load }) => {
      await roll({ KALENDS_PREVIOUS_SECRETS: NEXT_SECRET });
      await roll({ KALENDS_SECRET: NEXT_SECRET, KALENDS_PREVIOUS_SECRETS: SECRET });
      expect(await administer(({ dataKeys }) => dataKeys.rewrap())).toMatchObject({ unopened: 0 });
      await load.more(ROUNDS);
      await roll({ KALENDS_PREVIOUS_SECRETS: '' });
    },
  ],
  [
    'from the local keyring to Vault',
    async ({ roll, administer, vault, tokenFile }) => {
      await roll({ KALENDS_VAULT_KEY: 'kalends', VAULT_ADDR: vault.address, VAULT_TOKEN_FILE: tokenFile });
      await roll({ KALENDS_KEYRING: 'vault' });
      expect(await administer(({ dataKeys }) => dataKeys.rewrap())).toMatchObject({ unopened: 0 });
    },
  ],
  [
    'a new version of the transit key',
    async ({ administer, vault, load }) => {
      await vault.operate('POST', 'transit/keys/kalends/rotate');
      await load.more(ROUNDS);
      const report = await administer(({ dataKeys }) => dataKeys.rewrap());
      expect(report).toMatchObject({ unopened: 0 });
      expect(report.rewrapped).toBeGreaterThan(0);
      await load.more(ROUNDS);
      await vault.operate('POST', 'transit/keys/kalends/config', { min_decryption_version: 2 });
    },
  ],
  [
    'the token of Vault',
    async ({ vault, tokenFile, load }) => {
      await writeFile(tokenFile, await vault.tokenFor('kalends'));
      await load.more(ROUNDS);
      // The first token of the test.
      await vault.operate('POST', 'auth/token/revoke', { token: firstTokens.get(vault) });
    },
  ],
  [
    'from Vault to the local keyring',
    async ({ roll, administer }) => {
      await roll({ KALENDS_KEYRING: 'local' });
      expect(await administer(({ dataKeys }) => dataKeys.rewrap())).toMatchObject({ unopened: 0 });
      await roll({ KALENDS_VAULT_KEY: '', VAULT_ADDR: '', VAULT_TOKEN_FILE: '' });
    },
  ],
  [
    'an API key',
    async ({ administer, applicationId, client, load }) => {
      const { key } = await administer(({ apiKeys }) => apiKeys.create(applicationId, { name: 'B', expiresAt: null }));
      client.apiKey = key;
      await load.more(ROUNDS);
      const [former] = (await administer(({ apiKeys }) => apiKeys.list(applicationId))).data;
      await administer(({ apiKeys }) => apiKeys.revoke(applicationId, former?.id ?? ''));
    },
  ],
  [
    'a webhook secret',
    async ({ administer, applicationId, webhookEndpointId, client, load }) => {
      const rotate = ({ webhookEndpoints }: Engine) =>
        webhookEndpoints.rotateSecret({ applicationId }, webhookEndpointId);
      const { endpointSecret } = await administer(rotate);
      await load.more(ROUNDS);
      client.endpointSecret = endpointSecret;
    },
  ],
  [
    'an OAuth client secret',
    async ({ administer, applicationId, sandbox, load }) => {
      const next = { ...CLIENT, clientSecret: 'next-secret' };
      sandbox.google.addClient({ ...next, secondSecret: CLIENT.clientSecret });
      await administer(({ oauthClients }) =>
        oauthClients.set(applicationId, 'PROVIDER_A', { clientId: next.clientId, clientSecret: next.clientSecret }),
      );
      await load.more(ROUNDS);
      sandbox.google.addClient(next);
    },
  ],
  [
    'the tokens of administration and metrics',
    async ({ roll, client, load }) => {
      const [adminToken, metricsToken] = ['next-admin-token-01', 'next-metrics-token-01'];
      await roll({
        KALENDS_ADMIN_TOKEN: `${client.adminToken},${adminToken}`,
        KALENDS_METRICS_TOKEN: `${client.metricsToken},${metricsToken}`,
      });
      Object.assign(client, { adminToken, metricsToken });
      await load.more(ROUNDS);
      await roll({ KALENDS_ADMIN_TOKEN: adminToken, KALENDS_METRICS_TOKEN: metricsToken });
    },
  ],
];

const firstTokens = new WeakMap<VaultProcess, string>();

async function openWorld(storage: StorageName): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-rotation-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const vault = await startVault();
  onTestFinished(() => vault.close());
  const tokenFile = join(folder, 'token');
  firstTokens.set(vault, await vault.tokenFor('kalends'));
  await writeFile(tokenFile, firstTokens.get(vault) ?? '');
  const sandbox = createSandbox({ seed: 5 });
  const { url: sandboxUrl } = await sandbox.listen();
  onTestFinished(() => sandbox.close());
  sandbox.google.addClient(CLIENT);

  const database = await newDatabase(storage);
  const client = {
    apiKey: '',
    adminToken: 'first-admin-token-1',
    metricsToken: 'first-metrics-token-1',
    endpointSecret: '',
  };
  let env: Record<string, string> = {
    KALENDS_DATABASE_URL: storage === 'sqlite' ? `sqlite:${database}` : database,
    KALENDS_SECRET: SECRET,
    KALENDS_HOST: '127.0.0.1',
    KALENDS_PORT: '0',
    KALENDS_LAME_DUCK_MS: '0',
    KALENDS_RATE_LIMIT: '0',
    KALENDS_ALLOWED_NETWORKS: '127.0.0.0/8',
    KALENDS_PROVIDERS_URL: sandboxUrl,
    KALENDS_ADMIN_TOKEN: client.adminToken,
    KALENDS_METRICS_TOKEN: client.metricsToken,
    KALENDS_LOG_LEVEL: 'info',
  };
  const administer: World['administer'] = async (step) => {
    const { settings } = readSettings([], env);
    const logger = createLogger('silent');
    const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
    await engine.start({ background: false });
    try {
      return await step(engine);
    } finally {
      await engine.stop();
    }
  };

  const verifier = await openVerifier(client);
  const { applicationId, webhookEndpointId, accounts } = await administer(async (engine) => {
    const { id } = await engine.applications.create({ name: 'Shop' });
    const { clientId, clientSecret } = CLIENT;
    await engine.oauthClients.set(id, 'PROVIDER_A', { clientId, clientSecret });
    client.apiKey = (await engine.apiKeys.create(id, { name: 'A', expiresAt: null })).key;
    const endpoint = await engine.webhookEndpoints.create({ applicationId: id }, { webhookUrl: verifier.url });
    client.endpointSecret = endpoint.endpointSecret;
    const connected: LoadedAccount[] = [];
    for (let index = 0; index < ACCOUNTS; index += 1) {
      connected.push(await connect(engine, sandbox, id, `person${index}@google.example`));
    }
    return { applicationId: id, webhookEndpointId: endpoint.webhookEndpointId, accounts: connected };
  });

  const load = startLoad(client, accounts, verifier);
  let serving: ServerProcess | undefined;
  const roll: World['roll'] = async (settings) => {
    env = { ...env, ...settings };
    const next = await startServerProcess(env);
    load.urls = serving === undefined ? [next.url] : [serving.url, next.url];
    await load.more(ROUNDS);
    load.urls = [next.url];
    await load.more(2);
    await serving?.stop();
    serving = next;
  };
  await roll({});
  return { client, load, vault, sandbox, tokenFile, applicationId, webhookEndpointId, roll, administer };
}

async function connect(engine: Engine, sandbox: Sandbox, applicationId: string, email: string): Promise<LoadedAccount> {
  sandbox.google.addMailbox({ email, name: 'Person', timeZone: 'Europe/Berlin' });
  const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId });
  const body = { email, providerType: 'PROVIDER_A', refreshToken };
  const { account } = await engine.accounts.upsert({ applicationId }, body);
  const { data } = await engine.calendars.list({ applicationId }, account.id, {});
  const [calendar] = data;
  if (calendar === undefined || !('name' in calendar)) throw new Error('no calendar');
  return { accountId: account.id, calendarId: calendar.id, email, refreshToken };
}

describe.each(STORAGES)('on %s', (storage) => {
  it('every secret is replaced under load without a failed request or message', async () => {
    const world = await openWorld(storage);
    const seen: { readonly name: string; readonly requests: number; readonly failures: readonly string[] }[] = [];
    let before = { requests: world.load.requests, failures: 0 };
    for (const [name, play] of CASES) {
      await play(world);
      await world.load.more(ROUNDS);
      const { requests, failures } = world.load;
      seen.push({ name, requests: requests - before.requests, failures: failures.slice(before.failures) });
      before = { requests, failures: failures.length };
    }
    await world.load.end();
    expect(seen.map(({ name, failures }) => ({ name, failures }))).toEqual(
      CASES.map(([name]) => ({ name, failures: [] })),
    );
    expect(world.load.failures).toEqual([]);
    for (const { requests } of seen) expect(requests).toBeGreaterThan(50);
    // The first secrets are worth nothing any more.
    const state = await world.administer(({ dataKeys }) => dataKeys.check());
    expect(state).toEqual({ opens: 'all', missingKeyIds: [], isChecked: true });
  }, 400_000);
});
