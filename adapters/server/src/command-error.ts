/** Reports a mistake in a command's arguments or surroundings; the user sees its message without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;
  /** For `--json`. */
  readonly code: string;

  constructor(message: string, exitCode = 2, code = exitCode === 2 ? 'InvalidCommand' : 'CommandFailed') {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.code = code;
  }
}
