import { deliveryListQuery, recoverBody, redeliverBody, secretRotated, webhookDelivery } from 'kalends/model';
import { z } from 'zod';
import type { Route } from '../route.ts';

/** A route that subscriptions and endpoints share, without its call. `one` is the path of the single object. */
type Described = Omit<Route, 'handle'>;

export function listDeliveries(one: string, tag: string, operationId: string): Described {
  return {
    method: 'get',
    path: `${one}/deliveries`,
    operationId,
    tag,
    summary: 'Extension: list the attempts of the last 30 days',
    description: "With the answer's first kilobyte and what was decided after each attempt.",
    access: 'key',
    query: deliveryListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of attempts, newest first.',
        schema: z.object({ data: z.array(webhookDelivery), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
  };
}

export function redeliver(one: string, tag: string, operationId: string): Described {
  return {
    method: 'post',
    path: `${one}/redeliver`,
    operationId,
    tag,
    summary: 'Extension: send a message again',
    description: 'At once, under the same hook-id, and with the full schedule of attempts.',
    access: 'key',
    body: { schema: redeliverBody, required: true },
    answers: [{ status: 200, description: 'The message is due.', schema: z.object({ success: z.boolean() }) }],
    errors: ['NotFound', 'Conflict'],
  };
}

export function recover(one: string, tag: string, operationId: string): Described {
  return {
    method: 'post',
    path: `${one}/recover`,
    operationId,
    tag,
    summary: 'Extension: send again what failed since a time',
    description: 'Every message since then that was given up or waits for a retry, under its own hook-id.',
    access: 'key',
    body: { schema: recoverBody, required: true },
    answers: [
      {
        status: 200,
        description: 'The number of messages that are due.',
        schema: z.object({ recovered: z.number() }),
      },
    ],
    errors: ['NotFound', 'Conflict'],
  };
}

export function rotateSecret(one: string, tag: string, operationId: string): Described {
  return {
    method: 'post',
    path: `${one}/rotateSecret`,
    operationId,
    tag,
    summary: 'Extension: replace the signing secret',
    description:
      'No later answer shows the new secret. The one before it signs messages too for 24 hours, whatever rotations follow, up to four at a time.',
    access: 'key',
    answers: [{ status: 200, description: 'The new secret.', schema: secretRotated }],
    errors: ['NotFound', 'Conflict'],
  };
}
