import type { ConnectedAccount } from '../accounts/index.ts';
import { type CollectionKey, type Logger, NO_TELEMETRY, type Storage, type Telemetry } from '../ports/index.ts';
import { createKeyedMutex, type WakeUp } from '../runtime/index.ts';
import type { SyncSettings } from './sync-settings.ts';

/** Accounts whose schedules one statement changes. */
const BATCH = 200;

/** Notes missed pushes. Where one push was missed, others may be: all channels of the OAuth client share the fault. */
export interface PushMisses {
  /** Tightens the polls behind every channel of the account's OAuth client, for all processes. */
  note(account: Pick<ConnectedAccount, 'row'>, key: CollectionKey): Promise<void>;
}

export function createPushMisses(deps: {
  readonly storage: Pick<Storage, 'schedule'>;
  readonly settings: Pick<SyncSettings, 'pollWithPushMs'>;
  readonly logger: Logger;
  /** Notified when polls may have become due. */
  readonly due: WakeUp;
  /** @default measures nothing */
  readonly telemetry?: Telemetry;
}): PushMisses {
  const { storage, settings, logger, due, telemetry = NO_TELEMETRY } = deps;
  const mutex = createKeyedMutex();
  return {
    async note({ row: { providerType, providerConfigId } }, key) {
      telemetry.count('kalends_missed_pushes_total', { provider: providerType });
      logger.info('a push was missed', { ...key, providerType });
      // Providers without OAuth have no client whose channels fail together.
      if (providerConfigId === null) return;
      await mutex.run(providerConfigId, async () => {
        const batch = { providerConfigId, everyMs: settings.pollWithPushMs, limit: BATCH };
        let after: string | undefined;
        do {
          after = await storage.schedule.tightenPolls({ ...batch, ...(after === undefined ? {} : { after }) });
        } while (after !== undefined);
      });
      due.notify();
    },
  };
}
