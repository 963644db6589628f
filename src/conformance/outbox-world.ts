import assert from 'node:assert/strict';
import type { Acknowledgement, DeliveryClaim, DeliveryOutcome, MessageRow } from '../ports/index.ts';
import { APPLICATION, attemptRow, type StorageWorld } from './storage-world.ts';

export const LEASE_MS = 1_000;

export function enqueue(
  { storage }: Pick<StorageWorld, 'storage'>,
  messageId: string,
  patch: Partial<{ targetId: string; timestamp: number; eventType: MessageRow['eventType'] }> = {},
): Promise<void> {
  return storage.outbox.enqueue({
    applicationId: APPLICATION,
    targetId: 'whs_1',
    eventType: 'calendar.event.changed',
    timestamp: 50,
    messageId,
    ...patch,
  });
}

export async function claimOne({ storage }: StorageWorld): Promise<DeliveryClaim | undefined> {
  const [claim] = await storage.outbox.claim({ limit: 1, leaseMs: LEASE_MS });
  return claim;
}

let attempts = 0;

export async function acknowledge(
  { storage }: StorageWorld,
  claim: DeliveryClaim | undefined,
  outcome: DeliveryOutcome,
  patch: Parameters<typeof attemptRow>[0] = {},
): Promise<boolean | undefined> {
  const [isSettled] = await storage.outbox.acknowledge([endOf(claim, outcome, patch)]);
  return isSettled;
}

export function endOf(
  claim: DeliveryClaim | undefined,
  outcome: DeliveryOutcome,
  patch: Parameters<typeof attemptRow>[0] = {},
): Acknowledgement {
  assert.ok(claim);
  attempts += 1;
  const { target, message, epoch } = claim;
  const attempt = attemptRow({ id: `att_${attempts}`, eventType: message.eventType, ...patch });
  return { applicationId: APPLICATION, targetId: target.id, messageId: message.id, epoch, attempt, outcome };
}
