export type { AccountCalls, AccountDeleted } from './account-calls.ts';
export { type AuthorizeUrlOptions, authorizeUrl } from './authorize-url.ts';
export type { CalendarCalls } from './calendar-calls.ts';
export type { CallOptions, CreateOptions, Fetch, Success } from './call.ts';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export {
  ApiError,
  ClientError,
  ConnectionError,
  CopyMismatchError,
  type FailedRequest,
  InvalidAnswerError,
  TimeoutError,
} from './errors.ts';
export type {
  EventCalls,
  EventCreateOptions,
  EventWriteOptions,
  NotifyOptions,
  RespondOptions,
} from './event-calls.ts';
export type { FeedCalls } from './feed-calls.ts';
export type { BookingCalls, HoldCalls } from './hold-calls.ts';
export type { ClientHooks, RequestInfo } from './hooks.ts';
export type { Listing, ListPage } from './listing.ts';
export { type MemoryStore, memoryStore } from './memory-store.ts';
export type { AccountStatus, AccountUpsert, Credentials, EndUserAccount } from './model/account.ts';
export type { AccountFreeBusy, AccountsFreeBusyQuery, AccountsFreeBusyResult } from './model/accounts-free-busy.ts';
export type {
  AccountCalendars,
  AvailabilityExplainQuery,
  AvailabilityGroup,
  AvailabilityParticipant,
  AvailabilityQuery,
  AvailabilityResult,
  AvailableRange,
  AvailableSlot,
  BookingInput,
  BusyIntervalInput,
  SlotExplanation,
  SlotObstacle,
} from './model/availability.ts';
export type {
  AvailabilityRules,
  DayHours,
  OpenHoursException,
  Weekday,
  WeeklyHours,
} from './model/availability-rules.ts';
export type { Calendar, CalendarCreate, CalendarUpdate, DeletedCalendar } from './model/calendar.ts';
export type {
  CalendarImport,
  ImportCreateQuery,
  ImportGetQuery,
  ImportProblemEntry,
} from './model/calendar-import.ts';
export { ERROR_CODES } from './model/error-codes.ts';
export type {
  CalendarEvent,
  ConferenceData,
  ConferenceDetails,
  DeletedEvent,
  EventAttendee,
  EventDateTime,
  EventType,
  OriginalStart,
  Reminders,
  ResponseStatus,
  Transparency,
  Visibility,
} from './model/event.ts';
export type { EventAttachment, EventAttachmentList } from './model/event-attachment.ts';
export type { DescriptionFormat, EventDescription, EventDescriptionQuery } from './model/event-description.ts';
export type { AttendeeKind, EventStatus, LocationDetails, ShowAs } from './model/event-extensions.ts';
export type {
  ConferenceDataInput,
  EventAttendeeInput,
  EventCreate,
  EventDateTimeInput,
  EventUpdate,
  RsvpBody,
} from './model/event-input.ts';
export type { Feed, FeedCreate, FeedCreated, FeedListQuery } from './model/feed.ts';
export type { BusySlot, BusyType, CalendarBusySlots, FreeBusyQuery, FreeBusyResult } from './model/free-busy.ts';
export type {
  Booking,
  BookingMove,
  FreeSlot,
  Hold,
  HoldConfirm,
  HoldCreate,
  HoldEvent,
  HoldParticipant,
} from './model/hold.ts';
export type { NotConnectedPerson, PersonAddress } from './model/not-connected.ts';
export type { QueryBoolean } from './model/primitives.ts';
export type { ErrorCode, Problem } from './model/problem.ts';
export type {
  AccountListQuery,
  AuthorizeQuery,
  CalendarListQuery,
  EditScope,
  EventGetQuery,
  EventListFields,
  EventListQuery,
  EventNotifyQuery,
  EventWriteQuery,
  NotifyAttendees,
  OccurrenceListQuery,
  SubscriptionListQuery,
} from './model/queries.ts';
export type {
  AccountMessageType,
  CalendarMessage,
  CalendarMessageType,
  EventMessage,
  EventMessageType,
  MessageFormat,
  MessageType,
  SubscriptionCreate,
  SubscriptionCreated,
  SubscriptionDetail,
  SubscriptionType,
  WebhookSubscription,
} from './model/subscription.ts';
export type { UnreadableListQuery, UnreadableObject } from './model/unreadable-object.ts';
export type {
  DeliveryErrorClass,
  DeliveryListQuery,
  RecoverBody,
  RedeliverBody,
  SecretRotated,
  WebhookDelivery,
} from './model/webhook-delivery.ts';
export type {
  AccountMessage,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointCreated,
  WebhookEndpointListQuery,
  WebhookMessage,
} from './model/webhook-endpoint.ts';
export type { CopyChanges, PresentQuery, RecordStore, SyncResult } from './sync.ts';
export type { ReceiverCalls, SubscriptionCalls, WebhookEndpointCalls } from './webhook-calls.ts';
