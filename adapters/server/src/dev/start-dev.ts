import { CommandError } from '../command-error.ts';
import { packageVersion } from '../package-version.ts';
import type { Dev, DevOptions } from './dev-server.ts';

/**
 * Starts the engine, the interface and the sandbox in this process.
 * @throws CommandError when `@kalends/sandbox` is not installed, or for another cause that the user can remove
 */
export async function startDev(options: DevOptions): Promise<Dev> {
  const { startDevServer } = await loadDevServer();
  return startDevServer(options);
}

/** Loads the only module that uses the sandbox: an installation that serves real providers has none. */
async function loadDevServer(): Promise<typeof import('./dev-server.ts')> {
  try {
    return await import('./dev-server.ts');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'@kalends/sandbox'")) throw error;
    throw new CommandError(
      `"kalends dev" needs @kalends/sandbox, which is not installed\nInstall it with: npm install @kalends/sandbox@${packageVersion()}`,
      1,
    );
  }
}
