import { createAccountRoom } from './accounts/account-room.ts';
import { toPublicError } from './accounts/provider-failure.ts';
import { createProviderRegistry, providerPathOf } from './accounts/provider-registry.ts';
import { createApplicationService } from './applications/application-service.ts';
import { createProviderClients } from './applications/provider-clients.ts';
import { createCalendarService } from './calendars/calendar-service.ts';
import { createEventService } from './events/event-service.ts';
import { createFreeBusyService } from './events/free-busy-service.ts';
import type { ResolvedOptions } from './resolve-options.ts';
import { createSealer, createTokenSealer, createWakeUp } from './runtime/index.ts';
import { createChannelCoverage } from './sync/channel-coverage.ts';
import { type ChannelKeeper, createChannelKeeper } from './sync/channel-keeper.ts';
import { createChannelLock } from './sync/channel-lock.ts';
import { createChannelOpening } from './sync/channel-opening.ts';
import { createMirror } from './sync/create-mirror.ts';
import { createPushService } from './sync/push-service.ts';
import { createAddressGuard } from './webhooks/address-guard.ts';
import { createDispatcher } from './webhooks/dispatcher.ts';
import { createOutboundSender } from './webhooks/outbound-sender.ts';
import { systemResolveHost } from './webhooks/resolve-host.ts';
import { createSubscriptionService } from './webhooks/subscription-service.ts';
import { createWebhookUrlCheck } from './webhooks/webhook-url.ts';

/** Puts the rooms together. Starts nothing. */
export function composeRooms(options: ResolvedOptions) {
  const { storage, secrets, clock, random, logger, publicUrl } = options;
  const base = { storage, clock, random, logger };
  const registry = createProviderRegistry(options.providers);
  const sealer = createSealer(secrets, random);
  const clients = createProviderClients({ ...base, sealer, providerTypes: registry.types });
  const wakeUps = { sync: createWakeUp(clock), upkeep: createWakeUp(clock), deliveries: createWakeUp(clock) };

  const accountRoom = createAccountRoom({
    ...base,
    registry,
    clients,
    sealer,
    secrets,
    publicUrl,
    closeChannels: (account, signal) => channels.closeAll(account, signal),
  });
  const { accounts, authorization, access } = accountRoom;

  const enqueued = () => wakeUps.deliveries.notify();
  const mirror = createMirror({
    ...base,
    accounts: access,
    settings: options.sync,
    signals: { due: wakeUps.sync, enqueued },
    toPublicError,
    readOften: (account, calendarId) => channels.wantForReads(account, calendarId),
  });

  const pushAddress = (providerType: string) => publicUrl && `${publicUrl}/v1/push/${providerPathOf(providerType)}`;
  const { channelLifetimeMs: lifetimeMs, pollWithPushMs, pushForReads } = options.sync;
  const channels: ChannelKeeper = createChannelKeeper({
    ...base,
    accounts: access,
    registry,
    opening: createChannelOpening({ ...base, accounts: access, pushAddress, lifetimeMs }),
    lock: createChannelLock(storage.leases, clock),
    coverage: createChannelCoverage({ ...base, pushForReads, enqueued }),
    pushAddress,
    lifetimeMs,
    pollWithPushMs,
    wakeUp: wakeUps.upkeep,
    syncDue: wakeUps.sync,
  });

  const tokens = (purpose: string) => createTokenSealer(secrets, random, purpose);
  const reading = {
    ...base,
    accounts: access,
    mirror,
    syncTokenLifetimeMs: options.sync.syncTokenLifetimeMs,
    toPublicError,
  };
  const guard = createAddressGuard(options.allowedNetworks);
  const sender = createOutboundSender({ guard, clock });
  return {
    registry,
    accountRoom,
    access,
    mirror,
    channels,
    sender,
    dispatcher: createDispatcher({
      ...base,
      sealer,
      sender,
      wakeUp: wakeUps.deliveries,
      timeoutMs: options.timeoutMs,
    }),
    services: {
      applications: createApplicationService({ ...base, secrets, environment: options.environment, clients }),
      accounts,
      authorization,
      calendars: createCalendarService({
        ...reading,
        syncTokens: tokens('sync:calendars'),
        pageTokens: tokens('page:calendars'),
      }),
      events: createEventService({
        ...reading,
        syncTokens: tokens('sync:events'),
        pageTokens: tokens('page:events'),
      }),
      freeBusy: createFreeBusyService(reading),
      subscriptions: createSubscriptionService({
        ...base,
        accounts: access,
        mirror,
        channels,
        urls: createWebhookUrlCheck({ guard, resolveHost: systemResolveHost, clock }),
        sealer,
        pageSealer: tokens('page:subscriptions'),
      }),
      push: createPushService({ ...base, registry, syncDue: wakeUps.sync, upkeepDue: wakeUps.upkeep }),
    },
  };
}
