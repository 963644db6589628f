import { Webhook } from 'standardwebhooks';
import type { Random } from '../ports/index.ts';

/** A new endpoint secret: `whsec_` and 32 random bytes in base64. */
export function createEndpointSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(32)).toString('base64')}`;
}

/**
 * Standard Webhooks 1.0 headers of one attempt, under the names of the interface (`hook-…`) and under those that Standard
 * Webhooks libraries read (`webhook-…`). `attemptAt` is epoch ms; the header has whole seconds.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders(
  secret: string,
  messageId: string,
  attemptAt: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(attemptAt / 1000));
  const signature = new Webhook(secret).sign(messageId, new Date(attemptAt), body);
  return {
    'hook-id': messageId,
    'hook-timestamp': timestamp,
    'hook-signature': signature,
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  };
}
