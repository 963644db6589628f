import fc from 'fast-check';
import { createTokenSealer, parseSecrets, systemRandom } from 'kalends/runtime';
import { describe, expect, it } from 'vitest';

const SECRET = Buffer.alloc(32, 1).toString('base64');
const OTHER = Buffer.alloc(32, 2).toString('base64');
const tokens = createTokenSealer(parseSecrets(SECRET), systemRandom, 'page:accounts');

describe('createTokenSealer', () => {
  it('gives back every JSON value, in a URL-safe text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const token = tokens.seal(value);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(tokens.open(token)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  it('opens no token that was altered by one bit of any character', () => {
    const token = tokens.seal({ after: 'acc_1', limit: 50 });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < token.length; at += 1) {
      for (let bit = 0; bit < 6; bit += 1) {
        const letter = alphabet[alphabet.indexOf(token[at]!) ^ (1 << bit)];
        expect(tokens.open(`${token.slice(0, at)}${letter}${token.slice(at + 1)}`)).toBeUndefined();
      }
    }
  });

  it('opens no token of another purpose or secret, and no garbage', () => {
    const elsewhere = createTokenSealer(parseSecrets(SECRET), systemRandom, 'page:subscriptions');
    expect(elsewhere.open(tokens.seal(1))).toBeUndefined();
    expect(createTokenSealer(parseSecrets(OTHER), systemRandom, 'page:accounts').open(tokens.seal(1))).toBeUndefined();
    for (const garbage of ['', 'a', '%%%', 'AAAA', 'A'.repeat(64)]) expect(tokens.open(garbage)).toBeUndefined();
  });

  it('seals alike what is alike, and nothing else, where that is asked for', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(tokens.open(tokens.sealAlike(one))).toEqual(JSON.parse(JSON.stringify(one)));
        expect(tokens.sealAlike(one)).toBe(tokens.sealAlike(one));
        expect(tokens.sealAlike(one) === tokens.sealAlike(other)).toBe(isSame);
        expect(tokens.fingerprint(one) === tokens.fingerprint(other)).toBe(isSame);
      }),
      { numRuns: 200 },
    );
    const elsewhere = createTokenSealer(parseSecrets(OTHER), systemRandom, 'page:accounts');
    expect(elsewhere.fingerprint(1)).not.toBe(tokens.fingerprint(1));
    expect(tokens.fingerprint(1)).toMatch(/^[\w-]{22}$/);
  });

  it('opens tokens of an earlier secret', () => {
    const rotated = createTokenSealer(parseSecrets(OTHER, [SECRET]), systemRandom, 'page:accounts');
    expect(rotated.open(tokens.seal('x'))).toBe('x');
  });
});
