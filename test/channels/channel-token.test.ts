import { createHmac, hkdfSync } from 'node:crypto';
import { createId, parseSecrets, systemRandom } from 'kalends/runtime';
import { expect, it } from 'vitest';
import { createChannelTokens } from '../../src/channels/channel-token.ts';

const [old, next] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];

it('are an HMAC of the channel id, short enough for every provider', () => {
  const tokens = createChannelTokens(parseSecrets(next));
  const id = createId(systemRandom, 'chn');
  const key = Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 2), '', 'kalends/channel-token', 32));
  const tag = createHmac('sha256', key).update(id).digest('base64url');
  expect(tokens.issue(id)).toBe(`${id}.${tag}`);
  // Graph takes 128 characters of clientState.
  expect(tokens.issue(id).length).toBeLessThanOrEqual(128);
  expect(tokens.verify(tokens.issue(id))).toBe(id);
});

it('are refused when they were altered, or made under another secret', () => {
  const tokens = createChannelTokens(parseSecrets(next));
  const id = createId(systemRandom, 'chn');
  const token = tokens.issue(id);
  for (let at = 0; at < token.length - 1; at += 1) {
    const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(tokens.verify(altered)).toBeUndefined();
  }
  const wrong = [
    `${token}A`,
    token.slice(0, -1),
    ` ${token}`,
    `${token}\n`,
    id,
    '',
    createChannelTokens(parseSecrets(old)).issue(id),
  ];
  for (const text of wrong) expect(tokens.verify(text)).toBeUndefined();
});

it('made under an earlier secret are accepted while that is configured', () => {
  const id = createId(systemRandom, 'chn');
  const token = createChannelTokens(parseSecrets(old)).issue(id);
  const tokens = createChannelTokens(parseSecrets(next, [old]));
  expect(tokens.verify(token)).toBe(id);
  expect(tokens.issue(id)).not.toBe(token);
});
