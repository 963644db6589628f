export { GOOGLE_ENDPOINTS, type GoogleEndpoints, type GoogleOAuthEndpoints, googleEndpoints } from './endpoints.ts';
export type { SendUpdates } from './event-calls.ts';
export { DEFAULT_SCOPES, type GoogleLimits, type GoogleOptions, google } from './google.ts';
export type { RetryOptions } from './transport.ts';
