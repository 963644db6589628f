import type { EventChange, IntentRef } from '../../ports/index.ts';
import type { WritePlace } from './write-place.ts';

/** An intent in this process's hands. Its lease is extended as long as the work goes on. */
export interface HeldIntent {
  readonly ref: IntentRef;
  /** The journal as last recorded. */
  readonly data: unknown;
  /**
   * Writes a step of the journal down, durable when this resolves. `groupIds` are held from then on.
   * @throws KalendsError Conflict when the intent has passed to somebody else: stop, without another call
   */
  record(
    data: unknown,
    hold?: { readonly groupIds?: readonly string[]; readonly holdsNewItems?: boolean },
  ): Promise<void>;
  /** Mirrors what the provider said; the intent goes on. `aimedAt` as Mirror.applyEvents has it. @throws KalendsError Conflict as above */
  apply(changes: readonly EventChange[], options?: { readonly aimedAt?: string }): Promise<void>;
  /**
   * Mirrors what the provider said and ends the intent, with the messages, in one transaction; resolves with the revision
   * afterwards. With an idempotency key `result` is kept. @throws KalendsError Conflict as above
   */
  finish(
    changes: readonly EventChange[],
    options?: { readonly aimedAt?: string; readonly result?: unknown },
  ): Promise<number>;
  /** Ends the intent with nothing to mirror: the provider has been left as it was. */
  cancel(): Promise<void>;
}

/**
 * Finishes or undoes a split that its process left half-way, from the journal in `intent.data`; ends the intent when it is
 * done. What it throws leaves the intent to a later attempt.
 */
export type ResumeSplit = (place: WritePlace, intent: HeldIntent) => Promise<void>;

/** What an intent is about; see IntentRow. */
export interface IntentOrder {
  readonly kind: 'update' | 'delete' | 'respond' | 'split';
  readonly groupIds: readonly string[];
  readonly holdsNewItems?: boolean;
  readonly data: unknown;
}

/** Opens intents for writes to events. */
export interface IntentRoom {
  /**
   * Does work under a new intent, waiting for other writers of the same groups. Work that ends without having finished or
   * cancelled the intent, by an error or not, leaves it to the sweeper, which comes soon.
   * @throws KalendsError Conflict when others have been writing to a group for too long
   */
  under<Result>(place: WritePlace, order: IntentOrder, work: (intent: HeldIntent) => Promise<Result>): Promise<Result>;
}
