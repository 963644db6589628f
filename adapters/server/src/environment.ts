import { readFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables whose file is a setting of its own, which goes first: an agent keeps the token in it alive. */
const BESIDE_THEIR_FILE: readonly string[] = ['VAULT_TOKEN'];

/**
 * Returns the value of a variable, or of the file that the variable NAME_FILE names; undefined for neither. An empty one counts as
 * unset.
 * @throws CommandError naming both when both are set, or a file that cannot be read
 */
export function fromEnvironment(variable: string, env: Environment): string | undefined {
  // Deployment templates set an absent value to the empty text.
  const value = env[variable] || undefined;
  const file = env[`${variable}_FILE`] || undefined;
  if (value !== undefined && file !== undefined && !BESIDE_THEIR_FILE.includes(variable)) {
    throw new CommandError(`${variable} and ${variable}_FILE are both set: unset one of them`);
  }
  if (value !== undefined || file === undefined) return value;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandError(`${variable}_FILE: cannot read ${file}: ${(error as Error).message}`);
  }
}
