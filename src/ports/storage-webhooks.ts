import type { MessageType } from '../model/index.ts';
import type { CreationKey } from './creation-key.ts';

export interface SubscriptionRow {
  readonly id: string;
  readonly applicationId: string;
  readonly accountId: string;
  readonly calendarId: string | null;
  readonly subscriptionType: 'event' | 'calendar';
  readonly providerType: string;
  readonly url: string;
  readonly wrappedKey: string;
  readonly sealedSecret: string;
  /** Messages per second; null: unbounded. */
  readonly rateLimit: number | null;
  readonly disabledAt: number | null;
  /** First failure after the last success; null when the last attempt succeeded. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
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
  /** Enabled ones that cover a collection (type `event` on the calendar; type `calendar` of the account). */
  countCovering(applicationId: string, accountId: string, calendarId: string | null): Promise<number>;
  /** Removes it with its messages; false when there is none. */
  delete(applicationId: string, accountId: string, id: string): Promise<boolean>;
}

/**
 * A message waiting to be delivered. States: unattempted, retrying (attempted, not delivered), delivered, dead.
 * Coalescing: `calendar.event.changed` is merged into an unattempted one of the same subscription (its timestamp moves
 * forward), never into one that has been attempted.
 */
export interface MessageRow {
  readonly id: string;
  readonly applicationId: string;
  readonly subscriptionId: string;
  readonly eventType: MessageType;
  /** Of the change, the one in the body. */
  readonly timestamp: number;
  readonly attempts: number;
  readonly createdAt: number;
}

/** The head of a subscription's outbox, claimed. */
export interface DeliveryClaim {
  readonly subscription: SubscriptionRow;
  readonly message: MessageRow;
  /** Fence of the acknowledgement. */
  readonly epoch: number;
}

export interface AttemptRow {
  readonly id: string;
  readonly messageId: string;
  readonly at: number;
  readonly status: number | null;
  readonly failure: string | null;
  readonly latencyMs: number;
  readonly excerpt: string;
}

/** What became of a claimed message. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: number }
  /** No more attempts; kept for 30 days. */
  | { readonly kind: 'dead' }
  /** The receiver said 410, or has failed for too long: message dead, subscription disabled. */
  | { readonly kind: 'disabled' };

export interface OutboxStore {
  /** Enqueues for one subscription, coalescing under the subscription's row lock. Nothing for one that is disabled or gone. */
  enqueue(input: {
    readonly applicationId: string;
    readonly subscriptionId: string;
    readonly eventType: MessageType;
    readonly timestamp: number;
    readonly messageId: string;
  }): Promise<void>;
  /**
   * Claims up to `limit` subscriptions whose head is due (the storage's clock), each with its head message, longest due
   * first but in turns by application: at most one in flight per subscription. The claim sets the subscription's next send to max(next send, now) + 1/rateLimit and
   * marks the message attempted (attempts + 1), so nothing coalesces into it from then on.
   */
  claim(input: { readonly limit: number; readonly leaseMs: number }): Promise<readonly DeliveryClaim[]>;
  /**
   * Records the attempt and the outcome; false when another claim has been made meanwhile (the attempt is recorded all the
   * same) or the subscription is gone.
   */
  acknowledge(
    claim: {
      readonly applicationId: string;
      readonly subscriptionId: string;
      readonly messageId: string;
      readonly epoch: number;
    },
    attempt: AttemptRow,
    outcome: DeliveryOutcome,
  ): Promise<boolean>;
  /** Earliest time at which a claim may find something; null when nothing waits. */
  nextDueAt(): Promise<number | null>;
  /** Newest first. */
  listAttempts(applicationId: string, subscriptionId: string, limit: number): Promise<readonly AttemptRow[]>;
  /** Removes attempts, and messages that no longer wait (or whose subscription is disabled), older than `before`, not all at once; resolves with the number removed. */
  purge(before: number): Promise<number>;
}
