export { GOOGLE_ENDPOINTS, type GoogleEndpoints, type GoogleOAuthEndpoints, googleEndpoints } from './endpoints.ts';
export { google } from './google.ts';
export { DEFAULT_SCOPES, type GoogleLimits, type GoogleOptions, type SendUpdates } from './options.ts';
