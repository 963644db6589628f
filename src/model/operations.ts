import { z } from 'zod';
import { accountStatus } from './account.ts';
import { dateTimeText, PAGE_SIZE, pageParameters, timestamps } from './primitives.ts';
import { disabledAt, rateLimit, subscriptionType } from './subscription.ts';

/** Progress of a sync that an operator has begun, over the collections of one account. */
export const syncProgress = z
  .object({
    since: dateTimeText.meta({ description: 'The beginning of the sync.' }),
    total: z.number().meta({ description: 'Collections to pull: the calendar list, and each mirrored calendar.' }),
    done: z.number().meta({ description: 'Pulled since then.' }),
    failed: z.number().meta({ description: 'Failed since then, and not pulled yet; they are tried again.' }),
  })
  .meta({
    id: 'SyncProgress',
    description: 'Progress of a sync that an operator has begun, over the collections of an account.',
  });

/** State of one collection: the events of a calendar, or the calendar list. */
export const collectionHealth = z
  .object({
    calendarId: z.string().nullable().meta({ description: 'null for the calendar list.' }),
    syncedAt: dateTimeText
      .nullable()
      .meta({ description: 'Start of the provider request that the mirror reflects; null before the first pull.' }),
    pollEveryMs: z.number().nullable().meta({
      description: 'Longest time between two background polls; null while only reads and pushes cause pulls.',
    }),
    dueAt: dateTimeText.nullable().meta({ description: 'Next background pull.' }),
    isPushPending: z.boolean().meta({ description: 'A notification has arrived that no pull has answered yet.' }),
    channel: z
      .object({
        kind: z.enum(['push', 'poll']).describe('Whether the provider notifies, or the service polls.'),
        expiresAt: dateTimeText.describe('When it is renewed at the latest.'),
      })
      .nullable()
      .meta({ description: 'Push channel at the provider, or the poll that replaces one.' }),
    setAside: z.number().meta({ description: 'Objects that cannot be read; see `unreadableObjects` of the account.' }),
    failures: z.number().meta({ description: 'Pulls that have failed in a row.' }),
    lastFailure: z
      .object({ code: z.string().describe('Name of the error.'), at: dateTimeText.describe('Time of the failure.') })
      .nullable()
      .meta({ description: 'The code is that of an error of the interface; null after a success.' }),
    missingSince: dateTimeText.nullable().meta({ description: 'Since when the provider has not listed the calendar.' }),
  })
  .meta({
    id: 'CollectionHealth',
    description: 'State of one collection: the events of a calendar, or the calendar list.',
  });

/** State of an account's sync. */
export const syncHealth = z
  .object({
    status: accountStatus,
    coolDownUntil: dateTimeText.nullable().meta({ description: 'The provider has throttled the account until then.' }),
    backoffFactor: z
      .number()
      .meta({ description: 'Polls are stretched by this factor after throttling, as the answering process knows it.' }),
    progress: syncProgress.nullable().meta({ description: 'Of the sync begun at `since`; null without it.' }),
    collections: z.array(collectionHealth).meta({ description: 'The calendar list first, then calendars by id.' }),
  })
  .meta({ id: 'SyncHealth', description: "State of an account's sync." });

/** Query of GET /admin/v1/applications/{applicationId}/accounts/{accountId}/syncHealth. */
export const syncHealthQuery = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z' })
      .optional()
      .meta({ description: 'Beginning of a sync, to add its progress.' }),
  })
  .describe("Query of the state of an account's sync.");

/** Where a person reconnects an account. */
export const reconnectLink = z
  .object({
    url: z.string().meta({ description: 'To be opened in the browser of the person whose account it is.' }),
  })
  .meta({ id: 'ReconnectLink', description: 'Where a person reconnects an account.' });

/** A receiver of messages: a subscription of an account, or an endpoint of the application. */
export const receiver = z
  .object({
    id: z.string().describe('Id of the subscription or endpoint.'),
    kind: z.enum(['subscription', 'endpoint']).describe('Kind of receiver.'),
    url: z.string().meta({ description: 'User-info and values of the query are masked.' }),
    endUserAccountId: z.string().nullable().meta({ description: 'null for an endpoint.' }),
    calendarId: z.string().nullable().describe('null for an endpoint, and for a whole account.'),
    subscriptionType: subscriptionType.nullable().meta({ description: 'null for an endpoint.' }),
    rateLimit,
    disabledAt,
    failingSince: dateTimeText.nullable().meta({ description: 'First failure since the last success.' }),
    ...timestamps,
  })
  .meta({
    id: 'Receiver',
    description: 'A receiver of messages: a subscription of an account, or an endpoint of the application.',
  });

/** Query of GET /admin/v1/applications/{applicationId}/receivers. */
export const receiverListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum))
  .describe('Query of the list of receivers.');
