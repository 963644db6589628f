import assert from 'node:assert/strict';
import { type Keyring, KeyringError, type KeyringFailureReason, keyIdOf } from 'kalends/ports';
import type { ConformanceTest } from '../storage/world.ts';

/** World of one test: a keyring with a key of its own. */
export interface KeyringWorld {
  readonly keyring: Keyring;
  /** The keyring of a second process, over the same key. */
  readonly peer: Keyring;
  /**
   * Gives the key a new version. Resolves with the keyrings that wrap under it and still unwrap earlier ones, a minute later:
   * the same ones, or new ones.
   */
  rotate(): Promise<{ readonly keyring: Keyring; readonly peer: Keyring }>;
  /** Makes the keyring unavailable, in each way that can happen; undefined for one that asks no service. */
  readonly outages: readonly KeyringOutage[] | undefined;
  close(): Promise<void>;
}

/** A way in which a keyring becomes unavailable. */
export interface KeyringOutage {
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface KeyringConformanceOptions {
  readonly test: ConformanceTest;
  createWorld(): Promise<KeyringWorld>;
}

const OWNER = 'app_1/acc_1';
/** Owners that a careless encoding would take for one another. */
const OWNERS = [OWNER, 'app_1/acc_2', 'app_2/acc_1', 'app_1', 'app_1/acc_1/', '', 'app_1/acc_1\u0000', 'äpp/"\\'];
const dataKey = (fill = 7) => Uint8Array.from({ length: 32 }, (_, index) => (index * 31 + fill) % 256);

/**
 * Declares the cases that every keyring must pass: one for each sentence of the contract of `Keyring` in `kalends/ports`. Works
 * with the `test` of any runner.
 */
export function keyringConformance({ test, createWorld }: KeyringConformanceOptions): void {
  const inWorld = (name: string, run: (world: KeyringWorld) => Promise<void>) =>
    test(name, async () => {
      const world = await createWorld();
      try {
        await run(world);
      } finally {
        await world.close();
      }
    });

  inWorld('unwraps what it has wrapped, in every process', async ({ keyring, peer }) => {
    for (const owner of OWNERS) {
      const wrapped = await keyring.wrap(dataKey(), owner);
      assert.deepEqual(plain(await keyring.unwrap(wrapped, owner)), plain(dataKey()));
      assert.deepEqual(plain(await peer.unwrap(wrapped, owner)), plain(dataKey()));
    }
  });

  inWorld('wraps one key differently each time, and the text does not show it', async ({ keyring }) => {
    const texts = await Promise.all(Array.from({ length: 20 }, () => keyring.wrap(dataKey(), OWNER)));
    assert.equal(new Set(texts).size, 20);
    const shown = Buffer.from(dataKey());
    for (const text of texts) {
      assert.match(text, /^[\x21-\x7e]{1,1000}$/);
      for (const form of ['base64', 'base64url', 'hex'] as const)
        assert.ok(!text.includes(shown.toString(form).slice(0, 20)));
    }
  });

  inWorld('opens under no other owner', async ({ keyring }) => {
    const wrapped = await keyring.wrap(dataKey(), OWNER);
    for (const owner of OWNERS.slice(1)) await rejects(keyring.unwrap(wrapped, owner), 'unopened');
  });

  inWorld('opens nothing that was altered by a bit, cut, or lengthened', async ({ keyring }) => {
    const wrapped = await keyring.wrap(dataKey(), OWNER);
    for (let at = 0; at < wrapped.length; at += 1) {
      const code = wrapped.charCodeAt(at) ^ (1 << (at % 6));
      const altered = `${wrapped.slice(0, at)}${String.fromCharCode(code)}${wrapped.slice(at + 1)}`;
      await rejects(keyring.unwrap(altered, OWNER), 'unopened');
    }
    for (const text of ['', wrapped.slice(0, -1), wrapped.slice(1), `${wrapped}A`, `${wrapped}.`, ` ${wrapped}`]) {
      await rejects(keyring.unwrap(text, OWNER), 'unopened');
    }
  });

  inWorld(
    'names the key in the text, which every process has, whatever its version',
    async ({ keyring, peer, rotate }) => {
      const before = await keyring.wrap(dataKey(), OWNER);
      const rotated = await rotate();
      const after = await rotated.keyring.wrap(dataKey(), OWNER);
      assert.equal(keyIdOf(before), keyring.keyIds[0]);
      assert.equal(keyIdOf(after), rotated.keyring.keyIds[0]);
      for (const { id, keyIds } of [keyring, peer, rotated.keyring, rotated.peer]) {
        assert.match(id, /^[\x21-\x7e]{1,200}$/);
        assert.equal(new Set(keyIds).size, keyIds.length);
        for (const keyId of keyIds) assert.match(keyId, /^[\w-]{8}$/);
      }
      for (const { keyIds } of [rotated.keyring, rotated.peer]) assert.ok(keyIds.includes(keyIdOf(before) ?? ''));
    },
  );

  inWorld('rewraps under the new version of its key, and finds that done', async ({ keyring, rotate }) => {
    const before = await keyring.wrap(dataKey(), OWNER);
    assert.equal(await keyring.rewrap(before, OWNER), null);
    const rotated = await rotate();
    assert.deepEqual(plain(await rotated.keyring.unwrap(before, OWNER)), plain(dataKey()));
    const after = await rotated.keyring.rewrap(before, OWNER);
    assert.ok(after !== null && after !== before);
    assert.equal(await rotated.keyring.rewrap(after, OWNER), null);
    assert.equal(await rotated.peer.rewrap(after, OWNER), null);
    assert.deepEqual(plain(await rotated.peer.unwrap(after, OWNER)), plain(dataKey()));
    await rejects(rotated.keyring.unwrap(after, 'app_1/acc_2'), 'unopened');
  });

  inWorld('rewraps nothing that does not open', async ({ keyring, rotate }) => {
    const before = await keyring.wrap(dataKey(), OWNER);
    const rotated = await rotate();
    await rejects(rotated.keyring.rewrap(before, 'app_1/acc_2'), 'unopened');
    const altered = `${before.slice(0, -8)}${before.slice(-8) === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA'}`;
    await rejects(rotated.keyring.rewrap(altered, OWNER), 'unopened');
    await rejects(rotated.keyring.rewrap('', OWNER), 'unopened');
  });

  inWorld('keeps keys and owners apart under many calls at once', async ({ keyring, peer }) => {
    const work = Array.from({ length: 60 }, async (_, index) => {
      const owner = `app_${index % 5}/acc_${index}`;
      const wrapped = await keyring.wrap(dataKey(index), owner);
      assert.deepEqual(plain(await peer.unwrap(wrapped, owner)), plain(dataKey(index)));
    });
    await Promise.all(work);
  });

  inWorld('is unavailable during an outage, says so, and goes on after it', async ({ keyring, outages = [] }) => {
    const wrapped = await keyring.wrap(dataKey(), OWNER);
    await keyring.check();
    for (const outage of outages) {
      await outage.begin();
      try {
        await rejects(keyring.unwrap(wrapped, OWNER), 'unavailable', outage.name);
        await rejects(keyring.wrap(dataKey(), OWNER), 'unavailable', outage.name);
        await rejects(keyring.check(), 'unavailable', outage.name);
      } finally {
        await outage.end();
      }
      await keyring.check();
      assert.deepEqual(plain(await keyring.unwrap(wrapped, OWNER)), plain(dataKey()), outage.name);
    }
  });
}

const plain = (bytes: Uint8Array): readonly number[] => [...bytes];

async function rejects(work: Promise<unknown>, reason: KeyringFailureReason, name = ''): Promise<void> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(KeyringError.isInstance(error), `${name}: a KeyringError was expected, not ${String(error)}`);
  assert.equal(error.reason, reason, `${name}: ${error.message}`);
  assert.ok(error.message.length > 10, `${name}: the message says nothing`);
}
