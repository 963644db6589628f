export {
  type AccountStatus,
  type AccountUpsert,
  accountStatus,
  accountUpsert,
  type Credentials,
  credentials,
  type EndUserAccount,
  endUserAccount,
} from './account.ts';
export {
  type Calendar,
  type CalendarCreate,
  type CalendarUpdate,
  calendar,
  calendarCreate,
  calendarUpdate,
  type DeletedCalendar,
  deletedCalendar,
} from './calendar.ts';
export {
  type CalendarEvent,
  type ConferenceData,
  calendarEvent,
  conferenceData,
  type DeletedEvent,
  deletedEvent,
  type EventAttendee,
  type EventDateTime,
  eventAttendee,
  eventDateTime,
  eventType,
  type OriginalStart,
  originalStart,
  type Reminders,
  type ResponseStatus,
  reminders,
  responseStatus,
  transparency,
  visibility,
} from './event.ts';
export {
  attendeeKind,
  EXTENSION_FIELDS,
  type ExtensionField,
  eventStatus,
  type LocationDetails,
  locationDetails,
  showAs,
} from './event-extensions.ts';
export {
  DERIVED_EVENT_FIELDS,
  type EventCreate,
  type EventDateTimeInput,
  type EventUpdate,
  eventCreate,
  eventDateTimeInput,
  eventUpdate,
  IGNORED_EVENT_FIELDS,
  type RsvpBody,
  rsvpBody,
} from './event-input.ts';
export { FORBIDDEN_KEY_MESSAGE, findForbiddenKey, requireSafeShape, requireStorableText } from './forbidden-key.ts';
export { type FreeBusyQuery, type FreeBusyResult, freeBusyQuery, freeBusyResult } from './free-busy.ts';
export { pageSizeOf } from './page-size.ts';
export { parseInput } from './parse.ts';
export { PAGE_SIZE, pageParameters, queryBoolean, queryInteger } from './primitives.ts';
export { type Problem, problem } from './problem.ts';
export {
  type AccountListQuery,
  type AuthorizeQuery,
  accountListQuery,
  authorizeQuery,
  type CalendarListQuery,
  calendarListQuery,
  type EditScope,
  type EventGetQuery,
  type EventListQuery,
  type EventNotifyQuery,
  type EventWriteQuery,
  editScope,
  eventGetQuery,
  eventListQuery,
  eventNotifyQuery,
  eventWriteQuery,
  FILTERED_EVENT_TYPES,
  type NotifyAttendees,
  notifyAttendees,
  type OccurrenceListQuery,
  occurrenceListQuery,
  type SubscriptionListQuery,
  subscriptionListQuery,
} from './queries.ts';
export {
  type CalendarMessage,
  calendarMessage,
  type MessageType,
  messageType,
  type SubscriptionCreate,
  type SubscriptionCreated,
  subscriptionCreate,
  subscriptionCreated,
  type WebhookSubscription,
  webhookSubscription,
} from './subscription.ts';
export {
  type UnreadableListQuery,
  type UnreadableObject,
  unreadableListQuery,
  unreadableObject,
} from './unreadable-object.ts';
export {
  type DeliveryErrorClass,
  type DeliveryListQuery,
  deliveryErrorClass,
  deliveryListQuery,
  recoverBody,
  redeliverBody,
  type SecretRotated,
  secretRotated,
  type WebhookDelivery,
  webhookDelivery,
} from './webhook-delivery.ts';
export {
  type AccountMessage,
  accountMessage,
  type WebhookEndpoint,
  type WebhookEndpointCreated,
  type WebhookEndpointListQuery,
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointCreated,
  webhookEndpointListQuery,
} from './webhook-endpoint.ts';
