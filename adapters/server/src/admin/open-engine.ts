import { type Engine, KalendsError } from 'kalends';
import type { HealthStore, Logger } from 'kalends/ports';
import { withOutageTimeout } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import { createLogger } from '../logger.ts';
import { databasesOf, opening, storageOf } from '../serve/open-storage.ts';
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

/**
 * Runs one step of administration on the configured database.
 * @throws CommandError for a database without tables of kalends, and for a step that the engine refuses
 */
export async function withEngine<Result>(
  settings: Settings,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  await requireTables(settings);
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

/** Refuses an empty database before the engine makes its tables: "nothing found" would be true of it, but not of the right one. */
async function requireTables(settings: Settings): Promise<void> {
  const storage = storageOf(settings, createLogger('silent'));
  try {
    for (const [index, { title, health }] of databasesOf(storage, settings.databaseUrl).entries()) {
      const isEmpty =
        index === 0
          ? await opening(settings, () => hasNoTables(health))
          : // One of several that is away is left to the command, which names it.
            await withOutageTimeout({ limitMs: 0 }, () => hasNoTables(health)).catch(() => false);
      if (!isEmpty) continue;
      throw new CommandError(
        `${title} has no tables of kalends: is it the right database? "kalends migrate" makes the tables of a new one`,
        1,
      );
    }
  } finally {
    await storage.close();
  }
}

async function hasNoTables(health: HealthStore): Promise<boolean> {
  await health.reach();
  return (await health.schema()).applied.length === 0;
}
