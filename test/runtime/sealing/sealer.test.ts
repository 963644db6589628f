import { KalendsError } from 'kalends/ports';
import { parseSecrets } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';
import { localSealer } from '../../data-keys/local-sealer.ts';

const SECRET = Buffer.alloc(32, 1).toString('base64');
const OTHER = Buffer.alloc(32, 2).toString('hex');
const sealer = localSealer(SECRET);

describe('parseSecrets', () => {
  it('takes 32 bytes in base64, base64url and hex', () => {
    expect(parseSecrets(SECRET).current).toHaveLength(32);
    expect(parseSecrets(Buffer.alloc(40, 255).toString('base64url')).current).toHaveLength(40);
    expect(parseSecrets(OTHER).current).toEqual(new Uint8Array(32).fill(2));
    expect(parseSecrets(SECRET, [OTHER]).all).toHaveLength(2);
  });

  it.each([
    ['too short', Buffer.alloc(31).toString('base64'), 'secret: must have at least 32 bytes, has 31'],
    ['short hex', 'ab'.repeat(16), 'secret: must have at least 32 bytes, has 16'],
    ['not base64', 'correct horse battery staple!', 'secret: must be base64 or hex'],
    ['empty', '', 'secret: is empty; set it to the output of: openssl rand -base64 32'],
  ])('refuses a secret that is %s', (_name, text, message) => {
    expect(() => parseSecrets(text)).toThrow(message);
  });

  it('names the earlier secret at fault and never prints it', () => {
    const run = () => parseSecrets(SECRET, [OTHER, 'c2hvcnQ=']);
    expect(run).toThrow('previousSecrets.1: must have at least 32 bytes');
    expect(run).not.toThrow('c2hvcnQ');
  });
});

describe('createSealer', () => {
  it('opens what it sealed, for its owner and field only', async () => {
    const key = await sealer.createKey('app_1/acc_1');
    const sealed = await sealer.seal(key, 'app_1/acc_1', 'refreshToken', 'sécret');
    expect(await sealer.open(key, 'app_1/acc_1', 'refreshToken', sealed)).toBe('sécret');
    await expect(sealer.open(key, 'app_1/acc_1', 'accessToken', sealed)).rejects.toThrow(KalendsError);
    await expect(sealer.open(key, 'app_1/acc_2', 'refreshToken', sealed)).rejects.toThrow('does not belong');
  });

  it('opens nothing under another data key, and nothing altered by one character', async () => {
    const key = await sealer.createKey('o');
    const sealed = await sealer.seal(key, 'o', 'f', 'value');
    await expect(sealer.open(await sealer.createKey('o'), 'o', 'f', sealed)).rejects.toThrow('altered');
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      await expect(sealer.open(key, 'o', 'f', altered)).rejects.toThrow(KalendsError);
    }
  });

  it('refuses a tag that was cut short', async () => {
    const key = await sealer.createKey('o');
    const sealed = await sealer.seal(key, 'o', 'f', 'value');
    const bytes = Buffer.from(sealed.slice(2), 'base64url');
    await expect(sealer.open(key, 'o', 'f', `1.${bytes.subarray(0, -12).toString('base64url')}`)).rejects.toThrow();
    await expect(sealer.open(key, 'o', 'f', '1.')).rejects.toThrow('altered');
  });

  it('opens under an earlier secret and rewraps to the current one', async () => {
    const key = await sealer.createKey('o');
    const sealed = await sealer.seal(key, 'o', 'f', 'value');
    const rotated = localSealer(OTHER, [SECRET]);
    expect(await rotated.open(key, 'o', 'f', sealed)).toBe('value');
    const rewrapped = await rotated.rewrap(key, 'o');
    expect(rewrapped).not.toBeNull();
    expect(await rotated.rewrap(rewrapped!, 'o')).toBeNull();
    const afterwards = localSealer(OTHER);
    expect(await afterwards.open(rewrapped!, 'o', 'f', sealed)).toBe('value');
    await expect(afterwards.open(key, 'o', 'f', sealed)).rejects.toThrow('not configured');
  });
});
