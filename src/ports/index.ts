export { KalendsError } from '../errors.ts';
export type { Clock } from './clock.ts';
export type { Finding, HostCheck } from './finding.ts';
export type { Fetch, OutboundPost, OutboundResult, OutboundSender } from './http.ts';
export { type Keyring, KeyringError, type KeyringFailureReason, keyIdOf } from './keyring.ts';
export type { LogFields, Logger } from './logger.ts';
export type {
  AccountCredentials,
  CredentialAuthorization,
  VerifiedCredentials,
} from './provider/account-credentials.ts';
export { type Availability, availabilityAs, DEFAULT_AVAILABILITY, shownAs } from './provider/availability.ts';
export { exceptionContent, shownContent } from './provider/exception-content.ts';
export {
  LONGEST_MIRRORED_DESCRIPTION,
  LONGEST_MIRRORED_TEXT,
  mirroredDescription,
  mirroredText,
} from './provider/mirrored-text.ts';
export type { CredentialProvider, OAuthProvider, Provider } from './provider/provider.ts';
export type {
  ProviderAuthorization,
  ProviderClient,
  ProviderIdentity,
  PublicClient,
  TokenGrant,
} from './provider/provider-authorization.ts';
export type {
  CalendarChange,
  CalendarPage,
  ProviderCalendar,
  ProviderCalendars,
} from './provider/provider-calendars.ts';
export type {
  AttendeeCapabilities,
  MeetingCapabilities,
  OccurrenceCapabilities,
  ProviderCapabilities,
  RecurrenceCapabilities,
  ReminderCapabilities,
} from './provider/provider-capabilities.ts';
export { ProviderError, type ProviderErrorOptions, type ProviderFailureReason } from './provider/provider-error.ts';
export type {
  EventChange,
  EventContent,
  EventOverrides,
  EventPage,
  ProviderEvent,
  RecurrenceId,
  UncopyableField,
  Untold,
} from './provider/provider-event.ts';
export type {
  CalendarRef,
  ContinuedSeries,
  EventPatch,
  EventTag,
  EventTarget,
  GetOptions,
  NewEvent,
  NotifyOptions,
  ProviderEvents,
  PullKnowledge,
  RespondOptions,
  WriteOptions,
} from './provider/provider-events.ts';
export type { PersonBusy, PersonBusySpan, ProviderFreeBusy } from './provider/provider-free-busy.ts';
export type { ProviderPush, PushChannelGrant, PushNotification, PushResource } from './provider/provider-push.ts';
export type { ProviderSession } from './provider/provider-session.ts';
export { readJson } from './provider/read-json.ts';
export {
  EXPRESSIBLE,
  readObject,
  readObjectLater,
  requireExpressible,
  separateUnreadable,
  type UnreadableObject,
  unreadableField,
} from './provider/unreadable-object.ts';
export type { Random } from './random.ts';
export type { DataKey, Sealer } from './sealer.ts';
export type {
  AccountNotice,
  AccountRow,
  AccountStore,
  AnnounceAccount,
  AuditAccount,
  CredentialRow,
  SignInRow,
  TokenRow,
} from './storage/account-store.ts';
export type { ApiKeyRow, ApiKeyStore } from './storage/api-key-store.ts';
export type { ApplicationRow, ApplicationStore } from './storage/application-store.ts';
export type { ActorType, AuditFilter, AuditPlace, AuditRow, AuditStore } from './storage/audit-store.ts';
export type { CreationKey } from './storage/creation-key.ts';
export {
  type DataKeyKind,
  type DataKeyRow,
  type DataKeyStore,
  WRAPPING_NAME_LENGTH,
} from './storage/data-key-store.ts';
export type { ErasureStore, OwnerlessRows, Trace } from './storage/erasure-store.ts';
export type { FeedRow, FeedStore } from './storage/feed-store.ts';
export {
  type DatabaseHealth,
  type Databases,
  type DatabaseTrouble,
  type HealthStore,
  type SchemaState,
  SECRET_NOTICE_MS,
  STATS_LIMIT,
  type StorageState,
  type StorageStats,
} from './storage/health-store.ts';
export type {
  AssignmentCount,
  AssignmentOrder,
  Candidate,
  ConfirmationBegun,
  HeldSlot,
  HoldParticipant,
  HoldReach,
  HoldRow,
  HoldState,
  HoldStore,
  HoldTaken,
  NewHold,
  SeenCalendar,
  TakenSlot,
} from './storage/hold-store.ts';
export {
  type ImportHold,
  type ImportItem,
  type ImportItemState,
  type ImportProblem,
  type ImportRef,
  type ImportRow,
  type ImportState,
  type ImportStore,
  ITEM_LENGTH,
  type ItemOutcome,
  type WaitingItem,
} from './storage/import-store.ts';
export type {
  ClaimedIntent,
  HeldGroups,
  IntentBegun,
  IntentKind,
  IntentRef,
  IntentRow,
  IntentStore,
  StoredIntent,
} from './storage/intent-store.ts';
export type { MeasurementRow, MeasurementStore } from './storage/measurement-store.ts';
export {
  type BusyItem,
  type BusyItems,
  type BusyQuery,
  type BusyRanges,
  type CollectionKey,
  type CollectionState,
  type Commit,
  type CommitResult,
  type GroupQuery,
  type ItemVersion,
  type ItemWrite,
  type LeftByCommit,
  MAX_BUSY_COLLECTIONS,
  MAX_COMMIT_WRITES,
  type MirrorStore,
  type Reread,
  type TouchedGroup,
  type TouchedItems,
  type TouchedQuery,
  type UnreadableChanges,
  type UnreadablePlace,
  type UnreadableRow,
  type UnreadableWrite,
} from './storage/mirror-store.ts';
export type { ProviderConfigRow, ProviderConfigStore } from './storage/provider-config-store.ts';
export type { PullStart, PullStore, PushCover } from './storage/pull-store.ts';
export type { CalendarContext, ReadContext, ReadStore, WriteContext } from './storage/read-store.ts';
export type { Storage, StorageChanges, StorageTopic } from './storage/storage.ts';
export type { Committed, StorageCommits } from './storage/storage-commits.ts';
export { StorageUnavailableError } from './storage/storage-unavailable-error.ts';
export {
  type ChannelRow,
  type ChannelStore,
  type DueAccount,
  type FinishedPull,
  type HeldLease,
  type LeaseStore,
  OUTAGE_GRACE_MS,
  type PullFailure,
  type ScheduleRow,
  type ScheduleState,
  type ScheduleStore,
} from './storage/sync-stores.ts';
export type { UsedStateStore } from './storage/used-state-store.ts';
export {
  type Acknowledgement,
  type AttemptRow,
  type ClaimInput,
  type DeliveryCapacity,
  type DeliveryClaim,
  type DeliveryFence,
  type DeliveryOutcome,
  type EndpointStore,
  MAX_WAITING_RECORDS,
  type MessageRow,
  type OutboxStore,
  type OutboxTurn,
  type ReceiverRow,
  type SubscriptionRow,
  type SubscriptionStore,
  type TargetRow,
  type TargetStore,
  type ToldChange,
} from './storage/webhook-stores.ts';
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
