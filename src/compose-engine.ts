import {
  composeAccountServices,
  composeAccountSessions,
  createProviderRegistry,
  providerPathOf,
  toPublicError,
  toPullError,
} from './accounts/index.ts';
import { createActivityFeed } from './activity/index.ts';
import {
  createApiKeyService,
  createApiKeyVerifier,
  createApplicationRemoval,
  createApplicationService,
  createOAuthClientService,
  createProviderClients,
} from './applications/index.ts';
import { createAuditService, createAuditTrail, SYSTEM } from './audit/index.ts';
import { createCalendarCreation, createCalendarService } from './calendars/index.ts';
import { createChannelKeeper, createChannelTokens, createPushEcho, createPushService } from './channels/index.ts';
import { createDataKeyService, createSecretCheck } from './data-keys/index.ts';
import { createDiagnosis } from './diagnosis/index.ts';
import { createErasureService } from './erasure/index.ts';
import {
  createAccountBusyReader,
  createAccountsFreeBusy,
  createBusyReader,
  createEventIntents,
  createEventService,
  createFreeBusyService,
  createPeopleBusyReader,
  createSeriesEditResumption,
  readChangedRecords,
} from './events/index.ts';
import { createFeedService } from './feeds/index.ts';
import { composeHolds, withHolds } from './holds/index.ts';
import { createImports } from './imports/index.ts';
import { createIntentKeeper, type SettleIntent } from './intents/index.ts';
import { createHeldLeases, createProviderBudget, isBudgetSpent } from './leases/index.ts';
import { createMeasurementReader, createMeasurementRecorder } from './measurements/index.ts';
import { createMirror } from './mirror/index.ts';
import { createAddressGuard, systemResolveHost } from './network/index.ts';
import { createOperationsService } from './operations/index.ts';
import type { Sealer, StorageTopic } from './ports/index.ts';
import { checkProvider } from './provider-check/index.ts';
import { createPulls } from './pull/index.ts';
import type { ResolvedOptions } from './resolve-options.ts';
import {
  createSealer,
  createTokenSealer,
  createWakeUp,
  joinKeyrings,
  observeProvider,
  observeSender,
  secretIdOf,
} from './runtime/index.ts';
import { createAvailabilityService } from './scheduling/index.ts';
import {
  createDispatcher,
  createEndpointService,
  createMessageCalls,
  createMessageView,
  createOutboundSender,
  createReceiverCheck,
  createSignedPosts,
  createSubscriptionService,
  createTargetOperations,
  createWebhookUrlCheck,
} from './webhooks/index.ts';

/** Composes the engine's parts, each from those above it. Starts nothing. */
export function composeEngine(options: ResolvedOptions) {
  const { storage, secrets, cachedDataKeys, clock, random, logger, publicUrl, sync, onMessage, timeoutMs } = options;
  const base = { storage, clock, random, logger };
  const recorder = options.measurements
    ? createMeasurementRecorder({ ...base, telemetry: options.telemetry })
    : undefined;
  const telemetry = recorder?.telemetry ?? options.telemetry;
  const wakeUps = {
    sync: createWakeUp(clock),
    writes: createWakeUp(clock),
    channels: createWakeUp(clock),
    deliveries: createWakeUp(clock),
    removals: createWakeUp(clock),
    imports: createWakeUp(clock),
    holds: createWakeUp(clock),
  };
  const enqueued = () => wakeUps.deliveries.notify();
  const tokens = (purpose: string) => createTokenSealer(secrets, random, purpose);
  const audit = createAuditTrail(base);
  const activity = createActivityFeed({ commits: storage.commits, clock, logger });

  // Providers and accounts
  const providers = Object.entries(options.providers).map(([providerType, provider]) => [
    providerType,
    checkProvider(observeProvider(provider, { providerType, telemetry, clock, isUnasked: isBudgetSpent })),
  ]);
  const registry = createProviderRegistry(Object.fromEntries(providers));
  const plainSealer = createSealer({
    keyring: joinKeyrings(options.keyrings),
    clock,
    random,
    logger,
    cachedDataKeys,
  });
  const secretCheck = createSecretCheck({
    ...base,
    sealer: plainSealer,
    secretId: secretIdOf(secrets.current),
    lostKeyIds: options.lostKeyIds,
  });
  const sealer: Sealer = {
    ...plainSealer,
    async ready() {
      await secretCheck.requireUsable();
      await plainSealer.ready();
    },
    async createKey(owner) {
      await secretCheck.requireUsable();
      return await plainSealer.createKey(owner);
    },
  };
  const clients = createProviderClients({ ...base, sealer, providerTypes: registry.oauthTypes });
  const leases = createHeldLeases(storage.leases, { clock, logger });
  const budget = createProviderBudget({ storage, clock, logger, telemetry, budgets: options.providerBudgets });
  const sessions = composeAccountSessions({
    ...base,
    audit,
    registry,
    clients,
    sealer,
    admit: budget.admit,
    enqueued,
    telemetry,
  });
  const { access } = sessions;

  // Push channels
  const pushAddress = (providerType: string) => publicUrl && `${publicUrl}/v1/push/${providerPathOf(providerType)}`;
  const channelTokens = createChannelTokens(secrets);
  const echo = createPushEcho(secrets, random);
  const channels = createChannelKeeper({
    ...base,
    accounts: access,
    registry,
    leases,
    tokens: channelTokens,
    pushAddress,
    lifetimeMs: sync.channelLifetimeMs,
    pollWithPushMs: sync.pollWithPushMs,
    pushForReads: sync.pushForReads,
    noteFailure: budget.noteFailure,
    enqueued,
    wakeUp: wakeUps.channels,
    syncDue: wakeUps.sync,
  });
  const push = createPushService({
    ...base,
    registry,
    tokens: channelTokens,
    echo,
    secretCheck,
    activity,
    syncDue: wakeUps.sync,
    upkeepDue: wakeUps.channels,
  });

  // The mirror and its pulls
  const pulls = createPulls({
    ...base,
    leases,
    accounts: access,
    settings: sync,
    budget,
    due: wakeUps.sync,
    enqueued,
    listChanged: channels.coverSoon,
    toPublicError: toPullError,
    readOften: channels.requestForReads,
    telemetry,
    activity,
  });
  const mirror = createMirror({
    storage,
    accounts: access,
    pulls,
    clock,
    random,
    logger,
    enqueued,
    wake: () => wakeUps.sync.notify(),
  });

  // Writes and their intents
  const keeper = createIntentKeeper({
    intents: storage.intents,
    clock,
    random,
    logger,
    wakeUp: wakeUps.writes,
    reconsider: ({ key, groupIds }) => mirror.requestReread(key, groupIds),
    noteFailure: budget.noteFailure,
  });
  const calendarCreation = createCalendarCreation({
    storage,
    keeper,
    accounts: access,
    mirror,
    listChanged: channels.coverSoon,
  });
  const eventIntents = createEventIntents({
    intents: storage.intents,
    keeper,
    accounts: access,
    mirror,
    store: storage.mirror,
    resumeSeriesEdit: createSeriesEditResumption({ logger }),
  });
  const settle: SettleIntent = (held) =>
    held.intent.key.calendarId === null ? calendarCreation.settle(held) : eventIntents.settle(held);

  // Webhooks
  const guard = createAddressGuard(options.allowedNetworks);
  const sender = observeSender(createOutboundSender({ guard, clock }), telemetry);
  const targets = {
    ...base,
    checkReceiver: createReceiverCheck({
      urls: createWebhookUrlCheck({ guard, resolveHost: systemResolveHost, clock }),
      hasHandler: onMessage !== undefined,
    }),
    sealer,
    operations: createTargetOperations({
      ...base,
      audit,
      sealer,
      enqueued,
      deliveryPageSealer: tokens('page:deliveries'),
    }),
  };
  const dispatcher = createDispatcher({
    ...base,
    post: createSignedPosts({ sealer, sender, timeoutMs }),
    show: createMessageView((key, change) => readChangedRecords(storage.mirror, key, change), logger),
    call: onMessage && createMessageCalls({ ...base, telemetry, onMessage, timeoutMs }),
    wakeUp: wakeUps.deliveries,
    telemetry,
    activity,
  });

  // The services of the interface
  const verifier = createApiKeyVerifier({ apiKeys: storage.apiKeys, clock, logger, secrets, secretCheck });
  const redirectUri = (providerType: string) =>
    publicUrl && `${publicUrl}/v1/oauth/callback/${providerPathOf(providerType)}`;
  const { accounts, authorization, removal, expiry } = composeAccountServices({
    ...base,
    audit,
    sessions,
    registry,
    clients,
    secrets,
    publicUrl,
    closeChannels: channels.closeAll,
  });
  const reading = {
    ...base,
    accounts: access,
    mirror,
    syncTokenLifetimeMs: sync.syncTokenLifetimeMs,
    toPublicError,
  };
  const accountBusy = createAccountBusyReader(reading);
  const people = createPeopleBusyReader(reading);
  const applicationRemoval = createApplicationRemoval({
    ...base,
    leases,
    audit,
    wakeUp: wakeUps.removals,
    removeAccount: (account) => removal.remove({ applicationId: account.applicationId, actor: SYSTEM }, account),
  });
  const oauthClients = createOAuthClientService({
    storage,
    clients,
    audit,
    providerTypes: registry.oauthTypes,
    authorizationOf: (providerType) => registry.getOAuth(providerType).authorization,
    redirectUri,
  });
  const subscriptions = createSubscriptionService({
    ...targets,
    accounts: access,
    mirror,
    channels,
    pageSealer: tokens('page:subscriptions'),
  });
  const webhookEndpoints = createEndpointService({ ...targets, pageSealer: tokens('page:endpoints') });
  const allOfEvents = createEventService({
    ...reading,
    keeper,
    intents: eventIntents,
    syncTokens: tokens('sync:events'),
    pageTokens: tokens('page:events'),
  });
  const { findCreated: _found, capabilities: _held, groups: _groups, ...events } = allOfEvents;
  const imports = createImports({
    ...base,
    leases,
    events: allOfEvents,
    audit,
    pageSealer: tokens('page:imports'),
    wakeUp: wakeUps.imports,
  });
  const { run: runHolds, ...slots } = composeHolds({
    ...base,
    mirror,
    secrets,
    leases,
    events: allOfEvents,
    busy: createBusyReader(storage.mirror),
    wakeUp: wakeUps.holds,
  });
  const feeds = createFeedService({ ...base, mirror, audit, secrets, publicUrl, pageSealer: tokens('page:feeds') });
  const wakeByTopic = { schedule: wakeUps.sync, outbox: wakeUps.deliveries };
  const dataKeys = createDataKeyService({ ...base, sealer, keyrings: options.keyrings, secretCheck, audit });
  return {
    activity,
    registry,
    secretCheck,
    renewals: sessions.renewals,
    access,
    channels,
    push,
    pulls,
    mirror,
    /** Settles abandoned write intents until the signal aborts. */
    settleIntents: (signal: AbortSignal) => keeper.run(signal, settle),
    applicationRemoval,
    /** Works on imports until the signal aborts. */
    runImports: imports.run,
    /** Works on holds whose events are to be removed, or were left, until the signal aborts. */
    runHolds,
    dispatcher,
    sender,
    recorder,
    /** Wakes the loop whose work another process has made due. */
    wake: (topic: StorageTopic) => wakeByTopic[topic].notify(),
    services: {
      applications: createApplicationService({
        ...base,
        audit,
        removal: applicationRemoval,
        pageSealer: tokens('page:applications'),
      }),
      oauthClients,
      apiKeys: createApiKeyService({ ...base, verifier, audit, secretCheck, environment: options.environment }),
      audit: createAuditService({ audit: storage.audit, pageSealer: tokens('page:audit') }),
      operations: createOperationsService({
        ...base,
        accounts: access,
        registry,
        expiry,
        budget,
        audit,
        publicUrl,
        operations: targets.operations,
        subscriptions,
        endpoints: webhookEndpoints,
        pageSealer: tokens('page:receivers'),
        wake: () => wakeUps.sync.notify(),
        channels,
        listMeasurements: createMeasurementReader({ measurements: storage.measurements, clock }),
        diagnose: createDiagnosis({
          ...base,
          registry,
          secretCheck,
          dataKeys,
          oauthClients,
          echo,
          resolveHost: systemResolveHost,
          publicUrl,
          hostChecks: options.hostChecks,
        }),
      }),
      accounts,
      authorization,
      calendars: createCalendarService({
        ...reading,
        creation: calendarCreation,
        syncTokens: tokens('sync:calendars'),
        pageTokens: tokens('page:calendars'),
      }),
      events,
      imports: imports.service,
      freeBusy: { ...createFreeBusyService(reading), ...createAccountsFreeBusy(accountBusy, people) },
      availability: createAvailabilityService({
        busy: withHolds(accountBusy, storage.holds),
        people,
        holds: storage.holds,
        clock,
        pageTokens: tokens('page:availability'),
      }),
      ...slots,
      subscriptions,
      webhookEndpoints,
      feeds: feeds.own,
      publicFeeds: feeds.open,
      push: { receive: push.receive },
      erasure: createErasureService({ storage }),
      dataKeys,
    },
  };
}
