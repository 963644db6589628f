/** A mistake in how a command was called or in its surroundings: the message is all a person needs, no stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
