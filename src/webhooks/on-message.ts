import type { Caller } from '../callers.ts';
import { invalid } from '../errors.ts';
import { type MessageHandler, ON_MESSAGE_URL } from '../message-handler.ts';
import type { Clock, Logger, Telemetry } from '../ports/index.ts';
import { describeError, inSpan, withDeadline } from '../runtime/index.ts';
import type { AttemptResult, SendMessage } from './send-message.ts';
import type { WebhookUrlCheck } from './webhook-url.ts';

/** Host of `ON_MESSAGE_URL`, as the outbox stores it: no other receiver has an empty one. */
export const ON_MESSAGE_HOST = '';

/** Creates the function that delivers by the handler. Errors are logged, and not shown in the log of deliveries. */
export function createMessageCalls(dependencies: {
  readonly onMessage: MessageHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  readonly timeoutMs: number;
}): SendMessage {
  const { onMessage, clock, logger, telemetry, timeoutMs } = dependencies;

  const handle: SendMessage = async ({ target, message }, at, shown) => {
    const { id, attempts: attempt } = message;
    const { applicationId, id: receiverId, accountId: endUserAccountId, subscriptionType } = target;
    // The one that such a subscription was created with is shown in its list, but says nothing about its messages.
    const calendarId = subscriptionType === 'calendar' ? null : target.calendarId;
    let failure: AttemptResult['failure'] = null;
    let deadline: AbortSignal | undefined;
    try {
      await withDeadline(clock, timeoutMs, async (signal) => {
        deadline = signal;
        const delivery = { id, attempt, applicationId, receiverId, endUserAccountId, calendarId, signal };
        await onMessage(shown, delivery);
      });
    } catch (error) {
      // A call of the engine within the handler may have had a deadline of its own.
      failure = deadline?.aborted === true && error === deadline.reason ? 'timeout' : 'handler-error';
      logger.error('onMessage failed', { messageId: id, receiverId, attempt, error: describeError(error) });
    }
    return { status: null, failure, retryAfterMs: null, excerpt: '', latencyMs: clock.now() - at };
  };

  return (claim, at, shown) =>
    inSpan('kalends.onMessage', {}, async () => {
      const answer = await handle(claim, at, shown);
      const result = answer.failure ?? 'handled';
      telemetry.count('kalends_deliveries_total', { result });
      telemetry.observe('kalends_delivery_duration_seconds', { result }, answer.latencyMs / 1_000);
      return answer;
    });
}

/** Checks the URL of a new receiver. @throws KalendsError InvalidRequest naming webhookUrl */
export type ReceiverCheck = (url: string, caller: Caller) => Promise<void>;

/** Creates the check. Only the embedding program may direct messages to itself, never the owner of an API key. */
export function createReceiverCheck({
  urls,
  hasHandler,
}: {
  readonly urls: WebhookUrlCheck;
  readonly hasHandler: boolean;
}): ReceiverCheck {
  return async (url, { apiKeyId }) => {
    if (url !== ON_MESSAGE_URL || apiKeyId !== undefined) return urls.check(url);
    if (!hasHandler) throw invalid('webhookUrl', `is ${ON_MESSAGE_URL}, which needs the engine's option onMessage`);
  };
}
