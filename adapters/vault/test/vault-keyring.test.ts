import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualClock, waitlessClock } from '@kalends/conformance';
import { type VaultKeyringOptions, vaultKeyring } from '@kalends/vault';
import { WRAPPING_NAME_LENGTH } from 'kalends/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startVault, type VaultProcess } from './server/start-vault.ts';

const OWNER = 'app_1/acc_1';
const DATA_KEY = new Uint8Array(32).fill(5);

let vault: VaultProcess;
let token: string;
beforeAll(async () => {
  vault = await startVault();
  token = await vault.tokenFor('kalends');
});
afterAll(() => vault.close());

let answered = 0;
beforeEach(() => {
  answered = vault.requests.length;
});

/** The requests since the test began. */
const requests = () => vault.requests.slice(answered).map(({ path, status }) => `${path} ${status}`);

function open(options: Partial<VaultKeyringOptions> = {}) {
  return vaultKeyring({
    address: vault.address,
    token,
    key: 'kalends',
    clock: waitlessClock(Date.now, undefined, 3_000),
    ...options,
  });
}

/** The wrapped key of a ciphertext of Vault. */
const wrappedAs = (ciphertext: string) => `1.${open().keyIds[0]}.${ciphertext}`;

/** A server that is not Vault. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('options', () => {
  it.each<[string, object, string]>([
    ['a misspelt option', { timeoutms: 5 }, 'timeoutms: is not an option; did you mean timeoutMs?'],
    ['a missing key', { key: undefined }, 'key: must be letters'],
    ['a missing token', { token: undefined }, 'token: must be printable ASCII'],
    ['a mount that is no text', { mount: 5 }, 'mount: must be a path'],
    ['a missing address', { address: undefined }, 'address: must be an absolute http or https URL'],
    ['an address that is none', { address: 'vault:8200' }, 'address: must be an absolute http or https URL'],
    ['an address with a password', { address: 'https://a:b@vault' }, 'address: must be an absolute'],
    ['an empty token', { token: '' }, 'token: must be printable ASCII'],
    ['a key that is a path', { key: '../sys/seal' }, 'key: must be letters'],
    ['a mount that climbs', { mount: 'a//b' }, 'mount: must be a path'],
    ['a namespace with a line break', { namespace: 'a\nb' }, 'namespace: must be a path'],
    ['a namespace of null', { namespace: null }, 'namespace: must be a path'],
    ['a namespace that is no text', { namespace: 5 }, 'namespace: must be a path'],
    ['a time that is no number', { timeoutMs: '5' }, 'timeoutMs: must be more than 0'],
    ['no time', { timeoutMs: 0 }, 'timeoutMs: must be more than 0'],
    ['half an attempt', { attempts: 1.5 }, 'attempts: must be a whole number'],
  ])('refuse %s', (_name, options, message) => {
    const [path] = message.split(':');
    expect(() => open(options)).toThrow(message);
    expect(() => open(options)).toThrow(
      expect.objectContaining({ code: 'InvalidRequest', details: [expect.objectContaining({ path })] }),
    );
  });

  it('refuse an address in place of the options', () => {
    expect(() => vaultKeyring(vault.address as unknown as VaultKeyringOptions)).toThrow('must be an object of options');
  });

  it('take another mount, and a namespace', async () => {
    await vault.operate('POST', 'sys/namespaces/team');
    await vault.operate('POST', 'sys/mounts/secrets/keys', { type: 'transit', namespace: 'team' });
    await vault.operate('POST', 'secrets/keys/keys/own', {}, 'team');
    const keyring = open({ namespace: 'team', mount: '/secrets/keys/', key: 'own', token: vault.rootToken });
    const wrapped = await keyring.wrap(DATA_KEY, OWNER);
    expect(wrapped).toMatch(/^1\.[\w-]{8}\.vault:v1:/);
    expect([...(await keyring.unwrap(wrapped, OWNER))]).toEqual([...DATA_KEY]);
    // The same key name in another place is another keyring.
    expect(open().keyIds).not.toEqual(keyring.keyIds);
    await expect(open({ mount: 'secrets/keys', key: 'own' }).unwrap(wrapped, OWNER)).rejects.toThrow('malformed');
  });
});

describe('the owner', () => {
  it('is bound by Vault, not by the adapter alone', async () => {
    const wrapped = await open().wrap(DATA_KEY, OWNER);
    const ciphertext = wrapped.slice(WRAPPING_NAME_LENGTH);
    const bare = vault.operate('POST', 'transit/decrypt/kalends', { ciphertext });
    await expect(bare).rejects.toThrow('message authentication failed');
  });

  it('that Vault does not bind is found out before the first key is wrapped, and at a check', async () => {
    const old = await startVault({ flags: ['--ignore-associated-data'] });
    onTestFinished(() => old.close());
    const keyring = open({ address: old.address, token: old.rootToken });
    await expect(keyring.wrap(DATA_KEY, OWNER)).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('does not bind wrapped keys to their owners: use Vault 1.13'),
    });
    await expect(keyring.check()).rejects.toThrow('does not bind');
    // A derived key binds by its context.
    await old.operate('POST', 'transit/keys/derived', { derived: true });
    await open({ address: old.address, token: old.rootToken, key: 'derived' }).check();
  });
});

describe('requests', () => {
  it('are one for each key that is wrapped or unwrapped, after three that prove the binding', async () => {
    const keyring = open();
    const wrapped = await keyring.wrap(DATA_KEY, OWNER);
    await keyring.wrap(DATA_KEY, OWNER);
    await keyring.unwrap(wrapped, OWNER);
    expect(requests()).toEqual([
      'transit/encrypt/kalends 200',
      'transit/decrypt/kalends 200',
      'transit/decrypt/kalends 400',
      'transit/encrypt/kalends 200',
      'transit/encrypt/kalends 200',
      'transit/decrypt/kalends 200',
    ]);
  });

  it('are none for rewrapping keys of the latest version, once in a minute that is learned', async () => {
    const clock = manualClock();
    const keyring = open({ clock: waitlessClock(clock.now, undefined, 3_000) });
    const wrapped = await keyring.wrap(DATA_KEY, OWNER);
    answered = vault.requests.length;
    for (let times = 0; times < 50; times += 1) expect(await keyring.rewrap(wrapped, OWNER)).toBeNull();
    expect(requests()).toEqual([]);
    await vault.operate('POST', 'transit/keys/kalends/rotate');
    await clock.advance(60_000);
    answered = vault.requests.length;
    const rewrapped = await keyring.rewrap(wrapped, OWNER);
    expect(rewrapped).toMatch(/^1\.[\w-]{8}\.vault:v2:/);
    expect(await keyring.rewrap(rewrapped ?? '', OWNER)).toBeNull();
    expect(requests()).toEqual(['transit/decrypt/kalends 200', 'transit/encrypt/kalends 200']);
  });

  it('are repeated while Vault does not answer, and no more often than asked', async () => {
    let times = 0;
    const address = await serve((_request, response) => {
      times += 1;
      response
        .writeHead(times === 3 ? 200 : 500)
        .end(times === 3 ? '{"data":{"plaintext":"AAAA"}}' : '{"errors":["oops"]}');
    });
    const text = wrappedAs('vault:v1:AAAA');
    expect([...(await open({ address }).unwrap(text, OWNER))]).toEqual([0, 0, 0]);
    times = 10;
    await expect(open({ address, attempts: 2 }).unwrap(text, OWNER)).rejects.toThrow('status 500 (oops)');
    expect(times).toBe(12);
  });

  it('end in time, though Vault takes them and does not answer', async () => {
    const clock = manualClock();
    const keyring = open({ clock, timeoutMs: 3_000 });
    vault.freeze();
    onTestFinished(() => vault.thaw());
    const outcome = keyring.unwrap(wrappedAs('vault:v1:AAAA'), OWNER).catch((error) => error);
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    // Two attempts of three seconds, and the wait between them.
    for (let passed = 0; !isOver && passed < 8_000; passed += 100) {
      await clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await outcome).toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('does not answer in time'),
    });
  });
});

describe('the token', () => {
  it('is read again for each request, so that a renewed one is used at once', async () => {
    let current = await vault.tokenFor('kalends');
    const keyring = open({ token: async () => `${current}\n` });
    const wrapped = await keyring.wrap(DATA_KEY, OWNER);
    await vault.operate('POST', 'auth/token/revoke', { token: current });
    await expect(keyring.unwrap(wrapped, OWNER)).rejects.toThrow(
      'it has expired, or its policy lacks path "transit/decrypt/kalends"',
    );
    current = await vault.tokenFor('kalends');
    expect([...(await keyring.unwrap(wrapped, OWNER))]).toEqual([...DATA_KEY]);
  });

  it('that an agent replaces during the request is tried before the refusal counts', async () => {
    const [old, next] = [await vault.tokenFor('kalends'), await vault.tokenFor('kalends')];
    const wrapped = await open().wrap(DATA_KEY, OWNER);
    await vault.operate('POST', 'auth/token/revoke', { token: old });
    const texts = [old, next, next];
    const keyring = open({ token: () => texts.shift() ?? '' });
    answered = vault.requests.length;
    expect([...(await keyring.unwrap(wrapped, OWNER))]).toEqual([...DATA_KEY]);
    expect(requests()).toEqual(['transit/decrypt/kalends 403', 'transit/decrypt/kalends 200']);
  });

  it('that cannot be read is an outage, whose message does not hold it', async () => {
    const unreadable = () => Promise.reject(new Error('ENOENT: /run/vault/token'));
    await expect(open({ token: unreadable }).check()).rejects.toThrow('cannot be read: ENOENT: /run/vault/token');
    const failure = await open({ token: () => 'two words' })
      .check()
      .catch((error) => error);
    expect(failure).toMatchObject({ reason: 'unavailable' });
    expect(failure.message).not.toContain('two words');
  });
});

describe('failures name what an operator has to do', () => {
  it.each<[string, Partial<VaultKeyringOptions>, string]>([
    ['no such mount', { mount: 'elsewhere', token: 'root' }, 'enable the transit secrets engine there'],
    ['no such key', { key: 'unknown', token: 'root' }, 'create it with: vault write -f transit/keys/unknown'],
    [
      'a key of another',
      { key: 'other' },
      'its policy lacks path "transit/encrypt/other" { capabilities = ["update"] }',
    ],
    ['no Vault there', { address: 'http://127.0.0.1:9' }, 'cannot be reached'],
  ])('%s', async (_name, { token: kind, ...options }, message) => {
    const keyring = open({ ...options, ...(kind === 'root' ? { token: vault.rootToken } : {}) });
    const check =
      kind === 'root' && options.key === 'unknown'
        ? keyring.unwrap(`1.${keyring.keyIds[0]}.vault:v1:AAAA`, OWNER)
        : keyring.check();
    await expect(check).rejects.toMatchObject({ reason: 'unavailable', message: expect.stringContaining(message) });
  });

  it('a sealed Vault', async () => {
    await vault.seal();
    try {
      await expect(open().check()).rejects.toThrow('is sealed: unseal it with: vault operator unseal');
    } finally {
      await vault.unseal();
    }
  });

  it('a version of the key that the policy of the key has ended', async () => {
    await vault.operate('POST', 'transit/keys/ended', {});
    const keyring = open({ key: 'ended', token: await vault.tokenFor('ended') });
    const old = await keyring.wrap(DATA_KEY, OWNER);
    await vault.operate('POST', 'transit/keys/ended/rotate');
    await vault.operate('POST', 'transit/keys/ended/config', { min_decryption_version: 2 });
    await expect(keyring.unwrap(old, OWNER)).rejects.toMatchObject({
      reason: 'unopened',
      message: expect.stringContaining('disallowed by policy (too old)'),
    });
  });

  it('an address that sends requests elsewhere, and the token stays', async () => {
    const seen: unknown[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers['x-vault-token']);
      response.writeHead(200).end('{}');
    });
    const address = await serve((request, response) => {
      response.writeHead(307, { location: `${other}${request.url}` }).end();
    });
    await expect(open({ address }).check()).rejects.toThrow('give the address of its active node');
    expect(seen).toEqual([]);
  });

  it.each([
    ['a page', '<html>'],
    ['another API', '{"data":{}}'],
    ['another form', '{"data":{"ciphertext":"secret"}}'],
  ])('%s in place of an answer', async (_name, body) => {
    const address = await serve((_request, response) => response.writeHead(200).end(body));
    const failure = await open({ address })
      .check()
      .catch((error) => error);
    expect(failure).toMatchObject({ name: 'KeyringError', reason: 'unavailable' });
    expect(failure.message).not.toContain('secret');
  });
});
