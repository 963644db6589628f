import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import { createEngine, type Engine, type EngineOptions, type MessageHandler } from 'kalends';
import type { Clock, Fetch, Storage } from 'kalends/ports';

export const CLIENT = { clientId: 'kalends-tests', clientSecret: 'a-secret' };
export const PROVIDERS = {
  google: { providerType: 'PROVIDER_A', email: 'ada@gmail.example' },
  microsoft: { providerType: 'PROVIDER_B', email: 'grace@outlook.example' },
} as const;
export type ProviderName = keyof typeof PROVIDERS;

export interface FileEngine {
  readonly engine: Engine;
  readonly storage: Storage;
}

/** An engine on a SQLite file, or in memory, in front of the sandbox at an address. It learns of changes by polling. */
export function engineOnFile({
  path,
  providers,
  fetch,
  clock,
  onMessage,
  sync = { freshWithoutPushMs: 1 },
}: {
  readonly path: string;
  readonly providers: string;
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly onMessage?: MessageHandler;
  readonly sync?: EngineOptions['sync'];
}): FileEngine {
  const time = clock === undefined ? {} : { clock };
  const reach = fetch === undefined ? {} : { fetch };
  const storage = sqlite({ path, ...time });
  const engine = createEngine({
    storage,
    providers: {
      PROVIDER_A: google({ ...googleEndpoints(`${providers}/google`), ...reach }),
      PROVIDER_B: microsoft({ ...microsoftEndpoints(`${providers}/microsoft`), ...reach }),
    },
    secret: Buffer.alloc(32, 3).toString('base64'),
    sync: { readWaitMs: 600_000, pollWithoutPushMs: 300, ...sync },
    ...time,
    ...(onMessage === undefined ? {} : { onMessage }),
  });
  return { engine, storage };
}
