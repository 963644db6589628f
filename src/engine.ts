import { awaitStart } from './awaited-start.ts';
import { composeEngine } from './compose-engine.ts';
import { keepKeysCurrent } from './data-keys/index.ts';
import type { Engine } from './engine-interface.ts';
import { isBackground } from './option-names.ts';
import type { EngineOptions } from './options.ts';
import { NO_TELEMETRY } from './ports/index.ts';
import { resolveOptions } from './resolve-options.ts';
import {
  type BackgroundLoop,
  checkRights,
  checkTexts,
  createCountedCalls,
  DeadlineError,
  runHousekeeping,
  startLoop,
  traceServices,
  withDeadline,
  zoneDataVersion,
} from './runtime/index.ts';
import { SERVICE_EFFECTS } from './service-effects.ts';
import { SERVICE_TEXTS } from './service-texts.ts';

/** How often a stop that waits for work in progress asks whether the database hangs. */
const PROBE_EVERY_MS = 5_000;
/** Time that the database has for its answer. */
const PROBE_MS = 2_000;

/**
 * Creates the engine: all services of the interface over one storage and the registered providers. Opens and starts
 * nothing before `start`.
 *
 * @throws KalendsError InvalidRequest naming the option that is missing or wrong
 *
 * @example
 * ```ts
 * const engine = createEngine({
 *   storage: sqlite({ path: 'kalends.db' }),
 *   providers: { GOOGLE: google(), MICROSOFT: microsoft() },
 *   secret: process.env.KALENDS_SECRET ?? '',
 *   publicUrl: 'https://calendar.example.com/api',
 * });
 * await engine.start();
 * ```
 */
export function createEngine(options: EngineOptions): Engine {
  const resolved = resolveOptions(options);
  const { storage, secrets, keyrings, clock } = resolved;
  const {
    activity,
    registry,
    secretCheck,
    renewals,
    pulls,
    settleIntents,
    applicationRemoval,
    runImports,
    runHolds,
    channels,
    push,
    dispatcher,
    sender,
    recorder,
    wake,
    services,
  } = composeEngine(resolved);

  const calls = createCountedCalls();
  let loops: readonly BackgroundLoop[] = [];
  let stopListening: (() => void) | undefined;
  let starting: Promise<void> | undefined;
  let isStarted = false;
  let isWorker = false;
  let stopping: Promise<void> | undefined;

  const start = async () => {
    await storage.open();
    await storage.health.setZoneData(zoneDataVersion(), { ifNone: true });
    stopListening = storage.changes?.subscribe(wake);
    // Logs a secret that does not fit. The process goes on: it recovers when the database or another process is mended.
    await secretCheck.inspect();
    isStarted = true;
    if (recorder !== undefined) {
      loops = [startLoop('measurements', (signal) => recorder.run(signal, { samples: isWorker }), resolved)];
    }
    if (!isWorker) return;
    const startWork = (name: string, work: (signal: AbortSignal) => Promise<void>) =>
      startLoop(
        name,
        async (signal) => {
          // Under a secret that opens nothing, work could only fail, and give up what the right secret would save.
          await secretCheck.untilUsable(signal);
          await work(signal);
        },
        resolved,
      );
    loops = [
      ...loops,
      startWork('sync', (signal) => pulls.run(signal)),
      startWork('writes', settleIntents),
      startWork('channels', (signal) => channels.run(signal)),
      startWork('deliveries', (signal) => dispatcher.run(signal)),
      startWork('application deletion', (signal) => applicationRemoval.run(signal)),
      startWork('imports', runImports),
      startWork('holds', runHolds),
      startWork('housekeeping', (signal) => runHousekeeping(storage, resolved, signal)),
    ];
    // A key of the local keyring changes with the secret alone; another keyring's may have a new version at any time.
    if (secrets.all.length === 1 && keyrings.length === 1) return;
    loops = [...loops, startWork('data keys', (signal) => keepKeysCurrent(services.dataKeys, resolved, signal))];
  };

  const endWork = async () => {
    // Loops may be waiting for a token. Pulls are aborted before it is refused them; one that a call begins later ends at once.
    await Promise.all([pulls.close(), ...loops.map((loop) => loop.stop()), renewals.stop(), push.stop()]);
    // Until here `onMessage` may call.
    await calls.close();
    await pulls.close();
    await sender.close();
    // An engine that was not started, as that of a diagnosis, leaves the database as it is.
    if (loops.length > 0) await recorder?.close();
    activity.close();
  };

  const stop = async () => {
    await starting?.catch(() => undefined);
    stopListening?.();
    const ended = endWork();
    // A database that hangs keeps statements waiting for their timeout; once it is closed, they fail.
    while (!(await endsSoon(ended)) && (await isReached())) {}
    await storage.close();
    await ended;
  };

  const endsSoon = (work: Promise<void>) =>
    withDeadline(clock, PROBE_EVERY_MS, () => work).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DeadlineError) return false;
        throw error;
      },
    );

  // Not in time, or with an error: either way the work has nothing to wait for.
  const isReached = () =>
    withDeadline(clock, PROBE_MS, () => storage.health.reach()).then(
      () => true,
      () => false,
    );

  const checked = checkRights(checkTexts(services, SERVICE_TEXTS), SERVICE_EFFECTS);
  return {
    ...calls.count(awaitStart(traceServices(checked), { isStarted: () => isStarted, starting: () => starting })),
    activity: { subscribe: activity.subscribe },
    providerTypes: registry.types,
    oauthProviderTypes: registry.oauthTypes,
    telemetry: recorder?.ofBindings ?? NO_TELEMETRY,
    async start(given) {
      const background = isBackground(given);
      if (stopping !== undefined) throw new Error('The engine has been stopped; create another one.');
      if (starting !== undefined && background && !isWorker) {
        throw new Error('The engine was started without background work; stop it, and create another one.');
      }
      if (starting === undefined) isWorker = background;
      starting ??= start().catch((error) => {
        // The database may not be up yet; a later start retries.
        starting = undefined;
        throw error;
      });
      await starting;
    },
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}
