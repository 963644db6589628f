export { createEventService } from './event-service.ts';
export { printFeed } from './export/feed-printing.ts';
export type { ImportTarget } from './imported-writes.ts';
export { createFreeBusyService } from './read/free-busy-service.ts';
export { createSeriesEditResumption } from './series-edit/resume-series-edit.ts';
export { createEventIntents } from './write/event-intents.ts';
