import assert from 'node:assert/strict';
import type { Acknowledgement, ClaimInput, DeliveryClaim, DeliveryOutcome, MessageRow, Storage } from 'kalends/ports';
import { APPLICATION, attemptRow, type StorageWorld } from './world.ts';

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

/** Claims without acknowledging anything. */
export async function claimDue(
  { outbox }: Pick<Storage, 'outbox'>,
  input: Partial<ClaimInput> = {},
): Promise<readonly DeliveryClaim[]> {
  return (await outbox.acknowledgeAndClaim([], { limit: 9, leaseMs: LEASE_MS, ...input })).claims;
}

export async function claimOne({ storage }: StorageWorld): Promise<DeliveryClaim | undefined> {
  return (await claimDue(storage, { limit: 1 }))[0];
}

/** Acknowledges without claiming anything. */
export async function settleAll(
  { outbox }: Pick<Storage, 'outbox'>,
  ends: readonly Acknowledgement[],
): Promise<readonly boolean[]> {
  return (await outbox.acknowledgeAndClaim(ends, { limit: 0, leaseMs: LEASE_MS })).settled;
}

let attempts = 0;

export async function acknowledge(
  { storage }: StorageWorld,
  claimed: DeliveryClaim | undefined,
  outcome: DeliveryOutcome,
  patch: Parameters<typeof attemptRow>[0] = {},
): Promise<boolean | undefined> {
  const [isSettled] = await settleAll(storage, [endOf(claimed, outcome, patch)]);
  return isSettled;
}

export function endOf(
  claimed: DeliveryClaim | undefined,
  outcome: DeliveryOutcome,
  patch: Parameters<typeof attemptRow>[0] = {},
): Acknowledgement {
  assert.ok(claimed);
  attempts += 1;
  const { target, message, epoch } = claimed;
  const attempt = attemptRow({ id: `att_${attempts}`, eventType: message.eventType, ...patch });
  return { applicationId: APPLICATION, targetId: target.id, messageId: message.id, epoch, attempt, outcome };
}
