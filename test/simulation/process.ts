import { setTimeout } from 'node:timers/promises';
import type { Clock, Fetch, Storage } from 'kalends/ports';
import type { VirtualTime } from './virtual-time.ts';

/** Where a process can die: before a call of one of its ports is carried out, or when its answer is lost with the process. */
export type Moment = 'before' | 'after';

/** Everything a process awaits, by name: `mirror.commit`, `leases.claim`, `fetch PATCH`, `sleep`, … */
export type AwaitKind = string;

/** Nothing, death, or standing still for so many milliseconds, as a process does whose machine is moved. */
export type Fate = 'goes on' | 'dies' | { readonly pausesMs: number };

/** A killable process: the ports of one engine. When it is killed, nothing that it waits for ever comes back. */
export interface Process {
  readonly storage: Storage;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly isDead: boolean;
  /** It stands still: calls go on when the pause is over. */
  readonly isPaused: boolean;
  /** Resolves when the process is killed. */
  readonly death: Promise<void>;
  kill(): void;
}

export interface ProcessOptions {
  readonly storage: Storage;
  readonly fetch: Fetch;
  readonly time: VirtualTime;
  /** Asked at every await: what happens to the process there. */
  readonly fate: (kind: AwaitKind, moment: Moment) => Fate;
}

/**
 * Resolves, by the machine's clock, when threads have surely verified an answer. The asker may have given up while the process stood
 * still: no call follows then.
 */
const verified = () => setTimeout(10_000, undefined, { ref: false });

/** Stores of the storage; a process awaits their methods. */
const STORES = [
  'applications',
  'providerConfigs',
  'apiKeys',
  'usedStates',
  'audit',
  'accounts',
  'mirror',
  'reads',
  'pulls',
  'schedule',
  'leases',
  'intents',
  'holds',
  'channels',
  'subscriptions',
] as const;

export function startProcess({ storage, fetch, time, fate }: ProcessOptions): Process {
  let isDead = false;
  let pausedUntil = 0;
  const callWaiters: (() => void)[] = [];
  let tell: () => void = () => undefined;
  const death = new Promise<void>((resolve) => {
    tell = resolve;
  });

  function noteCall(): void {
    for (const resolve of callWaiters.splice(0)) resolve();
  }

  function kill(): void {
    isDead = true;
    noteCall();
    time.stir();
    tell();
  }

  function meet(kind: AwaitKind, moment: Moment): void {
    if (isDead) return;
    const met = fate(kind, moment);
    if (met === 'dies') kill();
    else if (met !== 'goes on') pausedUntil = time.now() + met.pausesMs;
  }

  async function thaw(): Promise<void> {
    while (time.now() < pausedUntil) await time.sleep(pausedUntil - time.now());
  }

  /** A dead process learns nothing and does nothing. */
  async function pass<Result>(kind: AwaitKind, work: () => Promise<Result>): Promise<Result> {
    noteCall();
    meet(kind, 'before');
    await thaw();
    if (isDead) return await new Promise<never>(() => undefined);
    time.stir();
    try {
      return await work();
    } finally {
      time.stir();
      meet(kind, 'after');
      await thaw();
      if (isDead) await new Promise<never>(() => undefined);
    }
  }

  const nextCall = () => new Promise<void>((resolve) => callWaiters.push(resolve));

  const stores = Object.fromEntries(STORES.map((name) => [name, guardStore(name, storage[name], pass)]));
  return {
    storage: {
      ...(stores as Pick<Storage, (typeof STORES)[number]>),
      // Deliveries leave the world of this simulation: what waits in the outbox is looked at by the test itself.
      endpoints: storage.endpoints,
      targets: storage.targets,
      dataKeys: storage.dataKeys,
      health: storage.health,
      measurements: storage.measurements,
      feeds: storage.feeds,
      imports: storage.imports,
      erasure: storage.erasure,
      commits: storage.commits,
      outbox: {
        ...storage.outbox,
        acknowledgeAndClaim: async () => ({ settled: [], claims: [] }),
        nextDueAt: async () => null,
        purge: async () => 0,
      },
      open: async () => undefined,
      close: async () => undefined,
    },
    async fetch(input, init) {
      const kind = requestKind(input, init);
      const response = await pass(`fetch ${kind}`, () => fetch(input, init));
      // Identity tokens are verified by threads, which no turn of the event loop shows: time waits for the next call.
      if (kind === 'token' || kind === 'keys') void time.hold(() => Promise.race([nextCall(), verified()]));
      return response;
    },
    clock: {
      now: time.now,
      sleep: (ms, signal) => pass('sleep', () => time.sleep(ms, signal)),
    },
    get isDead() {
      return isDead;
    },
    get isPaused() {
      return time.now() < pausedUntil;
    },
    death,
    kill,
  };
}

function guardStore<Store extends object>(
  name: string,
  store: Store,
  pass: <Result>(kind: AwaitKind, work: () => Promise<Result>) => Promise<Result>,
): Store {
  return new Proxy(store, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property);
      if (typeof method !== 'function') return method;
      return (...values: unknown[]) => pass(`${name}.${String(property)}`, () => method.apply(target, values));
    },
  });
}

function requestKind(input: string | URL | Request, init: RequestInit | undefined): string {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  if (/token$/.test(pathname)) return 'token';
  return /certs$|keys$/.test(pathname) ? 'keys' : method;
}
