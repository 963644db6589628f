import type { Route } from '../route.ts';
import { accountRoutes } from './account-routes.ts';
import { authorizationRoutes } from './authorization-routes.ts';
import { calendarRoutes } from './calendar-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { freeBusyRoutes } from './free-busy-routes.ts';
import { pushRoutes } from './push-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';

/** Every route of the interface, in the order of the documentation. */
export const routes: readonly Route[] = [
  ...accountRoutes,
  ...authorizationRoutes,
  ...freeBusyRoutes,
  ...calendarRoutes,
  ...eventRoutes,
  ...subscriptionRoutes,
  ...endpointRoutes,
  ...pushRoutes,
];
