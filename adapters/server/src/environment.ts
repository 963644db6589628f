import { readFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value of a variable, or of the file that the variable NAME_FILE names; undefined for neither.
 * @throws CommandError naming a file that cannot be read
 */
export function fromEnvironment(variable: string, env: Environment): string | undefined {
  const value = env[variable];
  // Deployment templates set an absent value to the empty text.
  if (value !== undefined && value !== '') return value;
  const file = env[`${variable}_FILE`];
  if (file === undefined || file === '') return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandError(`${variable}_FILE: cannot read ${file}: ${(error as Error).message}`);
  }
}
