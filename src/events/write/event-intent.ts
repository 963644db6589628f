import type { NewIntent } from '../../intents/index.ts';
import type { WriteReached } from '../../mirror/index.ts';
import type { EventChange, IntentRef, ItemVersion } from '../../ports/index.ts';
import type { WritePlace } from './write-place.ts';

/** Groups and their present items, and the calendar's zone. */
export interface KnownGroups {
  readonly groupIds: readonly string[];
  readonly items: readonly ItemVersion[];
  readonly timeZone: string;
}

/** A held intent to write events of one calendar. Its lease is renewed while the work goes on. */
export interface EventIntent {
  readonly ref: IntentRef;
  /** The journal as last recorded. */
  readonly data: unknown;
  /** The groups that it holds as they are, where that is known without a look at the mirror. */
  readonly held: KnownGroups | undefined;
  /**
   * Writes a step of the journal down, durable when this resolves. `groupIds` are held from then on.
   * @throws KalendsError Conflict when another process has claimed the intent: stop, without another call
   */
  record(
    data: unknown,
    hold?: { readonly groupIds?: readonly string[]; readonly holdsNewItems?: boolean },
  ): Promise<void>;
  /**
   * Mirrors what the provider said; the intent goes on. `deletedId` as Mirror.applyEvents has it.
   * @throws KalendsError Conflict as above
   */
  apply(changes: readonly EventChange[], options?: { readonly deletedId?: string }): Promise<WriteReached>;
  /**
   * Mirrors what the provider said and ends the intent, with the messages, in one transaction. With an idempotency key `result` is
   * kept. `deletedId` and `isNew` as Mirror.applyEvents has them. @throws KalendsError Conflict as above
   */
  finish(
    changes: readonly EventChange[],
    options?: { readonly deletedId?: string; readonly isNew?: boolean; readonly result?: unknown },
  ): Promise<WriteReached>;
  /** Ends the intent without a commit: the provider has changed nothing. */
  cancel(): Promise<void>;
}

/**
 * Finishes or undoes an edit of a series that its process left half-way, from the journal in `intent.data`; ends the intent when it is
 * done. What it throws leaves the intent to a later attempt.
 */
export type ResumeSeriesEdit = (place: WritePlace, intent: EventIntent) => Promise<void>;

/** Opens intents for writes to events. */
export interface IntentOpener {
  /**
   * Does work under a new intent, waiting for other writers of the same groups. Work that ends without having finished or
   * cancelled the intent, by an error or not, abandons it; it is settled within seconds.
   * @throws KalendsError Conflict when others have been writing to a group for too long
   */
  openIntent<Result>(
    place: WritePlace,
    order: Pick<NewIntent, 'kind' | 'groupIds' | 'data'>,
    work: (intent: EventIntent) => Promise<Result>,
  ): Promise<Result>;
}
