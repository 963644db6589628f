import type { Actor } from 'kalends';
import { ADMIN_EXAMPLES } from '../examples/index.ts';
import type { RouteTable } from '../route-table.ts';
import { accountRoutes } from './account-routes.ts';
import { activityRoutes } from './activity-routes.ts';
import type { AdminRoute } from './admin-route.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { applicationRoutes } from './application-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { diagnosisRoutes } from './diagnosis-routes.ts';
import { feedRoutes } from './feed-routes.ts';
import { measurementRoutes } from './measurement-routes.ts';
import { oauthClientRoutes } from './oauth-client-routes.ts';
import { receiverRoutes } from './receiver-routes.ts';

/** A table whose routes are commands too. */
interface AdminTable extends RouteTable<Actor> {
  readonly routes: readonly AdminRoute[];
}

/** The interface of administrators. */
export const adminInterface: AdminTable = {
  root: '/admin/v1',
  /** In the order of the documentation. */
  routes: [
    ...applicationRoutes,
    ...oauthClientRoutes,
    ...apiKeyRoutes,
    ...accountRoutes,
    ...feedRoutes,
    ...receiverRoutes,
    ...auditRoutes,
    ...activityRoutes,
    ...diagnosisRoutes,
    ...measurementRoutes,
  ],
  documentAccess: 'token',
  credentialHeader: 'authorization',
  unauthorized: 'Unauthorized',
  title: 'kalends administration',
  description:
    'Applications, their OAuth clients, API keys, accounts, feeds and webhook receivers, the audit log, and measurements.',
  security: { name: 'adminToken', scheme: { type: 'http', scheme: 'bearer' } },
  tags: {
    Applications: 'Tenants, and where their authorization flows may end.',
    'OAuth clients': "The application's clients at the providers.",
    'API keys': 'Keys of the interface of applications.',
    Accounts: 'Connected mailboxes, and the state of their sync.',
    Feeds: 'Calendars that are published under secret addresses.',
    Receivers: 'Subscriptions and endpoints, and the log of their deliveries.',
    'Audit log': 'Who changed what, and who read credentials.',
    Activity: 'What the answering process does, as it happens.',
    Diagnosis: 'Checks of the running system.',
    Measurements: 'Requests, provider calls, pulls and deliveries of all processes, minute by minute.',
  },
  examples: ADMIN_EXAMPLES,
  webhooks: [],
};
