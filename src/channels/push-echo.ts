import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '../ports/index.ts';
import { deriveKey, type Secrets } from '../runtime/index.ts';

/** Name of the parameter: the one of Graph's validation handshake, so that proxies treat the request like Graph's. */
const PARAMETER = 'validationToken';
const CHALLENGE = /^kalends\.[\w-]{22}$/;
const ANSWER = /^kalends\.([\w-]{43})$/;

/**
 * Recognises this installation at its own push address: a process answers a random challenge with its HMAC, which only processes
 * with the same secret can make.
 */
export interface PushEcho {
  /** Returns the answer to a request that carries a challenge, undefined for any other request. */
  answer(url: string): string | undefined;
  /** Returns the URL that asks a push address, and the verdict on the text that it answers. */
  ask(address: string): { readonly url: string; verdict(text: string): 'same' | 'other-secret' | 'unknown' };
}

export function createPushEcho(secrets: Secrets, random: Random): PushEcho {
  const keyOf = (secret: Uint8Array) => deriveKey(secret, 'push-echo');
  const current = keyOf(secrets.current);
  const keys = secrets.all.map(keyOf);
  const tagOf = (key: Buffer, challenge: string) => createHmac('sha256', key).update(challenge).digest();
  return {
    answer(url) {
      const challenge = new URL(url).searchParams.get(PARAMETER) ?? '';
      return CHALLENGE.test(challenge) ? `kalends.${tagOf(current, challenge).toString('base64url')}` : undefined;
    },
    ask(address) {
      const challenge = `kalends.${Buffer.from(random.bytes(16)).toString('base64url')}`;
      return {
        url: `${address}?${PARAMETER}=${challenge}`,
        verdict(text) {
          const given = Buffer.from(ANSWER.exec(text)?.[1] ?? '', 'base64url');
          if (given.length === 0) return 'unknown';
          return keys.some((key) => timingSafeEqual(tagOf(key, challenge), given)) ? 'same' : 'other-secret';
        },
      };
    },
  };
}
