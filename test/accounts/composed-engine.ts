import type { ManualClock } from '@kalends/conformance';
import type { EngineOptions } from 'kalends';
import type { Logger, Storage } from 'kalends/ports';
import { systemRandom } from 'kalends/runtime';
import { onTestFinished } from 'vitest';
import { composeEngine } from '../../src/compose-engine.ts';
import { resolveOptions } from '../../src/resolve-options.ts';
import { openInMemory, openPatiently } from '../storages/opened-storage.ts';
import { type FakeProvider, fakeCalendar, fakeProvider } from './fake-provider.ts';

export const REDIRECT_URL = 'https://app.example/return?from=kalends';
const SECRET = Buffer.alloc(32, 7).toString('base64');

export interface ComposedEngine {
  readonly clock: ManualClock;
  readonly storage: Storage;
  readonly fake: FakeProvider;
  readonly log: readonly { readonly message: string; readonly fields: unknown }[];
  readonly engine: ReturnType<typeof composeEngine>;
  readonly applicationId: string;
  readonly caller: { readonly applicationId: string; readonly apiKeyId: string };
  /** A second process on the same storage. */
  process(options?: { readonly [Name in keyof EngineOptions]?: EngineOptions[Name] }): ReturnType<typeof composeEngine>;
  /** Connects ada@example.com (or another mailbox) with a fresh refresh token; resolves with the account's id. */
  connect(email?: string): Promise<string>;
}

/**
 * Composes an engine on a manual clock and a provider in memory, with one configured application.
 * @param database empty; a path or an address. @default SQLite in memory
 */
export async function openComposedEngine(
  options: { readonly [Name in keyof EngineOptions]?: EngineOptions[Name] | undefined } = {},
  database?: string,
): Promise<ComposedEngine> {
  const { clock, storage } = await (database === undefined ? openInMemory() : openPatiently(database));
  onTestFinished(() => storage.close());
  const fake = fakeProvider(() => clock.now());
  fake.calendars.push(fakeCalendar('primary'), fakeCalendar('team'));
  const log: { message: string; fields: unknown }[] = [];
  const write = (message: string, fields?: unknown) => void log.push({ message, fields });
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const process: ComposedEngine['process'] = (more = {}) =>
    composeEngine(
      resolveOptions({
        storage,
        providers: { FAKE: fake.provider, OTHER: fake.provider },
        secret: SECRET,
        publicUrl: 'https://calendar.example/api/',
        clock,
        random: systemRandom,
        logger,
        ...options,
        ...more,
      }),
    );
  const engine = process();
  const { applications, oauthClients, accounts } = engine.services;
  const { id: applicationId } = await applications.create({ name: 'Test', redirectUrls: [REDIRECT_URL] });
  await oauthClients.set(applicationId, 'FAKE', { clientId: 'client', clientSecret: 'hush' });
  const caller = { applicationId, apiKeyId: 'key_test' };
  return {
    clock,
    storage,
    fake,
    log,
    engine,
    applicationId,
    caller,
    process,
    async connect(email = 'ada@example.com') {
      fake.grant(`rt-${email}`, email);
      const body = { email, providerType: 'FAKE', refreshToken: `rt-${email}` };
      return (await accounts.upsert(caller, body)).account.id;
    },
  };
}

/** Resolves with the error that the work rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await work;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('It was expected to fail, but did not.');
}
