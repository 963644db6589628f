import type { Receiver, WebhookDelivery } from 'kalends/model';
import type { Tone } from '../../parts/state-label.tsx';
import type { webhooksTexts } from '../../texts/en/webhooks.ts';

export type ReceiverState = keyof typeof webhooksTexts.states;

export const STATE_TONES: Readonly<Record<ReceiverState, Tone>> = {
  delivering: 'good',
  failing: 'warning',
  disabled: 'bad',
  silent: 'neutral',
};

export const OUTCOME_TONES: Readonly<Record<WebhookDelivery['outcome'], Tone>> = {
  delivered: 'good',
  retry: 'warning',
  dead: 'bad',
  disabled: 'bad',
};

/** Returns the state of a receiver; `hasAttempts` is undefined while its log is being read. */
export function stateOf({ disabledAt, failingSince }: Receiver, hasAttempts: boolean | undefined): ReceiverState {
  if (disabledAt !== null) return 'disabled';
  if (failingSince !== null) return 'failing';
  return hasAttempts === false ? 'silent' : 'delivering';
}

/** Returns the middle one of the latencies, in milliseconds. */
export function medianLatency(deliveries: readonly WebhookDelivery[]): number {
  const sorted = deliveries.map(({ latencyMs }) => latencyMs).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Counts messages whose newest attempt in a log, newest first, has failed. */
export function failedMessages(deliveries: readonly WebhookDelivery[], sinceMs = Number.NEGATIVE_INFINITY): number {
  const newest = new Map<string, WebhookDelivery>();
  for (const each of deliveries) if (!newest.has(each.messageId)) newest.set(each.messageId, each);
  return [...newest.values()].filter(
    ({ outcome, attemptedAt }) => outcome !== 'delivered' && Date.parse(attemptedAt) >= sinceMs,
  ).length;
}
