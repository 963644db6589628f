import { accountConformance } from './storage-accounts.ts';
import { applicationConformance } from './storage-applications.ts';
import { mirrorCommitConformance } from './storage-mirror-commit.ts';
import { mirrorReadConformance } from './storage-mirror-read.ts';
import { mirrorUpkeepConformance } from './storage-mirror-upkeep.ts';
import { outboxConformance } from './storage-outbox.ts';
import { scheduleConformance } from './storage-schedule.ts';
import { subscriptionConformance } from './storage-subscriptions.ts';
import type { StorageConformanceOptions } from './storage-world.ts';

/**
 * Declares the tests that every storage passes: one for each sentence of the contracts in `kalends/ports`, with the races
 * made on purpose. Needs no test runner of its own: give it one's `test`.
 */
export function storageConformance(options: StorageConformanceOptions): void {
  applicationConformance(options);
  accountConformance(options);
  mirrorCommitConformance(options);
  mirrorReadConformance(options);
  mirrorUpkeepConformance(options);
  scheduleConformance(options);
  subscriptionConformance(options);
  outboxConformance(options);
}
