import {
  accountListQuery,
  accountUpsert,
  credentials,
  endUserAccount,
  unreadableListQuery,
  unreadableObject,
} from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter, type Route } from '../route.ts';

const tag = 'End User Accounts';

export const accountRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/endUserAccounts',
    operationId: 'listEndUserAccounts',
    tag,
    summary: 'List accounts',
    description:
      'Accounts of the application that the API key belongs to. `search` looks in the email address and the externalId.',
    access: 'key',
    query: accountListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of accounts, oldest first.',
        schema: z.object({ data: z.array(endUserAccount), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken'],
    handle: async ({ engine, caller, query }) => ({ body: await engine.accounts.list(caller, query) }),
  },
  {
    method: 'get',
    path: '/v1/endUserAccounts/{id}',
    operationId: 'getEndUserAccount',
    tag,
    summary: 'Get an account',
    description:
      '`status` is EXPIRED once the provider has ended the grant. The account then keeps its id, and works again after its person has reconnected it.',
    access: 'key',
    answers: [{ status: 200, description: 'The account.', schema: endUserAccount }],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.accounts.get(call.caller, parameter(call, 'id')) }),
  },
  {
    method: 'get',
    path: '/v1/endUserAccounts/{id}/unreadableObjects',
    operationId: 'listUnreadableObjects',
    tag,
    summary: 'List the objects of the account that cannot be read',
    description:
      'The sync health of the account: objects of the provider whose times, types or rules cannot be read. Each is set aside alone; its last good version stays in place. It is read again at each reconciliation.',
    access: 'key',
    query: unreadableListQuery,
    answers: [
      {
        status: 200,
        description: 'A page, by calendar and id. Empty in a healthy account.',
        schema: z.object({ data: z.array(unreadableObject), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({
      body: await call.engine.accounts.listUnreadable(call.caller, parameter(call, 'id'), call.query),
    }),
  },
  {
    method: 'get',
    path: '/v1/endUserAccounts/{id}/credentials',
    operationId: 'getEndUserAccountCredentials',
    tag,
    summary: "Read an account's provider credentials",
    description:
      'An access token with less than five minutes left is refreshed first; an EXPIRED account has its last one. Every read is audited.',
    access: 'key',
    isSecret: true,
    answers: [{ status: 200, description: 'The credentials.', schema: credentials }],
    errors: ['Forbidden', 'NotFound', 'ProviderError', 'ProviderUnavailable', 'ProviderTimeout'],
    handle: async (call) => ({ body: await call.engine.accounts.getCredentials(call.caller, parameter(call, 'id')) }),
  },
  {
    method: 'post',
    path: '/v1/endUserAccounts',
    operationId: 'upsertEndUserAccount',
    tag,
    summary: 'Create an account from a refresh token, or replace its credentials',
    description: 'The refresh token is refreshed once, as a proof, before anything changes.',
    access: 'key',
    body: { schema: accountUpsert, required: true },
    answers: [
      { status: 201, description: 'The account was created.', schema: endUserAccount },
      { status: 200, description: 'An account of the same mailbox was updated.', schema: endUserAccount },
    ],
    errors: [
      { code: 'InvalidRefreshToken', status: 400 },
      'InvalidCredentials',
      'Conflict',
      'ProviderError',
      'ProviderUnavailable',
      'ProviderTimeout',
    ],
    handle: async (call) => {
      const { account, created } = await call.engine.accounts.upsert(call.caller, bodyOf(call));
      return { status: created ? 201 : 200, body: account };
    },
  },
  {
    method: 'delete',
    path: '/v1/endUserAccounts/{id}',
    operationId: 'deleteEndUserAccount',
    tag,
    summary: 'Delete an account',
    description: 'Revokes the grant where the provider can, closes push channels and removes the mirror.',
    access: 'key',
    answers: [
      {
        status: 200,
        description: 'The account is deleted.',
        schema: z.object({ message: z.string(), ok: z.boolean() }),
      },
    ],
    errors: ['NotFound'],
    handle: async (call) => {
      await call.engine.accounts.delete(call.caller, parameter(call, 'id'));
      return { body: { message: 'End user account deleted', ok: true } };
    },
  },
];
