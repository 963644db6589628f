import { accountConformance } from './accounts.ts';
import { administrationConformance } from './administration.ts';
import { applicationConformance } from './applications.ts';
import { assignmentConformance } from './assignments.ts';
import { commitConformance } from './commits.ts';
import { dataKeyConformance } from './data-keys.ts';
import { erasureConformance } from './erasure.ts';
import { feedConformance } from './feeds.ts';
import { healthConformance } from './health.ts';
import { holdConformance } from './holds.ts';
import { importConformance } from './imports.ts';
import { intentConformance } from './intents.ts';
import { leaseConformance } from './leases.ts';
import { measurementConformance } from './measurements.ts';
import { mirrorCommitConformance } from './mirror-commit.ts';
import { mirrorMessagesConformance } from './mirror-messages.ts';
import { mirrorReadConformance } from './mirror-read.ts';
import { mirrorRecordsConformance } from './mirror-records.ts';
import { mirrorUpkeepConformance } from './mirror-upkeep.ts';
import { outboxConformance } from './outbox.ts';
import { outboxTurnConformance } from './outbox-turns.ts';
import { pullConformance } from './pulls.ts';
import { readConformance } from './reads.ts';
import { scheduleConformance } from './schedule.ts';
import { slotHoldConformance } from './slot-holds.ts';
import { subscriptionConformance } from './subscriptions.ts';
import { targetConformance } from './targets.ts';
import { unreadableConformance } from './unreadable.ts';
import type { StorageConformanceOptions } from './world.ts';

/**
 * Declares the cases that every storage must pass: one for each sentence of the contracts in `kalends/ports`, with forced
 * races. Works with the `test` of any runner.
 */
export function storageConformance(options: StorageConformanceOptions): void {
  applicationConformance(options);
  administrationConformance(options);
  accountConformance(options);
  feedConformance(options);
  importConformance(options);
  mirrorCommitConformance(options);
  mirrorMessagesConformance(options);
  mirrorRecordsConformance(options);
  mirrorReadConformance(options);
  readConformance(options);
  pullConformance(options);
  mirrorUpkeepConformance(options);
  unreadableConformance(options);
  intentConformance(options);
  holdConformance(options);
  slotHoldConformance(options);
  assignmentConformance(options);
  leaseConformance(options);
  scheduleConformance(options);
  subscriptionConformance(options);
  outboxConformance(options);
  outboxTurnConformance(options);
  targetConformance(options);
  commitConformance(options);
  dataKeyConformance(options);
  erasureConformance(options);
  measurementConformance(options);
  healthConformance(options);
}
