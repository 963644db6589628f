import type { Storage } from 'kalends/ports';
import { describe, expect, it } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';

const OLD = Buffer.alloc(32, 1).toString('base64');
const NEW = Buffer.alloc(32, 2).toString('base64');

/** The storage, with something that happens after each statement that looks for keys. */
function afterEachLook(storage: Storage, happen: () => Promise<unknown>): Storage {
  const findByHash: Storage['apiKeys']['findByHash'] = async (...hashes) => {
    const found = await storage.apiKeys.findByHash(...hashes);
    await happen();
    return found;
  };
  return { ...storage, apiKeys: { ...storage.apiKeys, findByHash } };
}

describe.each(STORAGES)('on %s', (name) => {
  it('a key whose hash another process replaces during a request is not refused', async () => {
    const composed = await openComposedEngine({ secret: OLD, previousSecrets: [NEW] }, await newDatabase(name));
    const { key } = await composed.engine.services.apiKeys.create(composed.applicationId, {
      name: 'k',
      expiresAt: null,
    });
    const old = composed.engine.services.apiKeys;
    const next = composed.process({ secret: NEW, previousSecrets: [OLD] }).services.apiKeys;
    // Both processes use the key, and each stores its hash under its own secret.
    const turns = [next, old];
    const storage = afterEachLook(composed.storage, async () => {
      const turn = turns.shift();
      if (turn !== undefined) turns.push(turn);
      await turn?.authenticate(key);
    });
    const between = composed.process({ storage, secret: NEW, previousSecrets: [OLD] }).services.apiKeys;
    for (let times = 0; times < 10; times += 1) {
      expect(await between.authenticate(key)).toMatchObject({ applicationId: composed.applicationId });
    }
  });
});
