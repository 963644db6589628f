import { createHmac } from 'node:crypto';
import type { Random } from '../ports/index.ts';
import { deriveKey, randomText, type Secrets } from '../runtime/index.ts';

const PURPOSE = 'feed-pepper';
const FORM = /^[0-9A-Za-z]{43}$/;

/** Makes and recognizes the secrets in the addresses of feeds, of which only peppered HMACs are stored. */
export interface FeedSecrets {
  /** Returns a new secret: 43 characters, 256 bits. */
  create(): string;
  /** Hex HMAC under the current pepper. */
  hash(secret: string): string;
  /** HMACs under all peppers, the current one first; none for a text that is no secret. */
  hashes(secret: string): readonly string[];
}

export function createFeedSecrets(secrets: Secrets, random: Random): FeedSecrets {
  const current = deriveKey(secrets.current, PURPOSE);
  const others = secrets.all.filter((secret) => secret !== secrets.current).map((secret) => deriveKey(secret, PURPOSE));
  const hash = (pepper: Buffer, text: string) => createHmac('sha256', pepper).update(text, 'utf8').digest('hex');
  return {
    create: () => randomText(random, 43),
    hash: (secret) => hash(current, secret),
    hashes: (secret) => (FORM.test(secret) ? [current, ...others].map((pepper) => hash(pepper, secret)) : []),
  };
}
