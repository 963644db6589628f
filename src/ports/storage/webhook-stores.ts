import type { MessageFormat, MessageType, SubscriptionDetail } from '../../model/index.ts';
import type { AuditRow } from './audit-store.ts';
import type { CreationKey } from './creation-key.ts';

/** A receiver of messages: a subscription, or an endpoint of an application. */
export interface TargetRow {
  readonly id: string;
  readonly applicationId: string;
  readonly url: string;
  readonly wrappedKey: string;
  readonly sealedSecret: string;
  /** Secret before the last rotation, which also signs until `until`; sealed with those before it that still sign. */
  readonly previousSecret: { readonly sealed: string; readonly until: number } | null;
  /** Messages per second; null without a limit. */
  readonly rateLimit: number | null;
  readonly disabledAt: number | null;
  /** First failure after the last success; null when the last attempt succeeded. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Receives messages about an account's calendars. */
export interface SubscriptionRow extends TargetRow {
  readonly accountId: string;
  readonly calendarId: string | null;
  readonly subscriptionType: 'event' | 'calendar';
  readonly providerType: string;
  /** `record`: changes of events are enqueued one by one, see `Commit.notify`. */
  readonly detail: SubscriptionDetail;
  readonly format: MessageFormat;
}

/** A subscription or an endpoint: an endpoint's own columns are null. */
export interface ReceiverRow extends TargetRow {
  readonly accountId: string | null;
  readonly calendarId: string | null;
  readonly subscriptionType: SubscriptionRow['subscriptionType'] | null;
  readonly providerType: string | null;
  readonly detail: SubscriptionDetail | null;
  readonly format: MessageFormat | null;
}

export interface SubscriptionStore {
  insert(row: SubscriptionRow): Promise<void>;
  find(applicationId: string, accountId: string, id: string): Promise<SubscriptionRow | undefined>;
  /** Ascending by creation. */
  list(
    applicationId: string,
    accountId: string,
    input: { readonly after?: CreationKey; readonly limit: number },
  ): Promise<readonly SubscriptionRow[]>;
  /** Counts enabled subscriptions that cover a collection: type `event` on the calendar, type `calendar` on the account. */
  countCovering(applicationId: string, accountId: string, calendarId: string | null): Promise<number>;
  /** Deletes it with its messages. Returns false when there is none. */
  delete(applicationId: string, accountId: string, id: string): Promise<boolean>;
}

/** Endpoints of applications, targets of messages about accounts. */
export interface EndpointStore {
  /** @throws KalendsError NotFound when there is no such application, or its deletion has begun */
  insert(row: TargetRow): Promise<void>;
  /** Finds an endpoint, never a subscription. */
  find(applicationId: string, id: string): Promise<TargetRow | undefined>;
  /** Ascending by creation. */
  list(
    applicationId: string,
    input: { readonly after?: CreationKey; readonly limit: number },
  ): Promise<readonly TargetRow[]>;
  /** Deletes it with its messages. Returns false when there is none. */
  delete(applicationId: string, id: string): Promise<boolean>;
}

/** Stores what subscriptions and endpoints have in common. */
export interface TargetStore {
  find(applicationId: string, id: string): Promise<ReceiverRow | undefined>;
  /** All subscriptions and endpoints of the application, ascending by creation. */
  list(
    applicationId: string,
    input: { readonly after?: CreationKey; readonly limit: number },
  ): Promise<readonly ReceiverRow[]>;
  /**
   * Replaces the secret `expectedSealed`, which, sealed anew as `previousSealed`, also signs until `previousUntil`. Returns false, without a change, when another
   * rotation came first or there is no such target.
   */
  rotateSecret(
    applicationId: string,
    id: string,
    rotation: {
      readonly expectedSealed: string;
      readonly previousSealed: string;
      readonly sealed: string;
      readonly previousUntil: number;
      readonly at: number;
    },
    audit?: AuditRow,
  ): Promise<boolean>;
  /**
   * Enables a disabled target. Messages that wait for a subscription are replaced by the given one; those that wait for an
   * endpoint become due. Returns false, without a change, when the target is enabled or there is none.
   */
  enable(
    applicationId: string,
    id: string,
    input: { readonly at: number; readonly message: Pick<MessageRow, 'id' | 'eventType' | 'timestamp'> | null },
    audit?: AuditRow,
  ): Promise<boolean>;
}

/** Greatest number of unattempted messages with records that wait for a subscription. */
export const MAX_WAITING_RECORDS = 1_000;

/** The change of one group that a message tells, as a place in its collection's history: the mirror has the content. */
export interface ToldChange {
  readonly calendarId: string;
  readonly groupId: string;
  /** Revision that the change made. */
  readonly revision: number;
  readonly tag: string;
  /** Tag of the revision before it. */
  readonly previousTag: string;
  /** Number of the change among those of its revision, in the order of their messages, from 1 on. */
  readonly part: number;
  readonly parts: number;
}

/**
 * A message waiting to be delivered. States: unattempted, retrying (attempted, not delivered), delivered, dead.
 * Coalescing: `calendar.event.changed` is merged into an unattempted one of the same target (its timestamp moves
 * forward), never into one that has been attempted. So is a `calendar.event.unknown` of a gap that is `late`.
 */
export interface MessageRow {
  readonly id: string;
  readonly applicationId: string;
  readonly targetId: string;
  readonly eventType: MessageType;
  /** Time of the change, as in the body. */
  readonly timestamp: number;
  /** JSON text of the body's `data`; null when the body has none. */
  readonly data: string | null;
  /** The change that a message with a record tells; null for others. */
  readonly change: ToldChange | null;
  readonly attempts: number;
  readonly createdAt: number;
}

/** A target's lease as its holder knows it. */
export interface DeliveryFence {
  readonly targetId: string;
  readonly epoch: number;
}

/** The claimed head of a target's queue. */
export interface DeliveryClaim {
  readonly target: ReceiverRow;
  /** Host and port of the target's URL, as `DeliveryCapacity.ofHost` takes it. */
  readonly host: string;
  readonly message: MessageRow;
  /** Fence of the acknowledgement. */
  readonly epoch: number;
}

/** Deliveries that a process can still take on. Read within a transaction, so it must answer synchronously. */
export interface DeliveryCapacity {
  ofApplication(applicationId: string): number;
  ofHost(applicationId: string, host: string): number;
}

export interface AttemptRow {
  readonly id: string;
  readonly messageId: string;
  readonly eventType: MessageType;
  readonly at: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly latencyMs: number;
  readonly excerpt: string;
  /** Decision after the attempt. */
  readonly outcome: DeliveryOutcome['kind'];
  /** Content of the message, which no attempt changes, and its next due time, if it waits; null once it is purged. */
  readonly sent: (Pick<MessageRow, 'timestamp' | 'data' | 'change'> & { readonly dueAt: number | null }) | null;
}

/** Outcome of a delivery attempt. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: number }
  /** No more attempts; kept for 30 days. */
  | { readonly kind: 'dead' }
  /** The receiver answered 410 or has failed for too long: the message is dead, the target disabled. */
  | { readonly kind: 'disabled' };

/** The end of a claim. */
export interface Acknowledgement {
  readonly applicationId: string;
  readonly targetId: string;
  readonly messageId: string;
  readonly epoch: number;
  readonly attempt: Omit<AttemptRow, 'messageId' | 'outcome' | 'sent'>;
  readonly outcome: DeliveryOutcome;
}

/** Bounds of a claim. */
export interface ClaimInput {
  readonly limit: number;
  readonly leaseMs: number;
  readonly capacity?: DeliveryCapacity;
}

export interface OutboxTurn {
  /**
   * One element for each acknowledgement: false when another claim has been made meanwhile (the attempt is recorded all the
   * same) or the target is gone.
   */
  readonly settled: readonly boolean[];
  readonly claims: readonly DeliveryClaim[];
}

/** Stores messages until they are delivered. */
export interface OutboxStore {
  /** Enqueues one message for one target, coalescing under its row lock; nothing when the target is disabled or gone. */
  enqueue(input: {
    readonly applicationId: string;
    readonly targetId: string;
    readonly eventType: MessageType;
    readonly timestamp: number;
    readonly messageId: string;
    /** JSON text of the body's `data`. */
    readonly data?: string;
  }): Promise<void>;
  /**
   * Records the attempts that have ended, then claims targets that are due, in one transaction: a target that is
   * acknowledged here can be claimed here again.
   *
   * Acknowledging records attempts and outcomes, at most one for each target. Claiming takes up to `limit` targets whose head
   * is due (by the storage's clock), each with its head message, longest due first but in turns by application and, within
   * one, by host: at most one in flight for each target. `capacity` bounds the claims of one application and of one host. A
   * claim sets the target's next send to max(next send, now) + 1/rateLimit and marks the message attempted (attempts + 1),
   * so nothing coalesces into it from then on.
   */
  acknowledgeAndClaim(acknowledgements: readonly Acknowledgement[], input: ClaimInput): Promise<OutboxTurn>;
  /**
   * Takes the claim of a message back that was not sent: its attempt does not count, and its target is due after `afterMs`.
   * Without effect when the target has been claimed again since.
   */
  giveBack(unsent: DeliveryFence & { readonly messageId: string }, afterMs: number): Promise<void>;
  /** Extends the leases of targets that have not been claimed again since, expired ones too, as `LeaseStore.renew` does. */
  renew(held: readonly DeliveryFence[], leaseMs: number): Promise<void>;
  /** Returns the earliest time at which a claim with this capacity can find a message; null when none waits. */
  nextDueAt(capacity?: DeliveryCapacity): Promise<number | null>;
  /** Newest first. */
  listAttempts(
    applicationId: string,
    targetId: string,
    input: { readonly after?: { readonly at: number; readonly id: string }; readonly limit: number },
  ): Promise<readonly AttemptRow[]>;
  /**
   * Enqueues a message again under its id, in any state, due at once and with all its attempts. Returns `disabled`, without a
   * change, when its target is disabled, and `unknown` when there is no such message.
   */
  redeliver(applicationId: string, targetId: string, messageId: string): Promise<'enqueued' | 'disabled' | 'unknown'>;
  /** Redelivers all messages created from `since` on that are dead or wait for a retry, and returns their number. */
  recover(applicationId: string, targetId: string, since: number): Promise<number | 'disabled' | 'unknown'>;
  /**
   * Removes attempts, and messages that no longer wait or whose target is disabled, older than `before`, in several
   * transactions; resolves with the number removed.
   */
  purge(before: number): Promise<number>;
}
