import { KalendsError } from '../errors.ts';
import { type CollectionKey, type IntentRow, type IntentStore, ProviderError } from '../ports/index.ts';
import { LEASE_MS } from '../runtime/index.ts';
import type { IntentKeeper } from './intent-keeper.ts';
import { wasRefused } from './provider-outcome.ts';
import type { TrackedIntent } from './tracked-intent.ts';

/** How long an idempotency key is remembered. */
export const KEY_KEPT_MS = 86_400_000;

/** What was made, and the revision at which the mirror shows it first. */
export interface Created<Value> {
  readonly value: Value;
  readonly revision: number;
}

export interface Creation<Value> {
  readonly key: CollectionKey;
  readonly idempotency: IntentRow['idempotency'];
  readonly data: unknown;
  /**
   * Creates it with the intent's id as request id, mirrors it and ends the intent with the value in one transaction.
   * `isRepeat`: somebody may have done so already, in whole or in part, under the same intent.
   */
  perform(intent: TrackedIntent, isRepeat: boolean): Promise<Created<Value>>;
}

/**
 * Creates something at the provider once for each idempotency key: whoever comes with the key of a creation that is under
 * way waits for it and gets its result; one that was left behind is repeated under its own request id. A refusal frees the
 * key.
 * @throws KalendsError IdempotencyKeyReused for a key that came with another body, Conflict after waiting for too long
 */
export async function createOnce<Value>(
  { intents, keeper }: { readonly intents: IntentStore; readonly keeper: IntentKeeper },
  creation: Creation<Value>,
): Promise<Created<Value>> {
  const { key, idempotency, data, perform } = creation;
  const wait = keeper.createPatience();
  const order = { key, kind: 'create', groupIds: [], holdsNewItems: false, data, idempotency } as const;

  const attempt = async (intent: TrackedIntent, isRepeat: boolean) => {
    try {
      return await perform(intent, isRepeat);
    } catch (error) {
      // A repetition that is refused says nothing about what came before it.
      const isRefused = ProviderError.isInstance(error) && wasRefused(error);
      if (isRefused) intent.isOver = await intents.end(intent.ref, isRepeat ? { keepMs: KEY_KEPT_MS } : undefined);
      throw error;
    }
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
    if (claimed !== undefined) return await keeper.work(claimed, (intent) => attempt(intent, true));
    await wait();
  }
}
