import { timingSafeEqual } from 'node:crypto';
import type { ProviderRegistry } from '../accounts/provider-registry.ts';
import {
  type ChannelRow,
  type Clock,
  KalendsError,
  type Logger,
  type PushNotification,
  type Random,
  type Storage,
} from '../ports/index.ts';
import { randomHex, type WakeUp } from '../runtime/index.ts';
import type { PushService } from '../services.ts';
import { collectionOf, hashToken } from './channel-opening.ts';

/** Providers' notifications: marks what they name as due and answers at once. */
export function createPushService(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
  /** Notified when channel upkeep has become due. */
  readonly upkeepDue: WakeUp;
}): PushService {
  const { storage, registry, clock, random, logger, syncDue, upkeepDue } = dependencies;

  /** The channel that a notification proves to come from. */
  const authenticate = async (
    providerType: string,
    notification: PushNotification,
  ): Promise<ChannelRow | undefined> => {
    const row = await storage.channels.findForPush(providerType, notification.providerChannelId);
    const given = Buffer.from(hashToken(notification.token ?? ''), 'hex');
    // A comparison takes place for unknown channels too, so that timing does not tell which channels exist.
    const expected = Buffer.from(row?.tokenHash ?? hashToken(''), 'hex');
    const isEqual = timingSafeEqual(given, expected);
    return isEqual && row?.kind === 'push' ? row : undefined;
  };

  /** Puts the events that a notification names on the re-read list: an incremental feed may not reach them. */
  const noteEvents = async (row: ChannelRow, providerEventIds: readonly string[]): Promise<void> => {
    const key = collectionOf(row);
    const state = await storage.mirror.find(key);
    if (state === undefined || providerEventIds.length === 0) return;
    await storage.mirror.commit(key, {
      writes: [],
      basedOn: state.revision,
      at: clock.now(),
      tag: randomHex(random),
      reread: providerEventIds,
    });
  };

  const hint = async (row: ChannelRow) => {
    await storage.schedule.hint(collectionOf(row));
    syncDue.notify();
  };

  const makeUpkeepDue = async (row: ChannelRow, patch: { readonly expiresAt?: number }) => {
    await storage.channels.update(row.applicationId, row.id, { ...patch, renewAt: clock.now() });
    upkeepDue.notify();
  };

  const handle = async (providerType: string, notification: PushNotification): Promise<void> => {
    const row = await authenticate(providerType, notification);
    if (row === undefined) {
      // Usual for a while after a channel was closed or replaced.
      logger.debug('push notification without a channel', { providerType, kind: notification.kind });
      return;
    }
    switch (notification.kind) {
      case 'sync':
        return;
      case 'changed':
        await noteEvents(row, notification.providerEventIds);
        return hint(row);
      case 'missed':
        return hint(row);
      case 'removed':
        await makeUpkeepDue(row, { expiresAt: clock.now() });
        return hint(row);
      case 'reauthorization-required':
        return makeUpkeepDue(row, {});
    }
  };

  return {
    async receive(providerPath, request) {
      const target = registry.findByPath(providerPath);
      if (target === undefined) throw new KalendsError('NotFound', 'There is no such provider.');
      const { response, notifications } = await target.provider.push.receive(request);
      for (const notification of notifications) await handle(target.providerType, notification);
      return response;
    },
  };
}
