import type { WebhookMessage } from '../model/index.ts';
import type { DeliveryClaim, OutboundResult } from '../ports/index.ts';

/** Outcome of one attempt. A handler of this process has no status; without a failure, it has taken the message. */
export interface AttemptResult extends Omit<OutboundResult, 'failure'> {
  readonly failure: OutboundResult['failure'] | 'handler-error';
}

/** Makes one attempt to deliver a claimed message, as its receiver sees it. `at` is its time, epoch ms. Failures are results, not errors. */
export type SendMessage = (claim: DeliveryClaim, at: number, shown: WebhookMessage) => Promise<AttemptResult>;
