import { type Engine, KalendsError } from 'kalends';
import type { Logger } from 'kalends/ports';
import { CommandError } from '../command-error.ts';
import { createLogger } from '../logger.ts';
import { opening, storageOf } from '../serve/open-storage.ts';
import { standaloneEngine } from '../serve/standalone-engine.ts';
import type { Settings } from '../settings.ts';

/**
 * Starts an engine without background work on the configured database, for a command.
 * @throws CommandError for a cause that the operator can remove
 */
export async function openEngine(settings: Settings): Promise<{ readonly engine: Engine; readonly logger: Logger }> {
  const logger = createLogger(settings.logLevel === 'info' ? 'warn' : settings.logLevel);
  const engine = standaloneEngine(settings, { storage: storageOf(settings, logger), logger });
  await opening(settings, () => engine.start({ background: false }));
  return { engine, logger };
}

/** Runs one step of administration on the configured database. @throws CommandError for a step that the engine refuses */
export async function withEngine<Result>(
  settings: Settings,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const { engine } = await openEngine(settings);
  try {
    return await work(engine);
  } catch (error) {
    if (KalendsError.isInstance(error) && error.status < 500) throw new CommandError(error.message, 1);
    throw error;
  } finally {
    await engine.stop();
  }
}
