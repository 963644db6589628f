import type { ProviderRegistry } from '../accounts/index.ts';
import type { ActivityFeed } from '../activity/index.ts';
import type { SecretCheck } from '../data-keys/index.ts';
import type { PushService } from '../engine-interface.ts';
import {
  type ChannelRow,
  type Clock,
  KalendsError,
  type Logger,
  type PushNotification,
  type Storage,
} from '../ports/index.ts';
import { nextTurn, type WakeUp } from '../runtime/index.ts';
import { collectionOf, REAUTHORIZATION_MS } from './channel-opening.ts';
import type { ChannelTokens } from './channel-token.ts';
import { type ChannelNotifications, NotificationQueue } from './notification-queue.ts';
import type { PushEcho } from './push-echo.ts';

/** Forged notifications verified in one turn of the event loop: the endpoint is unauthenticated. */
const FORGED_PER_TURN = 50;

/** Receives providers' notifications: verifies them, responds at once, and then makes their collections due. */
export function createPushService({
  storage,
  registry,
  tokens,
  echo,
  secretCheck,
  activity,
  clock,
  logger,
  syncDue,
  upkeepDue,
}: {
  readonly storage: Storage;
  readonly registry: ProviderRegistry;
  readonly tokens: ChannelTokens;
  readonly echo: Pick<PushEcho, 'answer'>;
  readonly secretCheck: Pick<SecretCheck, 'requireComplete'>;
  readonly activity: Pick<ActivityFeed, 'tell'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Notified when a collection has become due. */
  readonly syncDue: WakeUp;
  /** Notified when channel upkeep has become due. */
  readonly upkeepDue: WakeUp;
}): PushService & Pick<NotificationQueue, 'settled' | 'stop'> {
  const act = async (row: ChannelRow, { kinds, providerEventIds, isNamed }: ChannelNotifications): Promise<void> => {
    // An incremental feed may not list the events that a notification names.
    if (providerEventIds.size > 0) await storage.mirror.addRereads(collectionOf(row), [...providerEventIds]);
    const isRemoved = kinds.has('removed');
    if (isRemoved || kinds.has('reauthorization-required')) {
      const now = clock.now();
      const expiresAt = isRemoved ? now : Math.min(row.expiresAt, now + REAUTHORIZATION_MS);
      await storage.channels.update(row.applicationId, row.id, { renewAt: now, expiresAt });
      upkeepDue.notify();
    }
    if (isRemoved || kinds.has('changed') || kinds.has('missed')) {
      await storage.schedule.hint(collectionOf(row), { isNamed });
      syncDue.notify();
    }
    activity.tell({
      type: 'notification.received',
      applicationId: row.applicationId,
      endUserAccountId: row.accountId,
      calendarId: row.calendarId,
      providerType: row.providerType,
      kinds: [...kinds].filter((kind) => kind !== 'sync'),
    });
  };

  const queue = new NotificationQueue({ read: (ids) => storage.channels.findMany(ids), act, clock, logger });

  /**
   * Queues the genuine notifications of a request. A provider may put foreign ones for our address into the same request, so
   * each is verified by itself. A forged one costs an HMAC and no look-up.
   */
  const take = async (providerType: string, notifications: readonly PushNotification[]) => {
    let [genuine, forged] = [0, 0];
    for (const notification of notifications) {
      const channelId = tokens.verify(notification.token ?? '');
      if (channelId === undefined) {
        forged += 1;
        if (forged % FORGED_PER_TURN === 0) await nextTurn();
        continue;
      }
      genuine += 1;
      if (notification.kind !== 'sync') await queue.add(channelId, providerType, notification);
    }
    if (forged > 0) logger.debug('forged push notifications', { providerType, forged });
    return { genuine, forged };
  };

  return {
    async receive(providerPath, request) {
      const target = registry.findByPath(providerPath);
      if (target === undefined) throw new KalendsError('NotFound', 'There is no such provider.');
      const answer = echo.answer(request.url);
      if (answer !== undefined) {
        const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
        return { response: new Response(answer, { headers }), genuine: 0, forged: 0 };
      }
      const { response, notifications } = await target.provider.push.receive(request);
      const taken = await take(target.providerType, notifications);
      // While a secret is missing, a genuine token looks forged: a 503 has the provider send the notification again.
      if (taken.forged > 0 && taken.genuine === 0) await secretCheck.requireComplete();
      return { response, ...taken };
    },
    settled: () => queue.settled(),
    stop: () => queue.stop(),
  };
}
