import type { Caller } from 'kalends';
import { accountMessage, calendarMessage, eventMessage } from 'kalends/model';
import { EXAMPLES } from '../examples/index.ts';
import { cloudEventOf } from '../openapi-webhooks.ts';
import type { RouteTable } from '../route-table.ts';
import { accountRoutes } from './account-routes.ts';
import { authorizationRoutes } from './authorization-routes.ts';
import { availabilityRoutes } from './availability-routes.ts';
import { calendarRoutes } from './calendar-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { feedRoutes } from './feed-routes.ts';
import { freeBusyRoutes } from './free-busy-routes.ts';
import { holdRoutes } from './hold-routes.ts';
import { importRoutes } from './import-routes.ts';
import { pushRoutes } from './push-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';

/** The interface of applications. */
export const applicationInterface: RouteTable<Caller> = {
  root: '/v1',
  /** In the order of the documentation. */
  routes: [
    ...accountRoutes,
    ...authorizationRoutes,
    ...freeBusyRoutes,
    ...availabilityRoutes,
    ...holdRoutes,
    ...calendarRoutes,
    ...importRoutes,
    ...eventRoutes,
    ...feedRoutes,
    ...subscriptionRoutes,
    ...endpointRoutes,
    ...pushRoutes,
  ],
  documentAccess: 'open',
  credentialHeader: 'x-api-key',
  unauthorized: 'InvalidApiKey',
  title: 'kalends',
  description: 'Google and Microsoft calendars through one interface.',
  security: { name: 'apiKey', scheme: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
  tags: {
    'End User Accounts': 'Mailboxes of the application: connected by a refresh token or in the browser.',
    Authorization: "The browser's way through the provider's consent.",
    'Free/busy': 'Busy times of calendars, without their events.',
    Availability: 'Extension: times at which people can meet, by their calendars and rules.',
    'Holds and bookings': 'Extension: slots that are taken for some minutes, and the bookings that they become.',
    Calendars: 'Calendars of an account.',
    'Calendar Events': 'Events, series and their occurrences.',
    Feeds: 'Extension: calendars under secret addresses, for calendar programs.',
    'Webhook Subscriptions': 'Receivers of messages about the calendars of an account.',
    'Webhook Endpoints': 'Extension: receivers of messages about accounts.',
    'Provider notifications': 'Where providers send the notifications of their push channels.',
  },
  examples: EXAMPLES,
  webhooks: [
    {
      name: 'calendarNotification',
      summary: 'Sent to the webhookUrl of a subscription',
      schema: calendarMessage,
      cloudEvent: cloudEventOf('CalendarCloudEvent', calendarMessage),
    },
    {
      name: 'eventNotification',
      summary: 'Extension: sent to a subscription with `detail: record`',
      schema: eventMessage,
      cloudEvent: cloudEventOf('EventCloudEvent', eventMessage),
    },
    {
      name: 'accountNotification',
      summary: 'Extension: sent to the webhook endpoints of the application',
      schema: accountMessage,
    },
  ],
};
