import { createHmac } from 'node:crypto';
import type { Random } from '../ports/index.ts';

const SECRET_PREFIX = 'whsec_';

/** Creates an endpoint secret: `whsec_` and 32 random bytes in base64. */
export function createEndpointSecret(random: Random): string {
  return `${SECRET_PREFIX}${Buffer.from(random.bytes(32)).toString('base64')}`;
}

/**
 * Returns the Standard Webhooks 1.0 headers of one attempt, under the interface's names (`hook-…`) and the standard's
 * (`webhook-…`). They carry a signature for each secret; a receiver needs one that verifies. `attemptAt` is epoch ms, the
 * header's timestamp whole seconds.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(
  secrets: readonly string[],
  messageId: string,
  attemptAt: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(attemptAt / 1000));
  const signed = `${messageId}.${timestamp}.${body}`;
  const sign = (secret: string) => {
    const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  };
  const signature = secrets.map(sign).join(' ');
  return {
    'hook-id': messageId,
    'hook-timestamp': timestamp,
    'hook-signature': signature,
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  };
}
