import { z } from 'zod';
import { accountStatus, endUserAccount } from './account.ts';
import { PAGE_SIZE, pageParameters, timestamps } from './primitives.ts';
import {
  accountMessageType,
  calendarMessage,
  disabledAt,
  endpointSecret,
  eventMessage,
  messageRate,
  rateLimit,
  timestamp,
  webhookUrl,
} from './subscription.ts';

/** Endpoint that receives the application's messages about its accounts. */
export const webhookEndpoint = z
  .object({
    id: z.string().describe('Id of the endpoint, `whe_…`.'),
    url: z.string().describe('Where its messages are sent.'),
    rateLimit,
    disabledAt,
    ...timestamps,
  })
  .meta({ id: 'WebhookEndpoint', description: "A receiver of the application's messages about its accounts." });

/** Body of POST /v1/webhookEndpoints. */
export const webhookEndpointCreate = z
  .strictObject({
    webhookUrl,
    rateLimit: messageRate,
  })
  .meta({ id: 'WebhookEndpointCreate', description: 'An endpoint to create.' });

export const webhookEndpointCreated = z
  .object({ webhookEndpointId: z.string().describe('Id of the endpoint, `whe_…`.'), endpointSecret })
  .meta({ id: 'WebhookEndpointCreated', description: 'An endpoint that was created.' });

/** Query of GET /v1/webhookEndpoints. */
export const webhookEndpointListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum))
  .describe('Query of the list of endpoints.');

/** Body of an account notification. */
export const accountMessage = z
  .object({
    eventType: accountMessageType,
    timestamp,
    data: z
      .object({
        endUserAccountId: z.string().describe('Id of the account, `acc_…`.'),
        ...endUserAccount.pick({ externalId: true, email: true, providerType: true }).shape,
        status: accountStatus,
      })
      .describe('The account after the change, or as it was before its deletion.'),
  })
  .meta({ id: 'AccountMessage', description: 'Tells that an account has changed.' });

export const webhookMessage = z
  .discriminatedUnion('eventType', [calendarMessage, eventMessage, accountMessage])
  .describe('A message: `eventType` tells one about a calendar, an event or an account from the others.');
