import { CommandError } from '../command-error.ts';
import { packageVersion } from '../package-version.ts';

type ParityCommand = typeof import('./parity-command.ts');

/**
 * Loads the command, which alone uses the sandbox and the conformance suite: a production server has neither.
 * @throws CommandError naming the package that is not installed
 */
export async function loadParity(
  load: () => Promise<ParityCommand> = () => import('./parity-command.ts'),
): Promise<ParityCommand> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = /'(@kalends\/(?:sandbox|conformance))'/.exec(message)?.[1];
    if (code !== 'ERR_MODULE_NOT_FOUND' || missing === undefined) throw error;
    const version = packageVersion();
    throw new CommandError(
      `"kalends parity" needs ${missing}, which is not installed\nInstall it with: npm install ${missing}@${version}`,
      1,
    );
  }
}
