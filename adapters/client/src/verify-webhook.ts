import { timingSafeEqual } from 'node:crypto';
import type { AccountMessage, CalendarMessage } from 'kalends/model';
import { Webhook } from 'standardwebhooks';
import { type HeadersLike, readHeaders } from './hook-headers.ts';
import { type WebhookVerificationCode, WebhookVerificationError } from './webhook-verification-error.ts';

const DEFAULT_TOLERANCE_MS = 300_000;

/** A delivery whose signature is right. */
export interface VerifiedWebhook {
  /** The same for every delivery of one message: remember it, and pass over what has been seen. */
  readonly id: string;
  /** When this attempt was sent, epoch milliseconds in whole seconds. */
  readonly sentAt: number;
  readonly message: CalendarMessage | AccountMessage;
}

export interface VerifyWebhookOptions {
  /** How far `hook-timestamp` may be from now, in milliseconds. @default 300_000 */
  readonly toleranceMs?: number;
  /** Epoch milliseconds of now. @default Date.now */
  readonly now?: () => number;
}

/**
 * The message of a delivery, after its signature has been verified over the raw body. Takes `hook-*` and `webhook-*`
 * headers, several signatures, and several secrets (while one is being rotated).
 *
 * @param rawBody the bytes as they came, or their text; never a parsed object
 * @param secret `endpointSecret` of the subscription or endpoint, or several of them
 * @throws WebhookVerificationError whose `code` says what is wrong
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @example
 * ```ts
 * const { id, message } = verifyWebhook(await request.text(), request.headers, process.env.ENDPOINT_SECRET);
 * ```
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeadersLike,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): VerifiedWebhook {
  const body = readBody(rawBody);
  const webhooks = (typeof secret === 'string' ? [secret] : secret).map(openSecret);
  if (webhooks.length === 0) throw failure('InvalidSecret', 'There is no secret to verify with.');
  const { id, timestamp, signatures } = readSignature(headers);
  checkAge(timestamp, options);
  const sentAt = new Date(timestamp * 1000);
  const isRight = webhooks.some((webhook) => {
    const expected = webhook.sign(id, sentAt, body);
    return signatures.some((given) => sameText(given, expected));
  });
  if (!isRight) throw failure('InvalidSignature', 'No signature belongs to this body, its headers and the secret.');
  return { id, sentAt: sentAt.getTime(), message: JSON.parse(body) };
}

function readBody(rawBody: string | Uint8Array): string {
  if (typeof rawBody === 'string') {
    // Half of a surrogate pair has no bytes of its own: another text would have the same signature.
    if (!/\p{Surrogate}/u.test(rawBody)) return rawBody;
    throw failure('InvalidSignature', 'The body is no text that can be sent.');
  }
  if (!(rawBody instanceof Uint8Array)) {
    throw failure('InvalidBody', 'The body must be the raw text or bytes of the request, not what was parsed from it.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(rawBody);
  } catch {
    throw failure('InvalidSignature', 'The body is not UTF-8.');
  }
}

function openSecret(secret: string): Webhook {
  if (typeof secret !== 'string' || !/^(?:whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/.test(secret)) {
    throw failure('InvalidSecret', 'The secret must be an endpointSecret: whsec_ and base64.');
  }
  return new Webhook(secret);
}

function readSignature(headers: HeadersLike) {
  const values = readHeaders(headers);
  const prefix = values.has('hook-signature') ? 'hook' : 'webhook';
  const only = (name: string): string => {
    const [value, ...more] = new Set(values.get(`${prefix}-${name}`));
    if (value === undefined || value === '') throw failure('MissingHeader', `The header hook-${name} is missing.`);
    if (more.length > 0) throw failure('InvalidHeader', `The header ${prefix}-${name} came with several values.`);
    return value;
  };
  const id = only('id');
  const timestamp = only('timestamp');
  const signatures = only('signature').split(' ');
  if (!/^[1-9]\d{0,10}$/.test(timestamp)) {
    throw failure('InvalidHeader', `The header ${prefix}-timestamp is no time in seconds.`);
  }
  return { id, timestamp: Number(timestamp), signatures };
}

function checkAge(timestamp: number, { toleranceMs = DEFAULT_TOLERANCE_MS, now = Date.now }: VerifyWebhookOptions) {
  const ageMs = now() - timestamp * 1000;
  if (ageMs > toleranceMs) throw failure('TimestampTooOld', 'The delivery was sent too long ago.');
  if (-ageMs > toleranceMs) throw failure('TimestampTooNew', 'The delivery is from the future: check the clock.');
}

function sameText(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const failure = (code: WebhookVerificationCode, message: string) => new WebhookVerificationError(code, message);
