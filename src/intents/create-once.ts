import { KalendsError } from '../errors.ts';
import { LEASE_MS } from '../leases/index.ts';
import { type CollectionKey, type IntentRow, type IntentStore, ProviderError } from '../ports/index.ts';
import type { HeldIntent } from './held-intent.ts';
import type { IntentKeeper } from './intent-keeper.ts';
import { changedNothing } from './provider-outcome.ts';

/** How long an idempotency key is remembered. */
export const KEY_KEPT_MS = 86_400_000;

/** The created value, and the first revision of the mirror that shows it. */
export interface Created<Value> {
  readonly value: Value;
  readonly revision: number;
}

export interface Creation<Value> {
  readonly key: CollectionKey;
  readonly idempotency: IntentRow['idempotency'];
  readonly data: unknown;
  /** True when it takes several calls: no pull shows a part of it before the intent ends. @default false */
  readonly holdsNewItems?: boolean;
  /**
   * Creates it with the intent's id as request id, mirrors it and ends the intent with the value in one transaction.
   * `isRepeat`: an earlier attempt under the same intent may have done so, in whole or in part.
   */
  perform(intent: HeldIntent, isRepeat: boolean): Promise<Created<Value>>;
}

/**
 * Creates something at the provider once for each idempotency key: a request with the key of a creation under way waits
 * for its result; an abandoned creation is repeated under its own request id. A refusal frees the key.
 * @throws KalendsError IdempotencyKeyReused for a key that came with another body, Conflict after waiting for too long
 */
export async function createOnce<Value>(
  { intents, keeper }: { readonly intents: IntentStore; readonly keeper: IntentKeeper },
  creation: Creation<Value>,
): Promise<Created<Value>> {
  const { key, idempotency, data, holdsNewItems = false, perform } = creation;
  const wait = keeper.startWaiting();
  const order = { key, kind: 'create', groupIds: [], holdsNewItems, data, idempotency } as const;

  const attempt = async (intent: HeldIntent, isRepeat: boolean) => {
    try {
      return await perform(intent, isRepeat);
    } catch (error) {
      // A repetition that is refused says nothing about what came before it.
      const isRefused = ProviderError.isInstance(error) && changedNothing(error);
      if (isRefused) intent.isOver = await intents.end(intent.ref, isRepeat ? { keepMs: KEY_KEPT_MS } : undefined);
      throw error;
    }
  };

  const repeatAttempt = async (intent: HeldIntent) => {
    // A lapsed intent holds nothing: the repetition would show its parts to pulls one by one.
    if (intent.intent.holdsNewItems !== holdsNewItems) {
      await intents.record(intent.ref, { data: intent.intent.data, holdsNewItems });
    }
    return await attempt(intent, true);
  };

  for (;;) {
    const begun = await keeper.begin(order);
    if (begun.kind === 'begun') return await keeper.work(begun, (intent) => attempt(intent, false));
    const { by } = begun;
    if (by.idempotency?.bodyHash !== idempotency?.bodyHash) {
      throw new KalendsError('IdempotencyKeyReused', 'The Idempotency-Key has been used with another body.');
    }
    if (by.result !== null) return { value: by.result.value as Value, revision: by.result.revision };
    const claimed = by.state === 'held' ? undefined : await intents.claim(key.applicationId, by.id, LEASE_MS);
    if (claimed !== undefined) return await keeper.work(claimed, repeatAttempt);
    await wait();
  }
}
