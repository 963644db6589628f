export type { HeadersLike } from './hook-headers.ts';
export { type VerifiedWebhook, type VerifyWebhookOptions, verifyWebhook } from './verify-webhook.ts';
export { type WebhookVerificationCode, WebhookVerificationError } from './webhook-verification-error.ts';
