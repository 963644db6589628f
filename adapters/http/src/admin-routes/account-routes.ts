import {
  accountConnect,
  accountListQuery,
  endUserAccount,
  reconnectLink,
  syncHealth,
  syncHealthQuery,
  syncProgress,
} from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter } from '../route.ts';
import { ADMIN, type AdminRoute, applicationIdOf, callerFor, SUCCEEDED, success } from './admin-route.ts';
import { connectAccount } from './connect-account.ts';

const tag = 'Accounts';
const path = '/admin/v1/applications/{app}/accounts';

export const accountRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path,
    operationId: 'listAccounts',
    command: {
      words: 'account list',
      columns: ['id', 'email', 'providerType', 'status', 'externalId'],
      example: '--app app_1 --status-filter expired',
    },
    tag,
    summary: "List an application's accounts",
    description: 'With their status and the provider type. `search` looks in the email address and the externalId.',
    query: accountListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of accounts, oldest first.',
        schema: z.object({ data: z.array(endUserAccount), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({ body: await call.engine.accounts.list(await callerFor(call), call.query) }),
  },
  {
    ...ADMIN,
    method: 'post',
    path,
    operationId: 'connectAccount',
    command: {
      words: 'account connect',
      positionals: ['providerType'],
      secretWith: { password: 'username' },
      next: 'Next: kalends account health {id} --app {app}',
      example: 'CALDAV --app app_1 --server-url https://dav.example.com --user ada < app-password',
    },
    tag,
    summary: 'Connect an account at a provider without OAuth',
    description:
      'A server of CalDAV or iCloud by user name and app password, or a feed by its URL. They are proved by a real request before anything is stored; an account of the same mailbox gets new credentials.',
    body: { schema: accountConnect, required: true },
    answers: [
      { status: 201, description: 'The account was created.', schema: endUserAccount },
      { status: 200, description: 'The account of the same mailbox has new credentials.', schema: endUserAccount },
    ],
    errors: ['InvalidCredentials', 'NotFound', 'Conflict', 'ProviderError', 'ProviderUnavailable', 'ProviderTimeout'],
    handle: async (call) => {
      const { account, created } = await connectAccount(call.engine.accounts, await callerFor(call), bodyOf(call));
      return { status: created ? 201 : 200, body: account };
    },
  },
  {
    ...ADMIN,
    method: 'get',
    path: `${path}/{account}`,
    operationId: 'getAccount',
    command: { words: 'account get', positionals: ['account'], example: 'acc_1 --app app_1' },
    tag,
    summary: 'Get an account',
    description: 'As the application sees it. Credentials are never shown here.',
    answers: [{ status: 200, description: 'The account.', schema: endUserAccount }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.accounts.get(await callerFor(call), parameter(call, 'account')),
    }),
  },
  {
    ...ADMIN,
    method: 'get',
    path: `${path}/{account}/syncHealth`,
    operationId: 'getSyncHealth',
    command: {
      words: 'account health',
      positionals: ['account'],
      columns: ['calendarId', 'syncedAt', 'dueAt', 'channel.kind', 'setAside', 'failures', 'lastFailure.code'],
      example: 'acc_1 --app app_1',
    },
    tag,
    summary: "Get the state of an account's sync",
    description: 'Collection by collection. `since` of a sync that was begun adds its progress.',
    query: syncHealthQuery,
    answers: [{ status: 200, description: 'The state of its sync.', schema: syncHealth }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.operations.getSyncHealth(applicationIdOf(call), parameter(call, 'account'), call.query),
    }),
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/{account}/sync`,
    operationId: 'syncAccount',
    command: {
      words: 'account sync',
      positionals: ['account'],
      next: 'Background work syncs it; see: kalends account health {account} --app {app} --since {since}',
      example: 'acc_1 --app app_1 --wait',
    },
    tag,
    summary: 'Sync an account now',
    description:
      'Makes every collection due for background work, and answers at once. Read the progress with `since` of syncHealth.',
    answers: [{ status: 202, description: 'The progress at its beginning.', schema: syncProgress }],
    errors: ['NotFound', 'InvalidRefreshToken'],
    handle: async (call) => ({
      status: 202,
      body: await call.engine.operations.sync(applicationIdOf(call), parameter(call, 'account'), call.caller),
    }),
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/{account}/expire`,
    operationId: 'expireAccount',
    command: {
      words: 'account expire',
      positionals: ['account'],
      confirm: 'Stop the sync of account {account} until its person has reconnected it?',
      next: 'Next: kalends account reconnect-link {id} --app {app}',
      example: 'acc_1 --app app_1',
    },
    tag,
    summary: 'Expire an account',
    description:
      'As if the provider had ended its grant: the account keeps its mirror and works again once it is reconnected. The grant is not revoked.',
    answers: [{ status: 200, description: 'The account.', schema: endUserAccount }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.operations.expire(applicationIdOf(call), parameter(call, 'account'), call.caller),
    }),
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/{account}/reconnectLink`,
    operationId: 'createReconnectLink',
    command: {
      words: 'account reconnect-link',
      positionals: ['account'],
      next: 'Send the link to the person whose account it is.',
      example: 'acc_1 --app app_1',
    },
    tag,
    summary: 'Create a link that reconnects an account',
    description:
      "A URL of the authorization flow for this mailbox. It returns to the application's first redirect URL.",
    isSecret: true,
    answers: [{ status: 200, description: 'The link.', schema: reconnectLink }],
    errors: ['NotFound', 'Conflict'],
    handle: async (call) => {
      const { operations } = call.engine;
      return {
        body: await operations.createReconnectLink(applicationIdOf(call), parameter(call, 'account'), call.caller),
      };
    },
  },
  {
    ...ADMIN,
    method: 'delete',
    path: `${path}/{account}`,
    operationId: 'deleteAccount',
    command: {
      words: 'account delete',
      positionals: ['account'],
      confirm: 'Delete the account {account} with its subscriptions, and revoke its grant?',
      next: 'The account is deleted.',
      example: 'acc_1 --app app_1',
    },
    tag,
    summary: 'Delete an account',
    description: 'Revokes the grant where the provider can, closes push channels and removes the mirror.',
    answers: [{ status: 200, description: 'The account is deleted.', schema: success }],
    errors: ['NotFound'],
    handle: async (call) => {
      await call.engine.accounts.delete(await callerFor(call), parameter(call, 'account'));
      return SUCCEEDED;
    },
  },
];
