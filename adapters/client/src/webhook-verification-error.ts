/**
 * What is wrong with a delivery. `InvalidBody` and `InvalidSecret` are mistakes of the receiver; answer 500 to those, so
 * that the message is sent again. The others are answered with 400.
 */
export type WebhookVerificationCode =
  | 'MissingHeader'
  | 'InvalidHeader'
  | 'TimestampTooOld'
  | 'TimestampTooNew'
  | 'InvalidSignature'
  | 'InvalidBody'
  | 'InvalidSecret';

/** A delivery that must not be believed. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
