export { type BusyForm, busyForm, busyTypeOf, type EventTimes } from './busy-form.ts';
export { listKeyOf, pullLeaseName, reconciliationLeaseName } from './collection-key.ts';
export { type CommitOptions, commitWrites } from './commit-writes.ts';
export { compiledMasters, recurrenceSize } from './compiled-masters.ts';
export { canonicalJson, contentHash } from './content-hash.ts';
export { createMirror, noCalendar } from './create-mirror.ts';
export { compileMaster, leastSpanMs, type MasterSeries, namedSlot } from './master-series.ts';
export type { Mirror, MirrorPulls, MirrorReading, MirrorSnapshot, MirrorWriting } from './mirror.ts';
export type { CalendarOutcome, OwnWriteOptions, WriteReached } from './own-writes.ts';
export { planChanges } from './plan-changes.ts';
export { type ShownEvent, shownEvent, shownInstants, shownJson } from './shown-event.ts';
export { calendarRef, calendarWrite, storedCalendar } from './stored-calendar.ts';
export {
  deletion,
  groupIdOf,
  isLocalOnly,
  isSeries,
  itemIdOf,
  providerEvent,
  type StoredEvent,
  storedEvent,
} from './stored-event.ts';
export { logSetAside, unreadableOfCalendars } from './unreadable-changes.ts';
export {
  createViewTokens,
  type PagePoint,
  requireRevision,
  revisionOf,
  revisionText,
  type SyncPoint,
  tokenHash,
  type ViewTokens,
  zoneOfUnmoved,
} from './view-token.ts';
