export { type Created, createOnce, KEY_KEPT_MS } from './create-once.ts';
export type { HeldIntent } from './held-intent.ts';
export { idempotencyOf } from './idempotency-key.ts';
export { createIntentKeeper, type IntentKeeper, type NewIntent, type SettleIntent } from './intent-keeper.ts';
export { changedNothing, isRefusal, wasNotCarriedOut } from './provider-outcome.ts';
