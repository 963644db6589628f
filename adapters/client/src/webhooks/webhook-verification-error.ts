/**
 * The faults of a delivery. `InvalidBody` and `InvalidSecret` are mistakes of the receiver: answer them with 500, so that the
 * message is sent again, and the others with 400.
 */
export type WebhookVerificationCode =
  | 'MissingHeader'
  | 'InvalidHeader'
  | 'TimestampTooOld'
  | 'TimestampTooNew'
  | 'InvalidSignature'
  | 'InvalidBody'
  | 'InvalidSecret';

/** Reports a delivery that must not be trusted. */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.code = code;
  }
}
