export type { AdminRoute, RouteCommand } from './admin-routes/admin-route.ts';
export { adminInterface } from './admin-routes/index.ts';
