export { type IcsFeedOptions, icsFeed } from './ics-feed.ts';
