import { accountConformance } from './storage-accounts.ts';
import { applicationConformance } from './storage-applications.ts';
import { dataKeyConformance } from './storage-data-keys.ts';
import { healthConformance } from './storage-health.ts';
import { holdConformance } from './storage-holds.ts';
import { intentConformance } from './storage-intents.ts';
import { leaseConformance } from './storage-leases.ts';
import { mirrorCommitConformance } from './storage-mirror-commit.ts';
import { mirrorMessagesConformance } from './storage-mirror-messages.ts';
import { mirrorReadConformance } from './storage-mirror-read.ts';
import { mirrorUpkeepConformance } from './storage-mirror-upkeep.ts';
import { outboxConformance } from './storage-outbox.ts';
import { outboxTurnConformance } from './storage-outbox-turns.ts';
import { readConformance } from './storage-reads.ts';
import { scheduleConformance } from './storage-schedule.ts';
import { subscriptionConformance } from './storage-subscriptions.ts';
import { targetConformance } from './storage-targets.ts';
import { unreadableConformance } from './storage-unreadable.ts';
import type { StorageConformanceOptions } from './storage-world.ts';

/**
 * Declares the cases that every storage must pass: one for each sentence of the contracts in `kalends/ports`, with forced
 * races. Works with the `test` of any runner.
 */
export function storageConformance(options: StorageConformanceOptions): void {
  applicationConformance(options);
  accountConformance(options);
  mirrorCommitConformance(options);
  mirrorMessagesConformance(options);
  mirrorReadConformance(options);
  readConformance(options);
  mirrorUpkeepConformance(options);
  unreadableConformance(options);
  intentConformance(options);
  holdConformance(options);
  leaseConformance(options);
  scheduleConformance(options);
  subscriptionConformance(options);
  outboxConformance(options);
  outboxTurnConformance(options);
  targetConformance(options);
  dataKeyConformance(options);
  healthConformance(options);
}
