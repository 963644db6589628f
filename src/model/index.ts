export {
  accountStatus,
  accountUpsert,
  bearerCredentials,
  credentials,
  endUserAccount,
  passwordCredentials,
  tokenCredentials,
  urlCredentials,
} from './account.ts';
export { accountConnect } from './account-connect.ts';
export { accountFreeBusy, accountsFreeBusyQuery, accountsFreeBusyResult } from './accounts-free-busy.ts';
export { activitiesLost, activity, activityQuery, activityType, streamedActivity } from './activity.ts';
export {
  actorType,
  apiKey,
  apiKeyCreate,
  apiKeyCreated,
  application,
  applicationCreate,
  applicationListQuery,
  applicationUpdate,
  auditEntry,
  auditListQuery,
  diagnosis,
  finding,
  MOST_REDIRECT_URLS,
  oauthClient,
  oauthClientSet,
  oauthClientTest,
  redirectUrlAdd,
  redirectUrlRemove,
} from './administration.ts';
export { assignmentPool } from './assignment-pool.ts';
export {
  accountCalendars,
  availabilityExplainQuery,
  availabilityGroup,
  availabilityParticipant,
  availabilityQuery,
  availabilityResult,
  availableRange,
  availableSlot,
  bookingInput,
  busyIntervalInput,
  MOST_ADDRESSES,
  MOST_CALENDARS,
  slotExplanation,
  slotObstacle,
} from './availability.ts';
export { availabilityRules, dayHours, openHoursException, weekday, weeklyHours } from './availability-rules.ts';
export { calendar, calendarCreate, calendarUpdate, deletedCalendar } from './calendar.ts';
export { calendarImport, importCreateQuery, importGetQuery, importProblemEntry } from './calendar-import.ts';
export {
  calendarEvent,
  conferenceData,
  conferenceDetails,
  deletedEvent,
  eventAttendee,
  eventDateTime,
  eventType,
  originalStart,
  reminders,
  responseStatus,
  transparency,
  visibility,
} from './event.ts';
export { eventAttachment, eventAttachmentList } from './event-attachment.ts';
export { descriptionFormat, eventDescription, eventDescriptionQuery } from './event-description.ts';
export {
  attendeeKind,
  EXTENSION_FIELDS,
  type ExtensionField,
  eventStatus,
  locationDetails,
  showAs,
} from './event-extensions.ts';
export {
  conferenceDataInput,
  DERIVED_EVENT_FIELDS,
  eventAttendeeInput,
  eventAttendeeUpdate,
  eventCreate,
  eventDateTimeInput,
  eventUpdate,
  IGNORED_EVENT_FIELDS,
  MAX_EXTENDED_PROPERTIES,
  rsvpBody,
} from './event-input.ts';
export { feed, feedCreate, feedCreated, feedListQuery } from './feed.ts';
export { feedPublish } from './feed-publish.ts';
export { FORBIDDEN_KEY_MESSAGE, findForbiddenKey, requireSafeShape, requireStorableText } from './forbidden-key.ts';
export { BUSY_TYPES, busySlot, busyType, calendarBusySlots, freeBusyQuery, freeBusyResult } from './free-busy.ts';
export {
  booking,
  bookingMove,
  freeSlot,
  hold,
  holdAssignment,
  holdCandidate,
  holdConfirm,
  holdCreate,
  holdEvent,
  holdParticipant,
  holdParticipantInput,
  holdRoundRobin,
  MOST_HOLD_CALENDARS,
  participantEvent,
  tentativeEvent,
} from './hold.ts';
export type {
  AccountStatus,
  AccountUpsert,
  AccountUpsertFields,
  BearerCredentials,
  Credentials,
  EndUserAccount,
  PasswordCredentials,
  TokenCredentials,
  UrlCredentials,
} from './interfaces/account.ts';
export type {
  AccountFreeBusy,
  AccountsFreeBusyQuery,
  AccountsFreeBusyResult,
} from './interfaces/accounts-free-busy.ts';
export type { ActivitiesLost, Activity, ActivityQuery, ActivityType, StreamedActivity } from './interfaces/activity.ts';
export type {
  ActorType,
  ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  Application,
  ApplicationCreate,
  ApplicationListQuery,
  ApplicationUpdate,
  AuditEntry,
  AuditListQuery,
  Diagnosis,
  Finding,
  OAuthClient,
  OAuthClientSet,
  OAuthClientTest,
  RedirectUrlAdd,
  RedirectUrlRemove,
} from './interfaces/administration.ts';
export type { AssignmentPool } from './interfaces/assignment-pool.ts';
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
} from './interfaces/availability.ts';
export type {
  AvailabilityRules,
  DayHours,
  OpenHoursException,
  Weekday,
  WeeklyHours,
} from './interfaces/availability-rules.ts';
export type { Calendar, CalendarCreate, CalendarUpdate, DeletedCalendar } from './interfaces/calendar.ts';
export type {
  CalendarImport,
  ImportCreateQuery,
  ImportGetQuery,
  ImportProblemEntry,
} from './interfaces/calendar-import.ts';
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
} from './interfaces/event.ts';
export type { EventAttachment, EventAttachmentList } from './interfaces/event-attachment.ts';
export type { DescriptionFormat, EventDescription, EventDescriptionQuery } from './interfaces/event-description.ts';
export type { AttendeeKind, EventStatus, LocationDetails, ShowAs } from './interfaces/event-extensions.ts';
export type {
  ConferenceDataInput,
  EventAttendeeInput,
  EventCreate,
  EventDateTimeInput,
  EventUpdate,
  RsvpBody,
} from './interfaces/event-input.ts';
export type { Feed, FeedCreate, FeedCreated, FeedListQuery } from './interfaces/feed.ts';
export type { BusySlot, BusyType, CalendarBusySlots, FreeBusyQuery, FreeBusyResult } from './interfaces/free-busy.ts';
export type {
  Booking,
  BookingMove,
  FreeSlot,
  Hold,
  HoldAssignment,
  HoldCandidate,
  HoldConfirm,
  HoldCreate,
  HoldEvent,
  HoldParticipant,
  HoldParticipantInput,
  HoldRoundRobin,
  ParticipantEvent,
  TentativeEvent,
} from './interfaces/hold.ts';
export type {
  MeasurementList,
  MeasurementPoint,
  MeasurementQuery,
  MeasurementSeries,
} from './interfaces/measurement.ts';
export type { NotConnectedPerson, PersonAddress } from './interfaces/not-connected.ts';
export type {
  CollectionHealth,
  Receiver,
  ReceiverListQuery,
  ReconnectLink,
  SyncHealth,
  SyncHealthQuery,
  SyncProgress,
} from './interfaces/operations.ts';
export type { QueryBoolean } from './interfaces/primitives.ts';
export type { ErrorCode, Problem } from './interfaces/problem.ts';
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
} from './interfaces/queries.ts';
export type { BearerSignIn, PasswordSignIn, SignIn, UrlSignIn } from './interfaces/sign-in.ts';
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
} from './interfaces/subscription.ts';
export type { UnreadableListQuery, UnreadableObject } from './interfaces/unreadable-object.ts';
export type {
  DeliveryErrorClass,
  DeliveryListQuery,
  RecoverBody,
  RedeliverBody,
  SecretRotated,
  WebhookDelivery,
} from './interfaces/webhook-delivery.ts';
export type {
  AccountMessage,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointCreated,
  WebhookEndpointListQuery,
  WebhookMessage,
} from './interfaces/webhook-endpoint.ts';
export {
  MEASUREMENT_STEPS,
  measurementList,
  measurementPoint,
  measurementQuery,
  measurementSeries,
} from './measurement.ts';
export { notConnectedPerson, personAddress } from './not-connected.ts';
export {
  collectionHealth,
  receiver,
  receiverListQuery,
  reconnectLink,
  syncHealth,
  syncHealthQuery,
  syncProgress,
} from './operations.ts';
export { pageSizeOf } from './page-size.ts';
export { parseInput } from './parse.ts';
export { PAGE_SIZE, pageParameters, queryBoolean, queryInteger } from './primitives.ts';
export { errorCode, problem } from './problem.ts';
export {
  accountListQuery,
  authorizeQuery,
  calendarListQuery,
  editScope,
  eventGetQuery,
  eventListQuery,
  eventNotifyQuery,
  eventWriteQuery,
  FILTERED_EVENT_TYPES,
  notifyAttendees,
  occurrenceListQuery,
  subscriptionListQuery,
} from './queries.ts';
export { bearerSignIn, passwordSignIn, signIn, urlSignIn } from './sign-in.ts';
export {
  accountMessageType,
  calendarMessage,
  calendarMessageType,
  eventMessage,
  eventMessageType,
  messageFormat,
  messageType,
  subscriptionCreate,
  subscriptionCreated,
  subscriptionDetail,
  subscriptionType,
  webhookSubscription,
} from './subscription.ts';
export { unreadableListQuery, unreadableObject } from './unreadable-object.ts';
export {
  deliveryErrorClass,
  deliveryListQuery,
  recoverBody,
  redeliverBody,
  secretRotated,
  webhookDelivery,
} from './webhook-delivery.ts';
export {
  accountMessage,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointCreated,
  webhookEndpointListQuery,
  webhookMessage,
} from './webhook-endpoint.ts';
