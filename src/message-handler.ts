import type { WebhookMessage } from './model/index.ts';

/** `webhookUrl` of receivers whose messages go to the engine's option `onMessage`, in a process that has one. */
export const ON_MESSAGE_URL = 'kalends:onMessage';

/** Facts that accompany a message. A webhook has them in its URL and its headers. */
export interface MessageDelivery {
  /** Id of the message (`msg_…`), a webhook's `hook-id`: the same at each attempt. */
  readonly id: string;
  /** Number of the attempt, from 1 on. */
  readonly attempt: number;
  readonly applicationId: string;
  /** The subscription (`whs_…`) or endpoint (`whe_…`). */
  readonly receiverId: string;
  /** Account of the subscription; null for an endpoint, whose messages name theirs in `data`. */
  readonly endUserAccountId: string | null;
  /** Calendar of the subscription; null for an endpoint and for a subscription to the whole account. */
  readonly calendarId: string | null;
  /** Aborted after `webhooks.timeoutMs`, when the attempt counts as failed. */
  readonly signal: AbortSignal;
}

/**
 * Handles a message in this process: the body of a webhook, and the facts that accompany it. Once it has returned, or its promise is
 * fulfilled, the message is delivered; an error makes the engine try again, on the schedule of webhooks. Must accept a
 * message twice, under the same id.
 */
export type MessageHandler = (message: WebhookMessage, delivery: MessageDelivery) => Promise<unknown> | unknown;
