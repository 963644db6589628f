import type { WebhookMessage } from '../model/index.ts';
import type { MessageRow } from '../ports/index.ts';

type Content = Pick<MessageRow, 'eventType' | 'timestamp' | 'data'>;

/** Returns the message as receivers see it: exactly eventType and timestamp for calendars (spec §6.2), with `data` for accounts. */
export function messageOf({ eventType, timestamp, data }: Content): WebhookMessage {
  const message = { eventType, timestamp: new Date(timestamp).toISOString() };
  // The outbox has data in messages about accounts, and in no others.
  return (data === null ? message : { ...message, data: JSON.parse(data) }) as WebhookMessage;
}

/** Returns the body that is signed. */
export const messageBody = (message: Content): string => JSON.stringify(messageOf(message));
