import type { KalendsErrorOptions } from '../../errors.ts';
import {
  type Clock,
  type DataKey,
  KalendsError,
  type Keyring,
  KeyringError,
  keyIdOf,
  type Logger,
  type Random,
  type Sealer,
} from '../../ports/index.ts';
import { isRecent } from '../time/is-recent.ts';
import { decodeCanonical, decrypt, encrypt } from './aes-gcm.ts';
import { createDataKeyCache } from './data-key-cache.ts';

const NONCE_BYTES = 12;
const DATA_KEY_BYTES = 32;
/** `Retry-After` while the keyring is unavailable. */
const RETRY_MS = 5_000;
/** `Retry-After` while a secret or keyring is not configured: an operator has to act. */
const CONFIGURED_RETRY_MS = 30_000;
/** Minimum time between two log lines about the keyring. */
const LOGGED_EVERY_MS = 60_000;

export interface SealerDependencies {
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Maximum number of unwrapped data keys in memory. */
  readonly cachedDataKeys: number;
}

/** Creates envelope encryption over a keyring. A sealed value reads `1.<base64url>` and begins with its nonce. */
export function createSealer({ keyring, clock, random, logger, cachedDataKeys }: SealerDependencies): Sealer {
  const cache = createDataKeyCache(clock, cachedDataKeys);
  const asPublic = failureReporter(keyring, clock, logger);

  const unwrap = (wrappedKey: string, owner: string): Promise<Uint8Array> =>
    cache.get(wrappedKey, owner, async () => {
      const dataKey = await asPublic(keyring.unwrap(wrappedKey, owner));
      if (dataKey.length !== DATA_KEY_BYTES) throw cannotOpen('the wrapped key holds no data key');
      return dataKey;
    });

  const createKey = async (owner: string): Promise<string> => {
    const dataKey = random.bytes(DATA_KEY_BYTES);
    const wrappedKey = await asPublic(keyring.wrap(dataKey, owner));
    cache.put(wrappedKey, owner, dataKey);
    return wrappedKey;
  };

  const sealUnder = (dataKey: Uint8Array, owner: string, field: string, plaintext: string): string => {
    const nonce = Buffer.from(random.bytes(NONCE_BYTES));
    const sealed = encrypt(dataKey, nonce, Buffer.from(plaintext, 'utf8'), fieldContext(owner, field));
    return `1.${Buffer.concat([nonce, sealed]).toString('base64url')}`;
  };

  const unwrapFor = async (wrappedKey: string, owner: string): Promise<DataKey> => {
    const dataKey = await unwrap(wrappedKey, owner);
    return {
      seal: (field, plaintext) => sealUnder(dataKey, owner, field, plaintext),
      open: (field, sealed) => openUnder(dataKey, owner, field, sealed),
    };
  };

  return {
    ready: async () => void (await asPublic(keyring.wrap(random.bytes(DATA_KEY_BYTES), 'probe'))),
    createKey,
    seal: async (wrappedKey, owner, field, plaintext) => (await unwrapFor(wrappedKey, owner)).seal(field, plaintext),
    open: async (wrappedKey, owner, field, sealed) => (await unwrapFor(wrappedKey, owner)).open(field, sealed),
    unwrap: unwrapFor,
    rewrap: (wrappedKey, owner) => asPublic(keyring.rewrap(wrappedKey, owner)),
    keyIds: keyring.keyIds,
    keyIdOf,
  };
}

function openUnder(dataKey: Uint8Array, owner: string, field: string, sealed: string): string {
  const [version, body, ...more] = sealed.split('.');
  const isWhole = version === '1' && body !== undefined && more.length === 0;
  const plaintext = isWhole ? unpack(dataKey, body, fieldContext(owner, field)) : undefined;
  if (plaintext === undefined) throw cannotOpen(`the sealed ${field} was altered or belongs elsewhere`);
  return plaintext.toString('utf8');
}

/** Creates the function that turns a keyring's failures into public errors, and logs an outage once a minute. */
function failureReporter(keyring: Keyring, clock: Clock, logger: Logger) {
  let loggedAt: number | undefined;
  return async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      const result = await work;
      if (loggedAt !== undefined) logger.info('the keyring answers again', { keyring: keyring.id });
      loggedAt = undefined;
      return result;
    } catch (error) {
      if (!KeyringError.isInstance(error)) throw error;
      if (error.reason === 'unopened') throw cannotOpen(error.message, { cause: error });
      if (error.reason === 'not-configured') {
        // A change of the configuration mends it, so callers may try again.
        throw cannotOpen(error.message, { status: 503, retryAfterMs: CONFIGURED_RETRY_MS, cause: error });
      }
      if (loggedAt === undefined || !isRecent(clock, loggedAt, LOGGED_EVERY_MS)) {
        loggedAt = clock.now();
        logger.error('the keyring is unavailable', { keyring: keyring.id, error: error.message });
      }
      throw new KalendsError('InternalError', 'the keyring is unavailable; try again later', {
        status: 503,
        retryAfterMs: RETRY_MS,
        cause: error,
      });
    }
  };
}

/** Returns whether work failed because the keyring is unavailable: nothing is known against the secrets that it needs. */
export function isKeyringOutage(error: unknown): boolean {
  if (!KalendsError.isInstance(error) || !KeyringError.isInstance(error.cause)) return false;
  return error.cause.reason === 'unavailable';
}

function unpack(key: Uint8Array, body: string, context: string): Buffer | undefined {
  const bytes = decodeCanonical(body);
  if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
  return decrypt(key, bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES), context);
}

const fieldContext = (owner: string, field: string) => JSON.stringify(['field', owner, field]);

function cannotOpen(reason: string, options: KalendsErrorOptions = {}): KalendsError {
  return new KalendsError('InternalError', `A stored secret cannot be opened: ${reason}`, options);
}
