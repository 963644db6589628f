import { composeRooms } from './engine-rooms.ts';
import type { EngineOptions } from './options.ts';
import { resolveOptions } from './resolve-options.ts';
import { type BackgroundLoop, keepHouse, startLoop } from './runtime/index.ts';
import type { Engine } from './services.ts';

/**
 * Builds the engine: every service of the interface over one storage and the registered providers. Nothing runs and
 * nothing is opened until `start`.
 *
 * @throws KalendsError InvalidRequest naming the option that is missing or wrong
 *
 * @example
 * ```ts
 * const engine = createEngine({
 *   storage: sqlite({ path: 'kalends.db' }),
 *   providers: { GOOGLE: google(), MICROSOFT: microsoft() },
 *   secret: process.env.KALENDS_SECRET,
 *   publicUrl: 'https://calendar.example.com/api',
 * });
 * await engine.start();
 * ```
 */
export function createEngine(options: EngineOptions): Engine {
  const resolved = resolveOptions(options);
  const { storage, clock } = resolved;
  const { registry, accountRoom, mirror, channels, dispatcher, sender, services } = composeRooms(resolved);

  let loops: readonly BackgroundLoop[] = [];
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const start = async () => {
    await storage.open();
    loops = [
      startLoop('sync', (signal) => mirror.run(signal), resolved),
      startLoop('channels', (signal) => channels.run(signal), resolved),
      startLoop('deliveries', (signal) => dispatcher.run(signal), resolved),
      startLoop('housekeeping', (signal) => keepHouse(storage, clock, signal), resolved),
    ];
  };

  const stop = async () => {
    await starting?.catch(() => undefined);
    // Loops may be waiting for a token.
    await Promise.all([...loops.map((loop) => loop.stop()), accountRoom.stop()]);
    await mirror.close();
    await sender.close();
    await storage.close();
  };

  return {
    ...services,
    providerTypes: registry.types,
    start() {
      if (stopping !== undefined) return Promise.reject(new Error('The engine has been stopped; create another one.'));
      starting ??= start().catch((error) => {
        // The database may not be up yet: a later start tries again.
        starting = undefined;
        throw error;
      });
      return starting;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}
