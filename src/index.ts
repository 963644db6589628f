export { createEngine } from './engine.ts';
export type {
  AccountService,
  ApiKey,
  Application,
  ApplicationService,
  AuthorizationRedirect,
  AuthorizationService,
  CalendarService,
  Caller,
  CreateRequest,
  DataKeyService,
  EditRequest,
  Engine,
  EventService,
  FreeBusyService,
  Page,
  PageJson,
  PushReceipt,
  PushService,
  RewrapReport,
  SubscriptionService,
  SyncPage,
  UnopenedDataKey,
  WebhookEndpointService,
  WriteRequest,
} from './engine-interface.ts';
export { ERROR_STATUS, type ErrorCode, type ErrorDetail, KalendsError, type KalendsErrorOptions } from './errors.ts';
export type { EngineOptions } from './options.ts';
