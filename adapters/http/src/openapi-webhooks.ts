import type { accountMessage, calendarMessage, eventMessage } from 'kalends/model';
import { z } from 'zod';

/** A message that the product sends, as its OpenAPI document describes it. */
export interface DescribedMessage {
  readonly name: string;
  readonly summary: string;
  readonly schema: typeof calendarMessage | typeof eventMessage | typeof accountMessage;
  /** Its form for receivers that want CloudEvents, where they may. */
  readonly cloudEvent?: z.ZodObject;
}

/** Returns the CloudEvents form of a message, named `id`. */
export function cloudEventOf(id: string, message: typeof calendarMessage | typeof eventMessage): z.ZodObject {
  const { eventType, timestamp } = message.shape;
  const content =
    'data' in message.shape
      ? {
          subject: z.string().describe('Id of the event or series.'),
          datacontenttype: z.literal('application/json'),
          data: message.shape.data,
        }
      : {};
  return z
    .object({
      specversion: z.literal('1.0'),
      id: z.string().describe('The hook-id of the message.'),
      source: z.string().describe('Path of the subscription.'),
      type: eventType,
      time: timestamp,
      ...content,
    })
    .meta({ id, description: 'A message as CloudEvents 1.0 in structured JSON.' });
}

const SIGNED = {
  id: 'Id of the message, the same at each attempt.',
  timestamp: 'Time of the attempt, in whole seconds since 1970.',
  signature: '`v1,` and the HMAC-SHA256 in base64, for each secret that is valid; separated by spaces.',
};

/** Headers of every message. */
const signatureHeaders = z.object(
  Object.fromEntries(
    ['hook', 'webhook'].flatMap((prefix) =>
      Object.entries(SIGNED).map(([name, description]) => [`${prefix}-${name}`, z.string().meta({ description })]),
    ),
  ),
);

/** Returns the request by which a message is sent. */
export function messageRequest({ schema, cloudEvent }: DescribedMessage) {
  return {
    headers: signatureHeaders,
    body: {
      required: true,
      content: {
        'application/json': { schema },
        ...(cloudEvent === undefined ? {} : { 'application/cloudevents+json': { schema: cloudEvent } }),
      },
    },
  };
}
