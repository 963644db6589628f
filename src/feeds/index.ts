export { createFeedService } from './feed-service.ts';
