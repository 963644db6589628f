import { createAccountRoom } from './accounts/account-room.ts';
import { toPublicError } from './accounts/provider-failure.ts';
import { createProviderRegistry, providerPathOf } from './accounts/provider-registry.ts';
import { createApplicationService } from './applications/application-service.ts';
import { createProviderClients } from './applications/provider-clients.ts';
import { createCalendarCreation } from './calendars/calendar-creation.ts';
import { createCalendarService } from './calendars/calendar-service.ts';
import { createDataKeyService } from './data-keys/data-key-service.ts';
import { createEventService } from './events/event-service.ts';
import { createFreeBusyService } from './events/free-busy-service.ts';
import { createEventIntents } from './events/intents/event-intents.ts';
import { createSplitResumption } from './events/series-edit/series-editor.ts';
import { createIntentKeeper, type IntentKeeper } from './intents/intent-keeper.ts';
import type { StorageTopic } from './ports/index.ts';
import type { ResolvedOptions } from './resolve-options.ts';
import {
  createHeldLeases,
  createSealer,
  createTokenSealer,
  createWakeUp,
  observeProvider,
  observeSender,
} from './runtime/index.ts';
import { createChannelCoverage } from './sync/channel-coverage.ts';
import { type ChannelKeeper, createChannelKeeper } from './sync/channel-keeper.ts';
import { createChannelLock } from './sync/channel-lock.ts';
import { createChannelOpening } from './sync/channel-opening.ts';
import { createChannelTokens } from './sync/channel-token.ts';
import { createMirror } from './sync/create-mirror.ts';
import { createProviderBudget } from './sync/provider-budget.ts';
import { createPushService } from './sync/push-service.ts';
import { createAddressGuard } from './webhooks/address-guard.ts';
import { createDispatcher } from './webhooks/dispatcher.ts';
import { createEndpointService } from './webhooks/endpoint-service.ts';
import { createOutboundSender } from './webhooks/outbound-sender.ts';
import { systemResolveHost } from './webhooks/resolve-host.ts';
import { createSubscriptionService } from './webhooks/subscription-service.ts';
import { createTargetOperations } from './webhooks/target-operations.ts';
import { createWebhookUrlCheck } from './webhooks/webhook-url.ts';

/** Puts the rooms together. Starts nothing. */
export function composeRooms(options: ResolvedOptions) {
  const { storage, secrets, clock, random, logger, telemetry, publicUrl } = options;
  const base = { storage, clock, random, logger };
  const providers = Object.entries(options.providers).map(([providerType, provider]) => [
    providerType,
    observeProvider(provider, { providerType, telemetry, clock }),
  ]);
  const registry = createProviderRegistry(Object.fromEntries(providers));
  const sealer = createSealer(secrets, random);
  const clients = createProviderClients({ ...base, sealer, providerTypes: registry.types });
  const wakeUps = { sync: createWakeUp(clock), upkeep: createWakeUp(clock), deliveries: createWakeUp(clock) };

  const budget = createProviderBudget({
    storage,
    clock,
    logger,
    callsPerMinute: options.providerBudgets,
  });
  const accountRoom = createAccountRoom({
    ...base,
    admit: budget.admit,
    registry,
    clients,
    sealer,
    secrets,
    publicUrl,
    closeChannels: (account, signal) => channels.closeAll(account, signal),
    enqueued: () => wakeUps.deliveries.notify(),
  });
  const { accounts, authorization, access } = accountRoom;

  const enqueued = () => wakeUps.deliveries.notify();
  const mirror = createMirror({
    ...base,
    accounts: access,
    settings: options.sync,
    budget,
    telemetry,
    signals: { due: wakeUps.sync, enqueued },
    toPublicError,
    readOften: (account, calendarId) => channels.wantForReads(account, calendarId),
  });

  const intentsLeft = createWakeUp(clock);
  const keeper: IntentKeeper = createIntentKeeper({
    ...base,
    intents: storage.intents,
    wakeUp: intentsLeft,
    settle: (tracked) =>
      tracked.intent.key.calendarId === null ? calendarCreation.settle(tracked) : eventIntents.settle(tracked),
    reconsider: ({ key, groupIds }) => mirror.lookAgain(key, groupIds),
    noteFailure: budget.noteFailure,
  });
  const calendarCreation = createCalendarCreation({ storage, keeper, accounts: access, mirror });
  const eventIntents = createEventIntents({
    intents: storage.intents,
    keeper,
    accounts: access,
    mirror,
    store: storage.mirror,
    resumeSplit: createSplitResumption({ accounts: access, logger }),
  });

  const pushAddress = (providerType: string) => publicUrl && `${publicUrl}/v1/push/${providerPathOf(providerType)}`;
  const channelTokens = createChannelTokens(secrets);
  const { channelLifetimeMs: lifetimeMs, pollWithPushMs, pushForReads } = options.sync;
  const channels: ChannelKeeper = createChannelKeeper({
    ...base,
    accounts: access,
    registry,
    opening: createChannelOpening({ ...base, accounts: access, tokens: channelTokens, pushAddress, lifetimeMs }),
    lock: createChannelLock(createHeldLeases(storage.leases, { clock, logger }), clock),
    noteFailure: budget.noteFailure,
    coverage: createChannelCoverage({ ...base, pushForReads, enqueued }),
    pushAddress,
    tokens: channelTokens,
    lifetimeMs,
    pollWithPushMs,
    wakeUp: wakeUps.upkeep,
    syncDue: wakeUps.sync,
  });

  const push = createPushService({
    ...base,
    registry,
    tokens: channelTokens,
    syncDue: wakeUps.sync,
    upkeepDue: wakeUps.upkeep,
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
  const sender = observeSender(createOutboundSender({ guard, clock }), telemetry);
  const targets = {
    urls: createWebhookUrlCheck({ guard, resolveHost: systemResolveHost, clock }),
    sealer,
    enqueued,
    operations: createTargetOperations({ ...base, sealer, enqueued, deliveryPageSealer: tokens('page:deliveries') }),
  };
  const wakeByTopic = { schedule: wakeUps.sync, outbox: wakeUps.deliveries };
  return {
    registry,
    /** For work that another process has made due. */
    wake: (topic: StorageTopic) => wakeByTopic[topic].notify(),
    accountRoom,
    access,
    mirror,
    keeper,
    channels,
    /** Ends with the notifications that have been answered. */
    push,
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
        creation: calendarCreation,
        syncTokens: tokens('sync:calendars'),
        pageTokens: tokens('page:calendars'),
      }),
      events: createEventService({
        ...reading,
        keeper,
        intents: eventIntents,
        syncTokens: tokens('sync:events'),
        pageTokens: tokens('page:events'),
      }),
      freeBusy: createFreeBusyService(reading),
      subscriptions: createSubscriptionService({
        ...base,
        accounts: access,
        mirror,
        channels,
        ...targets,
        pageSealer: tokens('page:subscriptions'),
      }),
      webhookEndpoints: createEndpointService({ ...base, ...targets, pageSealer: tokens('page:endpoints') }),
      push: { receive: push.receive },
      dataKeys: createDataKeyService({ ...base, sealer }),
    },
  };
}
