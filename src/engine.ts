import { keepKeysCurrent } from './data-keys/keep-keys-current.ts';
import { composeRooms } from './engine-rooms.ts';
import type { EngineOptions } from './options.ts';
import { resolveOptions } from './resolve-options.ts';
import { type BackgroundLoop, checkTexts, keepHouse, startLoop, traceServices } from './runtime/index.ts';
import type { Engine } from './services.ts';
import { zoneDataVersion } from './zones/index.ts';

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
  const { storage, clock, secrets } = resolved;
  const { registry, accountRoom, mirror, keeper, channels, push, dispatcher, sender, wake, services } =
    composeRooms(resolved);

  let loops: readonly BackgroundLoop[] = [];
  let stopListening: (() => void) | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  const start = async (isWorker: boolean) => {
    await storage.open();
    await storage.health.setZoneData(zoneDataVersion(), { ifNone: true });
    stopListening = storage.changes?.subscribe(wake);
    if (!isWorker) return;
    loops = [
      startLoop('sync', (signal) => mirror.run(signal), resolved),
      startLoop('writes', (signal) => keeper.run(signal), resolved),
      startLoop('channels', (signal) => channels.run(signal), resolved),
      startLoop('deliveries', (signal) => dispatcher.run(signal), resolved),
      startLoop('housekeeping', (signal) => keepHouse(storage, clock, signal), resolved),
    ];
    if (secrets.all.length === 1) return;
    const rewrapping = startLoop(
      'data keys',
      (signal) => keepKeysCurrent(services.dataKeys, resolved, signal),
      resolved,
    );
    loops = [...loops, rewrapping];
  };

  const stop = async () => {
    await starting?.catch(() => undefined);
    stopListening?.();
    // Loops may be waiting for a token.
    await Promise.all([...loops.map((loop) => loop.stop()), accountRoom.stop(), push.stop()]);
    await mirror.close();
    await sender.close();
    await storage.close();
  };

  return {
    ...traceServices(checkTexts(services)),
    providerTypes: registry.types,
    start({ background = true } = {}) {
      if (stopping !== undefined) return Promise.reject(new Error('The engine has been stopped; create another one.'));
      starting ??= start(background).catch((error) => {
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
