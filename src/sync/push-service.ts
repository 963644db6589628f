import { timingSafeEqual } from 'node:crypto';
import type { ProviderRegistry } from '../accounts/provider-registry.ts';
import {
  type ChannelRow,
  type Clock,
  KalendsError,
  type Logger,
  type PushNotification,
  type Storage,
} from '../ports/index.ts';
import type { WakeUp } from '../runtime/index.ts';
import type { PushService } from '../services.ts';
import { collectionOf, hashToken } from './channel-opening.ts';

/** A request that names more unknown channels than this comes from no provider: anybody may send one. */
const MAX_STRANGERS = 50;

/** Providers' notifications: marks what they name as due and answers at once. */
export function createPushService(dependencies: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
  /** Notified when channel upkeep has become due. */
  readonly upkeepDue: WakeUp;
}): PushService {
  const { storage, registry, clock, logger, syncDue, upkeepDue } = dependencies;

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
    if (providerEventIds.length > 0) await storage.mirror.addRereads(collectionOf(row), providerEventIds);
  };

  const hint = async (row: ChannelRow) => {
    await storage.schedule.hint(collectionOf(row));
    syncDue.notify();
  };

  const makeUpkeepDue = async (row: ChannelRow, patch: { readonly expiresAt?: number }) => {
    await storage.channels.update(row.applicationId, row.id, { ...patch, renewAt: clock.now() });
    upkeepDue.notify();
  };

  const act = async (row: ChannelRow, notification: PushNotification): Promise<void> => {
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

  const handle = async (providerType: string, notifications: readonly PushNotification[]): Promise<void> => {
    let strangers = 0;
    for (const notification of notifications) {
      const row = await authenticate(providerType, notification);
      if (row !== undefined) await act(row, notification);
      else strangers += 1;
      if (strangers === MAX_STRANGERS) break;
    }
    // Some are usual for a while after a channel was closed or replaced.
    if (strangers > 0) logger.debug('push notifications without a channel', { providerType, strangers });
  };

  return {
    async receive(providerPath, request) {
      const target = registry.findByPath(providerPath);
      if (target === undefined) throw new KalendsError('NotFound', 'There is no such provider.');
      const { response, notifications } = await target.provider.push.receive(request);
      await handle(target.providerType, joinAlike(notifications));
      return response;
    },
  };
}

/** Notifications that differ in nothing but the events they name become one. */
function joinAlike(notifications: readonly PushNotification[]): readonly PushNotification[] {
  const joined = new Map<string, { readonly first: PushNotification; readonly ids: Set<string> }>();
  for (const notification of notifications) {
    const { providerChannelId, token, kind, providerEventIds } = notification;
    const key = JSON.stringify([providerChannelId, token, kind]);
    const entry = joined.get(key) ?? { first: notification, ids: new Set<string>() };
    for (const id of providerEventIds) entry.ids.add(id);
    joined.set(key, entry);
  }
  return [...joined.values()].map(({ first, ids }) => ({ ...first, providerEventIds: [...ids] }));
}
