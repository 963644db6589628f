import { ADMIN_ACCOUNTS } from './admin-accounts.ts';
import { ADMIN_ACTIVITY } from './admin-activity.ts';
import { ADMIN_API_KEYS } from './admin-api-keys.ts';
import { ADMIN_APPLICATIONS } from './admin-applications.ts';
import { ADMIN_AUDIT_LOG } from './admin-audit-log.ts';
import { ADMIN_DIAGNOSIS } from './admin-diagnosis.ts';
import { ADMIN_FEEDS } from './admin-feeds.ts';
import { ADMIN_MEASUREMENTS } from './admin-measurements.ts';
import { ADMIN_OAUTH_CLIENTS } from './admin-oauth-clients.ts';
import { ADMIN_RECEIVERS } from './admin-receivers.ts';
import { AUTHORIZATION } from './authorization.ts';
import { AVAILABILITY } from './availability.ts';
import { CALENDAR_EVENTS } from './calendar-events.ts';
import { CALENDARS } from './calendars.ts';
import { END_USER_ACCOUNTS } from './end-user-accounts.ts';
import { FEEDS } from './feeds.ts';
import { FREE_BUSY } from './free-busy.ts';
import { HOLDS_AND_BOOKINGS } from './holds-and-bookings.ts';
import { WEBHOOK_ENDPOINTS } from './webhook-endpoints.ts';
import { WEBHOOK_SUBSCRIPTIONS } from './webhook-subscriptions.ts';

/** Examples of the interface of applications, by operationId. */
export const EXAMPLES = {
  ...END_USER_ACCOUNTS,
  ...AUTHORIZATION,
  ...CALENDARS,
  ...CALENDAR_EVENTS,
  ...FREE_BUSY,
  ...AVAILABILITY,
  ...HOLDS_AND_BOOKINGS,
  ...FEEDS,
  ...WEBHOOK_SUBSCRIPTIONS,
  ...WEBHOOK_ENDPOINTS,
};

/** Examples of the administration, by operationId. */
export const ADMIN_EXAMPLES = {
  ...ADMIN_APPLICATIONS,
  ...ADMIN_OAUTH_CLIENTS,
  ...ADMIN_API_KEYS,
  ...ADMIN_ACCOUNTS,
  ...ADMIN_FEEDS,
  ...ADMIN_RECEIVERS,
  ...ADMIN_DIAGNOSIS,
  ...ADMIN_AUDIT_LOG,
  ...ADMIN_MEASUREMENTS,
  ...ADMIN_ACTIVITY,
};
