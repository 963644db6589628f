/** Reports a mistake in a command's arguments or surroundings; the user sees its message without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}
