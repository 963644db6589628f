import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey, type Secrets } from '../runtime/index.ts';

/** The secrets that providers repeat in notifications: `{channel id}.{HMAC-SHA256 of it}`, 70 characters. */
export interface ChannelTokens {
  /** The token of a channel under the current secret. */
  issue(channelId: string): string;
  /** The channel that a token belongs to; undefined unless it was made here, under the current or an earlier secret. */
  verify(token: string): string | undefined;
}

/** Tells genuine notifications from forged ones without a look-up. */
export function createChannelTokens(secrets: Secrets): ChannelTokens {
  const keys = secrets.all.map((secret) => deriveKey(secret, 'channel-token'));
  const tagOf = (key: Buffer, channelId: string) => createHmac('sha256', key).update(channelId).digest();
  return {
    issue: (channelId) => `${channelId}.${tagOf(keys[0]!, channelId).toString('base64url')}`,
    verify(token) {
      const [, channelId, text] = /^(chn_[0-9A-Za-z]{22})\.([\w-]{43})$/.exec(token) ?? [];
      if (channelId === undefined || text === undefined) return undefined;
      const given = Buffer.from(text, 'base64url');
      return keys.some((key) => timingSafeEqual(tagOf(key, channelId), given)) ? channelId : undefined;
    },
  };
}
