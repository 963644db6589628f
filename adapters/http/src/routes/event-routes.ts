import {
  calendarEvent,
  deletedEvent,
  eventAttachmentList,
  eventCreate,
  eventDescription,
  eventDescriptionQuery,
  eventGetQuery,
  eventListQuery,
  eventNotifyQuery,
  eventUpdate,
  eventWriteQuery,
  occurrenceListQuery,
  parseInput,
  rsvpBody,
} from 'kalends/model';
import { z } from 'zod';
import { type Answer, bodyOf, type Call, parameter, type Route } from '../route.ts';
import { EXPIRED_ACCOUNT, PROVIDER_FAILURES, serializedAnswer, syncedAnswer } from './mirrored-answer.ts';

const tag = 'Calendar Events';

const eventPage = z.object({
  data: z.array(z.union([calendarEvent, deletedEvent])),
  nextPageToken: z.string().optional(),
  nextSyncToken: z.string().optional(),
  revision: z
    .string()
    .optional()
    .describe('Extension, beside nextSyncToken: the revision of the list, which messages with records follow on.'),
  digest: z
    .string()
    .optional()
    .describe(
      'Extension, beside nextSyncToken of a list with `digest=true`: the digest of its records, 32 hexadecimal digits.',
    ),
  isVerified: z
    .boolean()
    .optional()
    .describe(
      'Extension, with `verify=true`: whether the digest advanced by sync results is that of a full read, which is told.',
    ),
});

const listErrors = [
  'InvalidPageToken',
  'InvalidSyncToken',
  'SyncTokenMismatch',
  'SyncTokenExpired',
  'NotFound',
  ...EXPIRED_ACCOUNT,
  'CalendarSyncing',
  ...PROVIDER_FAILURES,
] as const;
const writeErrors = [
  'NotFound',
  'CalendarReadOnly',
  'Forbidden',
  ...EXPIRED_ACCOUNT,
  'Conflict',
  'UnsupportedByProvider',
  'CalendarSyncing',
  ...PROVIDER_FAILURES,
] as const;

const place = (call: Call) =>
  [call.caller, parameter(call, 'endUserAccountId'), parameter(call, 'calendarId')] as const;
const placeOfEvent = (call: Call) => [...place(call), parameter(call, 'eventId')] as const;
const withEtag = (event: { readonly etag: string }, status: 200 | 201 = 200): Answer => ({
  status,
  body: event,
  headers: { etag: event.etag },
});
const repetition = ({ idempotencyKey }: Call) => (idempotencyKey === undefined ? {} : { idempotencyKey });
const condition = (call: Call) => (call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch });
// Parsed here, so that a parameter of the query cannot stand for a header.
const edit = (call: Call) => ({ ...parseInput(eventWriteQuery, call.query), ...condition(call) });
const answering = (call: Call) => ({ ...parseInput(eventNotifyQuery, call.query), ...condition(call) });
const creation = (call: Call) => ({ ...parseInput(eventNotifyQuery, call.query), ...repetition(call) });

export const eventRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/events/{endUserAccountId}/{calendarId}',
    operationId: 'listEvents',
    tag,
    summary: 'List events, expanded or not, or the changes of such a list since a sync token',
    description:
      'From the mirror, without a call of the provider. `expandRecurrences=true` demands a window and lists occurrences; otherwise a series is one event with its rule. The last page has `nextSyncToken`: the same request with it lists only what has changed since, deletions included.',
    access: 'key',
    query: eventListQuery,
    tellsAge: true,
    answers: [
      { status: 200, description: 'A page; nextPageToken while pages follow, else nextSyncToken.', schema: eventPage },
    ],
    errors: listErrors,
    handle: async (call) => serializedAnswer(await call.engine.events.listJson(...place(call), call.query)),
  },
  {
    method: 'get',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}',
    operationId: 'getEvent',
    tag,
    summary: 'Get an event, a series or an occurrence',
    description:
      'The id of a series gives its rule and first times, the id of an occurrence the occurrence. The `ETag` of the answer is what `If-Match` of a write takes.',
    access: 'key',
    query: eventGetQuery,
    answers: [{ status: 200, description: 'The event.', schema: calendarEvent }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => withEtag(await call.engine.events.get(...placeOfEvent(call), call.query)),
  },
  {
    method: 'get',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}/occurrences',
    operationId: 'listOccurrences',
    tag,
    summary: 'List the occurrences of one event',
    description:
      'The occurrences of a series within the window, changed ones in their changed form and cancelled ones with `isCancelled`. An event without a rule is its own only occurrence.',
    access: 'key',
    query: occurrenceListQuery,
    tellsAge: true,
    answers: [
      { status: 200, description: 'A page; nextPageToken while pages follow, else nextSyncToken.', schema: eventPage },
    ],
    errors: listErrors,
    handle: async (call) => syncedAnswer(await call.engine.events.listOccurrences(...placeOfEvent(call), call.query)),
  },
  {
    method: 'get',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}/attachments',
    operationId: 'listAttachments',
    tag,
    summary: 'Extension: list the attachments of an event, as the provider has them now',
    description: 'Read from the provider at each request: names, types, sizes and links, not the files.',
    access: 'key',
    answers: [{ status: 200, description: 'All attachments.', schema: eventAttachmentList }],
    errors: ['NotFound', 'Forbidden', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({ body: await call.engine.events.listAttachments(...placeOfEvent(call)) }),
  },
  {
    method: 'get',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}/description',
    operationId: 'getDescription',
    tag,
    summary: 'Extension: get the description of an event as HTML or text, as the provider has it now',
    description: 'Read whole from the provider at each request: its own HTML, or plain text.',
    access: 'key',
    query: eventDescriptionQuery,
    answers: [{ status: 200, description: 'The whole description.', schema: eventDescription }],
    errors: ['NotFound', 'Forbidden', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({ body: await call.engine.events.getDescription(...placeOfEvent(call), call.query) }),
  },
  {
    method: 'post',
    path: '/v1/events/{endUserAccountId}/{calendarId}',
    operationId: 'createEvent',
    tag,
    summary: 'Create an event',
    description:
      'Written to the provider, and in the mirror before the answer. With an `Idempotency-Key`, a repetition creates nothing and gets the first answer.',
    access: 'key',
    query: eventNotifyQuery,
    body: { schema: eventCreate, required: true },
    takesIdempotencyKey: true,
    sendsEtag: true,
    answers: [{ status: 201, description: 'The event as created.', schema: calendarEvent }],
    errors: [...writeErrors, 'IdempotencyKeyReused'],
    handle: async (call) =>
      withEtag(await call.engine.events.create(...place(call), bodyOf(call), creation(call)), 201),
  },
  {
    method: 'put',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}',
    operationId: 'updateEvent',
    tag,
    summary: 'Update an event',
    description:
      'Only sent fields change; null clears. An occurrence id changes that occurrence, a series id the series. With `scope=following` an occurrence id changes that occurrence and all later ones, which become a series of their own; with `scope=all`, the whole series.',
    access: 'key',
    query: eventWriteQuery,
    body: { schema: eventUpdate, required: true },
    takesIfMatch: true,
    sendsEtag: true,
    answers: [
      { status: 200, description: 'The event as written, its series, or the new series.', schema: calendarEvent },
    ],
    errors: [...writeErrors, 'PreconditionFailed'],
    handle: async (call) => withEtag(await call.engine.events.update(...placeOfEvent(call), bodyOf(call), edit(call))),
  },
  {
    method: 'post',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}/rsvp',
    operationId: 'respondToEvent',
    tag,
    summary: "Set the account's response to an invitation",
    description:
      'The account must be among the attendees. An occurrence id responds to that occurrence, a series id to the whole series.',
    access: 'key',
    query: eventNotifyQuery,
    body: { schema: rsvpBody, required: true },
    takesIfMatch: true,
    answers: [{ status: 200, description: 'The response is set.', schema: z.object({ success: z.boolean() }) }],
    errors: [...writeErrors, 'PreconditionFailed'],
    handle: async (call) => {
      await call.engine.events.respond(...placeOfEvent(call), bodyOf(call), answering(call));
      return { body: { success: true } };
    },
  },
  {
    method: 'delete',
    path: '/v1/events/{endUserAccountId}/{calendarId}/{eventId}',
    operationId: 'deleteEvent',
    tag,
    summary: 'Delete an event or a series, or cancel an occurrence, alone or with all later ones',
    description:
      'A series id deletes the series, an occurrence id cancels that occurrence. With `scope=following` an occurrence id cancels it and all later ones; with `scope=all`, the whole series.',
    access: 'key',
    query: eventWriteQuery,
    takesIfMatch: true,
    answers: [
      {
        status: 200,
        description: 'The event is deleted, or the occurrences are cancelled.',
        schema: z.object({ success: z.boolean() }),
      },
    ],
    errors: [...writeErrors, 'PreconditionFailed'],
    handle: async (call) => {
      await call.engine.events.delete(...placeOfEvent(call), edit(call));
      return { body: { success: true } };
    },
  },
];
