export { createEventService } from './event-service.ts';
export { printFeed } from './export/feed-printing.ts';
export type { CreationKey, ImportTarget } from './imported-writes.ts';
export { type ChangedRecords, readChangedRecords } from './list/changed-records.ts';
export {
  type AccountBusy,
  type AccountBusyReader,
  type AccountRequest,
  createAccountBusyReader,
} from './read/account-busy.ts';
export { createAccountsFreeBusy, shownError } from './read/accounts-free-busy.ts';
export { createBusyCollector } from './read/busy-collector.ts';
export { type BusyReader, type BusySpan, createBusyReader } from './read/busy-reader.ts';
export { createFreeBusyService } from './read/free-busy-service.ts';
export { readWindow } from './read/free-busy-slots.ts';
export { createPeopleBusyReader, type PeopleBusyReader, type PersonRequest } from './read/people-busy.ts';
export { createSeriesEditResumption } from './series-edit/resume-series-edit.ts';
export { queryInstant, requireZone } from './times/input-time.ts';
export { createEventIntents } from './write/event-intents.ts';
