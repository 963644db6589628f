/** An access token that is refused; the message tells the client why. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly error: 'invalid_token' | 'insufficient_scope';

  constructor(error: TokenRefusal['error'], message: string, cause?: unknown) {
    super(message, { cause });
    this.error = error;
  }
}
