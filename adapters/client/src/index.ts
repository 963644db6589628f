export { ApiError } from './api-error.ts';
export { type AuthorizeUrlOptions, authorizeUrl } from './authorize-url.ts';
export { type Client, type ClientOptions, createClient, type EventWriteOptions } from './create-client.ts';
export type { HeadersLike } from './hook-headers.ts';
export type { Listing, ListPage, SyncResult } from './listing.ts';
export type { Fetch } from './transport.ts';
export { type VerifiedWebhook, type VerifyWebhookOptions, verifyWebhook } from './verify-webhook.ts';
export type { ReceiverCalls } from './webhook-calls.ts';
export { type WebhookVerificationCode, WebhookVerificationError } from './webhook-verification-error.ts';
