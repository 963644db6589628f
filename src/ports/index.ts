export { KalendsError } from '../errors.ts';
export type { Clock } from './clock.ts';
export type { CreationKey } from './creation-key.ts';
export type { Fetch, OutboundPost, OutboundResult, OutboundSender } from './http.ts';
export type { LogFields, Logger } from './logger.ts';
export type { Provider } from './provider.ts';
export type { ProviderAuthorization, ProviderClient, ProviderIdentity, TokenGrant } from './provider-authorization.ts';
export type { CalendarChange, CalendarPage, ProviderCalendar, ProviderCalendars } from './provider-calendars.ts';
export { ProviderError, type ProviderErrorOptions, type ProviderFailureReason } from './provider-error.ts';
export type { EventChange, EventContent, EventPage, ProviderEvent, SlotStart } from './provider-event.ts';
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
export type { Sealer } from './sealer.ts';
export type { Storage } from './storage.ts';
export type { AccountRow, AccountStore, CredentialRow } from './storage-accounts.ts';
export type {
  ApiKeyRow,
  ApplicationRow,
  ApplicationStore,
  AuthorizationRow,
  ProviderConfigRow,
} from './storage-applications.ts';
export type {
  CollectionKey,
  CollectionState,
  Commit,
  CommitResult,
  ItemVersion,
  ItemWrite,
  MirrorStore,
} from './storage-mirror.ts';
export type { ChannelRow, ChannelStore, LeaseStore, ScheduleState, ScheduleStore } from './storage-sync.ts';
export type {
  AttemptRow,
  DeliveryClaim,
  DeliveryOutcome,
  MessageRow,
  OutboxStore,
  SubscriptionRow,
  SubscriptionStore,
} from './storage-webhooks.ts';
