import { hkdfSync } from 'node:crypto';
import { invalid } from '../../errors.ts';

const MINIMUM_BYTES = 32;

/** The current secret and those it replaced, as bytes. Keys for every purpose are derived from them. */
export interface Secrets {
  readonly current: Uint8Array;
  /** Current first. */
  readonly all: readonly Uint8Array[];
}

/**
 * Reads the secrets of the engine's options.
 * @throws KalendsError InvalidRequest when one is neither hex nor base64, or has fewer than 32 bytes; the message never contains it
 */
export function parseSecrets(secret: string, previousSecrets: readonly string[] = []): Secrets {
  const current = parseSecret(secret, 'secret');
  const previous = previousSecrets.map((text, index) => parseSecret(text, `previousSecrets.${index}`));
  return { current, all: [current, ...previous] };
}

function parseSecret(text: unknown, option: string): Uint8Array {
  if (typeof text !== 'string') throw invalid(option, 'must be a text of at least 32 bytes in base64 or hex');
  if (text.trim() === '') throw invalid(option, 'is empty; set it to the output of: openssl rand -base64 32');
  const bytes = decodeSecret(text.trim());
  if (bytes === undefined) throw invalid(option, 'must be base64 or hex');
  if (bytes.length < MINIMUM_BYTES) {
    throw invalid(option, `must have at least ${MINIMUM_BYTES} bytes, has ${bytes.length}`);
  }
  return new Uint8Array(bytes);
}

function decodeSecret(text: string): Buffer | undefined {
  // Hex digits are base64 characters too: a text of hex digits alone is read as hex.
  if (/^(?:[0-9a-fA-F]{2})+$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}

/** Derives the key of one purpose by HKDF-SHA256. */
export function deriveKey(secret: Uint8Array, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, new Uint8Array(0), `kalends/${purpose}`, length));
}
