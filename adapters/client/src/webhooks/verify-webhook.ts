import { Webhook } from 'standardwebhooks';
import type { WebhookMessage } from '../model/webhook-endpoint.ts';
import { systemNow } from '../runtime/index.ts';
import { type HeadersLike, readHeaders } from './hook-headers.ts';
import { type WebhookVerificationCode, WebhookVerificationError } from './webhook-verification-error.ts';

const DEFAULT_TOLERANCE_MS = 300_000;

/** A delivery with a valid signature. */
export interface VerifiedWebhook {
  /** Id of the message, the same for each of its deliveries: store it, and ignore a message that you have handled. */
  readonly id: string;
  /** Time of this attempt: epoch milliseconds, in whole seconds. */
  readonly sentAt: number;
  /** `eventType` tells messages about calendars, events and accounts apart; the last two have `data`. */
  readonly message: WebhookMessage;
}

export interface VerifyWebhookOptions {
  /** Largest difference between `hook-timestamp` and now, in milliseconds from 0 on. @default 300_000 */
  readonly toleranceMs?: number;
  /** Returns the present time in epoch milliseconds. @default the machine's time */
  readonly now?: () => number;
}

/**
 * Verifies the signature of a delivery over its raw body, and returns its message.
 * Accepts `hook-*` and `webhook-*` headers, several signatures, and several secrets (during a rotation).
 *
 * @param rawBody the received bytes, or their text; never a parsed object
 * @param secret `endpointSecret` of the subscription or endpoint, or several of them
 * @throws WebhookVerificationError with the fault in `code`; RangeError for a `toleranceMs` that is no number from 0 on
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @example
 * ```ts
 * const { id, message } = verifyWebhook(await request.text(), request.headers, process.env.ENDPOINT_SECRET ?? '');
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
  return { id, sentAt: sentAt.getTime(), message: messageIn(JSON.parse(body)) };
}

/** Returns the message itself, also from a CloudEvent. */
function messageIn(body: unknown): WebhookMessage {
  if (typeof body !== 'object' || body === null || !('specversion' in body)) return body as WebhookMessage;
  const { type, time, data } = body as { type?: unknown; time?: unknown; data?: unknown };
  return { eventType: type, timestamp: time, ...(data === undefined ? {} : { data }) } as WebhookMessage;
}

function readBody(rawBody: string | Uint8Array): string {
  if (typeof rawBody === 'string') {
    // A lone surrogate has no UTF-8 form; it is encoded as U+FFFD, so that another text has the same signature.
    if (!/\p{Surrogate}/u.test(rawBody)) return rawBody;
    throw failure('InvalidSignature', 'The body is not UTF-8.');
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

function checkAge(timestamp: number, { toleranceMs = DEFAULT_TOLERANCE_MS, now = systemNow }: VerifyWebhookOptions) {
  // No age is above NaN.
  if (!(toleranceMs >= 0)) throw new RangeError('toleranceMs: must be from 0 on');
  const ageMs = now() - timestamp * 1000;
  if (ageMs > toleranceMs) throw failure('TimestampTooOld', 'The delivery was sent too long ago.');
  if (-ageMs > toleranceMs) throw failure('TimestampTooNew', 'The delivery is from the future: check the clock.');
}

/** Compares in a time that depends on the length of the expected text alone. */
function sameText(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

const failure = (code: WebhookVerificationCode, message: string) => new WebhookVerificationError(code, message);
