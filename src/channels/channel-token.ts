import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey, type Secrets } from '../runtime/index.ts';

/** Issues and verifies the tokens that providers repeat in notifications: `{channel id}.{its HMAC-SHA256}`, 70 characters. */
export interface ChannelTokens {
  /** Returns the channel's token under the current secret. */
  issue(channelId: string): string;
  /** Returns the id of the token's channel, undefined unless it was issued under the current or a previous secret. */
  verify(token: string): string | undefined;
}

/** Creates the tokens, which reveal forged notifications without a look-up. */
export function createChannelTokens(secrets: Secrets): ChannelTokens {
  const keyOf = (secret: Uint8Array) => deriveKey(secret, 'channel-token');
  const current = keyOf(secrets.current);
  const keys = secrets.all.map(keyOf);
  const tagOf = (key: Buffer, channelId: string) => createHmac('sha256', key).update(channelId).digest();
  return {
    issue: (channelId) => `${channelId}.${tagOf(current, channelId).toString('base64url')}`,
    verify(token) {
      const [, channelId, text] = /^(chn_[0-9A-Za-z]{22})\.([\w-]{43})$/.exec(token) ?? [];
      if (channelId === undefined || text === undefined) return undefined;
      const given = Buffer.from(text, 'base64url');
      return keys.some((key) => timingSafeEqual(tagOf(key, channelId), given)) ? channelId : undefined;
    },
  };
}
