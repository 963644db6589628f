import { z } from 'zod';
import { accountStatus } from './account.ts';
import { dateTimeText, PAGE_SIZE, pageParameters } from './primitives.ts';
import { messageRate, messageType } from './subscription.ts';

/** Endpoint that receives the application's messages about its accounts. */
export const webhookEndpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    rateLimit: z.number().nullable(),
    disabledAt: dateTimeText.nullable(),
    createdAt: dateTimeText,
    updatedAt: dateTimeText,
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;

/** Body of POST /v1/webhookEndpoints. */
export const webhookEndpointCreate = z
  .strictObject({
    webhookUrl: z.string().max(2048, 'must be at most 2048 characters'),
    rateLimit: messageRate,
  })
  .meta({ id: 'WebhookEndpointCreate' });

export type WebhookEndpointCreate = z.input<typeof webhookEndpointCreate>;

export const webhookEndpointCreated = z
  .object({ webhookEndpointId: z.string(), endpointSecret: z.string() })
  .meta({ id: 'WebhookEndpointCreated' });
export type WebhookEndpointCreated = z.infer<typeof webhookEndpointCreated>;

/** Query of GET /v1/webhookEndpoints. */
export const webhookEndpointListQuery = z.strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum));
export type WebhookEndpointListQuery = z.input<typeof webhookEndpointListQuery>;

/** Body of an account notification. */
export const accountMessage = z
  .object({
    eventType: messageType,
    timestamp: dateTimeText,
    data: z.object({
      endUserAccountId: z.string(),
      externalId: z.string().nullable(),
      email: z.string(),
      providerType: z.string(),
      status: accountStatus,
    }),
  })
  .meta({ id: 'AccountMessage' });
export type AccountMessage = z.infer<typeof accountMessage>;
