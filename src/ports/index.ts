export { KalendsError } from '../errors.ts';
export type { Clock } from './clock.ts';
export type { CreationKey } from './creation-key.ts';
export { exceptionContent, shownContent } from './exception-content.ts';
export type { Fetch, OutboundPost, OutboundResult, OutboundSender } from './http.ts';
export type { LogFields, Logger } from './logger.ts';
export { LONGEST_MIRRORED_DESCRIPTION, mirroredDescription } from './mirrored-description.ts';
export type { Provider } from './provider.ts';
export type { ProviderAuthorization, ProviderClient, ProviderIdentity, TokenGrant } from './provider-authorization.ts';
export type { CalendarChange, CalendarPage, ProviderCalendar, ProviderCalendars } from './provider-calendars.ts';
export type {
  AttendeeCapabilities,
  MeetingCapabilities,
  OccurrenceCapabilities,
  ProviderCapabilities,
  RecurrenceCapabilities,
  ReminderCapabilities,
} from './provider-capabilities.ts';
export { ProviderError, type ProviderErrorOptions, type ProviderFailureReason } from './provider-error.ts';
export type {
  EventChange,
  EventContent,
  EventOverrides,
  EventPage,
  ProviderEvent,
  RecurrenceId,
} from './provider-event.ts';
export type {
  CalendarRef,
  EventPatch,
  EventTarget,
  NewEvent,
  ProviderEvents,
  WriteOptions,
} from './provider-events.ts';
export type { ProviderPush, PushChannelGrant, PushNotification, PushResource } from './provider-push.ts';
export type { ProviderSession } from './provider-session.ts';
export type { Random } from './random.ts';
export { readJson } from './read-json.ts';
export type { Sealer } from './sealer.ts';
export type { Storage, StorageChanges, StorageTopic } from './storage.ts';
export type { AccountNotice, AccountRow, AccountStore, AnnounceAccount, CredentialRow } from './storage-accounts.ts';
export type { ApiKeyRow, ApiKeyStore } from './storage-api-keys.ts';
export type { ApplicationRow, ApplicationStore } from './storage-applications.ts';
export type { AuditEntry, AuditStore } from './storage-audit.ts';
export type { DataKeyKind, DataKeyRow, DataKeyStore } from './storage-data-keys.ts';
export {
  type HealthStore,
  type SchemaState,
  STATS_LIMIT,
  type StorageState,
  type StorageStats,
} from './storage-health.ts';
export type {
  ClaimedIntent,
  IntentBegun,
  IntentKind,
  IntentRef,
  IntentRow,
  IntentStore,
  StoredIntent,
} from './storage-intents.ts';
export type {
  CollectionKey,
  CollectionState,
  Commit,
  CommitResult,
  GroupQuery,
  ItemVersion,
  ItemWrite,
  MirrorStore,
  Reread,
  TouchedGroup,
  TouchedItems,
  TouchedQuery,
} from './storage-mirror.ts';
export type { ProviderConfigRow, ProviderConfigStore } from './storage-provider-configs.ts';
export type { CalendarStart, ReadStart, ReadStore } from './storage-reads.ts';
export {
  type ChannelRow,
  type ChannelStore,
  type HeldLease,
  type LeaseStore,
  OUTAGE_GRACE_MS,
  type ScheduleState,
  type ScheduleStore,
} from './storage-sync.ts';
export { StorageUnavailableError } from './storage-unavailable-error.ts';
export type { UsedStateStore } from './storage-used-states.ts';
export type {
  Acknowledgement,
  AttemptRow,
  ClaimInput,
  DeliveryCapacity,
  DeliveryClaim,
  DeliveryFence,
  DeliveryOutcome,
  EndpointStore,
  MessageRow,
  OutboxStore,
  OutboxTurn,
  SubscriptionRow,
  SubscriptionStore,
  TargetRow,
  TargetStore,
} from './storage-webhooks.ts';
export {
  COUNTERS,
  type CounterName,
  HISTOGRAMS,
  type HistogramName,
  type MetricLabels,
  NO_TELEMETRY,
  type Telemetry,
} from './telemetry.ts';
export { withoutTrailing } from './without-trailing.ts';
