export { createDashboard, type Dashboard } from './dashboard.ts';
export type { DashboardOptions, DemoControls } from './dashboard-options.ts';
