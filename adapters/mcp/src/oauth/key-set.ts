import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { Clock, Fetch } from 'kalends/ports';
import { isRecent } from 'kalends/runtime';
import { unavailable } from './authorization-server.ts';

/** Keys are read again after this time, so that a key which was withdrawn is refused. */
const MAX_AGE_MS = 600_000;
/** A token with an unknown key has the keys read again, but no more often than this: strangers may send such tokens. */
const COOL_DOWN_MS = 30_000;

/**
 * Creates the keys of an authorization server, which it may rotate at any time.
 * @throws KalendsError ProviderUnavailable when they cannot be read
 */
export function createKeySet(
  urlOf: () => Promise<string>,
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
): JWTVerifyGetKey {
  let read: { readonly at: number; readonly keys: Promise<JWTVerifyGetKey> } | undefined;

  async function load(): Promise<JWTVerifyGetKey> {
    const url = await urlOf();
    try {
      const response = await fetch(url, { headers: { accept: 'application/json, application/jwk-set+json' } });
      if (response.status !== 200) throw new Error(`the keys are answered with status ${response.status}`);
      return createLocalJWKSet((await response.json()) as JSONWebKeySet);
    } catch (error) {
      throw unavailable(error);
    }
  }

  function keysNoOlderThan(maxAgeMs: number): Promise<JWTVerifyGetKey> {
    if (read === undefined || !isRecent(clock, read.at, maxAgeMs)) {
      const keys = load();
      const mine = { at: clock.now(), keys };
      read = mine;
      // A failure is not remembered.
      keys.catch(() => {
        if (read === mine) read = undefined;
      });
    }
    return read.keys;
  }

  return async (header, token) => {
    const keys = await keysNoOlderThan(MAX_AGE_MS);
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await keysNoOlderThan(COOL_DOWN_MS);
      return await newer(header, token);
    }
  };
}
