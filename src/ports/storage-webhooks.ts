import type { MessageType } from '../model/index.ts';
import type { CreationKey } from './creation-key.ts';

/** Where messages go: a subscription, or an endpoint of an application. */
export interface TargetRow {
  readonly id: string;
  readonly applicationId: string;
  readonly url: string;
  readonly wrappedKey: string;
  readonly sealedSecret: string;
  /** The secret before the last rotation, which signs too until its end. */
  readonly previousSecret: { readonly sealed: string; readonly until: number } | null;
  /** Messages per second; null: unbounded. */
  readonly rateLimit: number | null;
  readonly disabledAt: number | null;
  /** First failure after the last success; null when the last attempt succeeded. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Gets messages about an account's calendars. */
export interface SubscriptionRow extends TargetRow {
  readonly accountId: string;
  readonly calendarId: string | null;
  readonly subscriptionType: 'event' | 'calendar';
  readonly providerType: string;
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

/** Endpoints of applications, which get messages about accounts. */
export interface EndpointStore {
  insert(row: TargetRow): Promise<void>;
  /** Never a subscription. */
  find(applicationId: string, id: string): Promise<TargetRow | undefined>;
  /** Ascending by creation. */
  list(
    applicationId: string,
    input: { readonly after?: CreationKey; readonly limit: number },
  ): Promise<readonly TargetRow[]>;
  /** Removes it with its messages; false when there is none. */
  delete(applicationId: string, id: string): Promise<boolean>;
}

/** What subscriptions and endpoints have in common. */
export interface TargetStore {
  /**
   * Puts a new secret in the place of `expectedSealed`, which signs too until `previousUntil`; false, changing nothing, when
   * another rotation came first or there is no such target.
   */
  rotateSecret(
    applicationId: string,
    id: string,
    rotation: {
      readonly expectedSealed: string;
      readonly sealed: string;
      readonly previousUntil: number;
      readonly at: number;
    },
  ): Promise<boolean>;
  /**
   * Enables a disabled target. What waits for a subscription is removed, and the given message enqueued in its place; what
   * waits for an endpoint becomes due. False, changing nothing, when it is enabled or there is none.
   */
  enable(
    applicationId: string,
    id: string,
    input: { readonly at: number; readonly message: Pick<MessageRow, 'id' | 'eventType' | 'timestamp'> | null },
  ): Promise<boolean>;
}

/**
 * A message waiting to be delivered. States: unattempted, retrying (attempted, not delivered), delivered, dead.
 * Coalescing: `calendar.event.changed` is merged into an unattempted one of the same target (its timestamp moves
 * forward), never into one that has been attempted.
 */
export interface MessageRow {
  readonly id: string;
  readonly applicationId: string;
  readonly targetId: string;
  readonly eventType: MessageType;
  /** Of the change, the one in the body. */
  readonly timestamp: number;
  /** JSON text of the body's `data`; null: the body has none. */
  readonly data: string | null;
  readonly attempts: number;
  readonly createdAt: number;
}

/** A target's lease, as its sender knows it. */
export interface DeliveryFence {
  readonly targetId: string;
  readonly epoch: number;
}

/** The head of a target's line, claimed. */
export interface DeliveryClaim {
  readonly target: TargetRow;
  /** Host and port of the target's URL, as `room` is asked for it. */
  readonly host: string;
  readonly message: MessageRow;
  /** Fence of the acknowledgement. */
  readonly epoch: number;
}

/** How many more deliveries a process can take on; asked within a transaction, so it must answer at once. */
export interface DeliveryRoom {
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
  /** What was decided after it. */
  readonly outcome: DeliveryOutcome['kind'];
}

/** What became of a claimed message. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: number }
  /** No more attempts; kept for 30 days. */
  | { readonly kind: 'dead' }
  /** The receiver said 410, or has failed for too long: message dead, target disabled. */
  | { readonly kind: 'disabled' };

/** The end of a claim. */
export interface Acknowledgement {
  readonly applicationId: string;
  readonly targetId: string;
  readonly messageId: string;
  readonly epoch: number;
  readonly attempt: Omit<AttemptRow, 'messageId' | 'outcome'>;
  readonly outcome: DeliveryOutcome;
}

/** What a sender can take on. */
export interface ClaimInput {
  readonly limit: number;
  readonly leaseMs: number;
  readonly room?: DeliveryRoom;
}

export interface OutboxStore {
  /** Enqueues for one target, coalescing under its row lock. Nothing for one that is disabled or gone. */
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
   * Claims up to `limit` targets whose head is due (the storage's clock), each with its head message, longest due first but
   * in turns by application and, within one, by host: at most one in flight per target. Of one application and of one host
   * at most as many as there is `room` for. The claim sets the target's next send to max(next send, now) + 1/rateLimit and
   * marks the message attempted (attempts + 1), so nothing coalesces into it from then on.
   */
  claim(input: ClaimInput): Promise<readonly DeliveryClaim[]>;
  /** Extends the leases of targets that have not been claimed again since, also when they have run out, as `LeaseStore.renew` does. */
  renew(held: readonly DeliveryFence[], leaseMs: number): Promise<void>;
  /**
   * Records attempts and outcomes, at most one of each target. An element of the answer is false when another claim has been
   * made meanwhile (the attempt is recorded all the same) or the target is gone.
   */
  acknowledge(acknowledgements: readonly Acknowledgement[]): Promise<readonly boolean[]>;
  /**
   * `acknowledge`, then `claim`, in one transaction: what is acknowledged here can be claimed here again. For a sender's
   * loop, which has both to do again and again, half the commits.
   */
  turnOver(acknowledgements: readonly Acknowledgement[], input: ClaimInput): Promise<readonly DeliveryClaim[]>;
  /** Earliest time at which a claim with this room may find something; null when nothing waits. */
  nextDueAt(room?: DeliveryRoom): Promise<number | null>;
  /** Newest first. */
  listAttempts(
    applicationId: string,
    targetId: string,
    input: { readonly after?: { readonly at: number; readonly id: string }; readonly limit: number },
  ): Promise<readonly AttemptRow[]>;
  /**
   * Puts a message back into its target's line under its id, due at once and with all its attempts before it, whatever its
   * state. `disabled`: nothing happened because its target is; `unknown`: there is no such message.
   */
  redeliver(applicationId: string, targetId: string, messageId: string): Promise<'enqueued' | 'disabled' | 'unknown'>;
  /** The same for all messages created from `since` on that are dead or wait for a retry; resolves with their number. */
  recover(applicationId: string, targetId: string, since: number): Promise<number | 'disabled' | 'unknown'>;
  /** Removes attempts, and messages that no longer wait (or whose target is disabled), older than `before`, not all at once; resolves with the number removed. */
  purge(before: number): Promise<number>;
}
