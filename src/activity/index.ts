export { type ActivityFeed, createActivityFeed, NO_ACTIVITY } from './activity-feed.ts';
