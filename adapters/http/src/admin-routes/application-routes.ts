import {
  application,
  applicationCreate,
  applicationListQuery,
  applicationUpdate,
  redirectUrlAdd,
  redirectUrlRemove,
} from 'kalends/model';
import { z } from 'zod';
import { bodyOf } from '../route.ts';
import { ADMIN, type AdminRoute, applicationIdOf } from './admin-route.ts';

const tag = 'Applications';
const path = '/admin/v1/applications/{app}';

export const applicationRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'post',
    path: '/admin/v1/applications',
    operationId: 'createApplication',
    command: {
      words: 'app create',
      next: 'Next: kalends client set PROVIDER_A --app {id} --client-id ID < FILE-WITH-THE-SECRET',
      example: '--name Shop --redirect-url https://shop.example.com/connected',
    },
    tag,
    summary: 'Create an application',
    description:
      'An application is a tenant: no other application sees its keys, accounts and receivers. `redirectUrls` are where the authorization flow may end.',
    body: { schema: applicationCreate, required: true },
    answers: [{ status: 201, description: 'The application.', schema: application }],
    errors: [],
    handle: async ({ engine, caller, body }) => ({
      status: 201,
      body: await engine.applications.create(body as z.input<typeof applicationCreate>, caller),
    }),
  },
  {
    ...ADMIN,
    method: 'get',
    path: '/admin/v1/applications',
    operationId: 'listApplications',
    command: { words: 'app list', columns: ['id', 'name', 'status', 'createdAt'], example: '' },
    tag,
    summary: 'List applications',
    description: 'A deletion that goes on has the status DELETING and `accountsLeft`.',
    query: applicationListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of applications, oldest first, those that are being deleted included.',
        schema: z.object({ data: z.array(application), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken'],
    handle: async ({ engine, query }) => ({ body: await engine.applications.list(query) }),
  },
  {
    ...ADMIN,
    method: 'get',
    path,
    operationId: 'getApplication',
    command: { words: 'app get', positionals: ['app'], example: 'app_1' },
    tag,
    summary: 'Get an application',
    description: '`status` is DELETING while background work deletes its accounts.',
    answers: [{ status: 200, description: 'The application.', schema: application }],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.applications.get(applicationIdOf(call)) }),
  },
  {
    ...ADMIN,
    method: 'put',
    path,
    operationId: 'updateApplication',
    command: { words: 'app update', positionals: ['app'], example: 'app_1 --name "My shop"' },
    tag,
    summary: 'Update an application',
    description: 'Changes the fields that are sent. `redirectUrls` replaces the whole list.',
    body: { schema: applicationUpdate, required: true },
    answers: [{ status: 200, description: 'The application.', schema: application }],
    errors: ['NotFound'],
    handle: async (call) => {
      return { body: await call.engine.applications.update(applicationIdOf(call), bodyOf(call), call.caller) };
    },
  },
  {
    ...ADMIN,
    method: 'delete',
    path,
    operationId: 'deleteApplication',
    command: {
      words: 'app delete',
      positionals: ['app'],
      confirm: 'Delete the application {app} with its keys, accounts and webhook endpoints, and revoke their grants?',
      next: 'Its keys are refused from now on. Background work deletes the rest; see: kalends app get {id}',
      example: 'app_1 --wait',
    },
    tag,
    summary: 'Delete an application',
    description:
      'Its keys are refused at once. Background work then deletes its accounts one by one, its endpoints, and itself; a GET is 404 when it is done. Repeating the request does no harm.',
    answers: [{ status: 202, description: 'The deletion has begun; `status` is DELETING.', schema: application }],
    errors: ['NotFound'],
    handle: async (call) => {
      const { applications } = call.engine;
      const found = await applications.get(applicationIdOf(call));
      await applications.delete(found.id, call.caller);
      return { status: 202, body: { ...found, status: 'DELETING' } };
    },
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/redirectUrls`,
    operationId: 'addRedirectUrl',
    command: {
      words: 'app add-redirect-url',
      positionals: ['app', 'url'],
      example: 'app_1 https://shop.example.com/connected',
    },
    tag,
    summary: 'Add a redirect URL',
    description: 'At the end of the list; without effect when the list has it.',
    body: { schema: redirectUrlAdd, required: true },
    answers: [{ status: 200, description: 'The application.', schema: application }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.applications.addRedirectUrl(applicationIdOf(call), bodyOf(call), call.caller),
    }),
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/redirectUrls/remove`,
    operationId: 'removeRedirectUrl',
    command: {
      words: 'app remove-redirect-url',
      positionals: ['app', 'url'],
      example: 'app_1 https://shop.example.com/connected',
    },
    tag,
    summary: 'Remove a redirect URL',
    description: '404 when the list does not have it.',
    body: { schema: redirectUrlRemove, required: true },
    answers: [{ status: 200, description: 'The application.', schema: application }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.applications.removeRedirectUrl(applicationIdOf(call), bodyOf(call), call.caller),
    }),
  },
];
