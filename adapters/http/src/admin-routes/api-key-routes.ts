import { apiKey, apiKeyCreate, apiKeyCreated } from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter } from '../route.ts';
import { ADMIN, type AdminRoute, applicationIdOf, SUCCEEDED, success } from './admin-route.ts';

const tag = 'API keys';
const path = '/admin/v1/applications/{app}/apiKeys';

export const apiKeyRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'post',
    path,
    operationId: 'createApiKey',
    command: {
      words: 'key create',
      next: 'No other command shows the key: store it now.',
      example: '--app app_1 --name Backend --expires-at 90d',
    },
    tag,
    summary: 'Create an API key',
    description:
      'A key belongs to one application. `readOnly` keys read alone; `canReadCredentials` opens the credentials of accounts.',
    isSecret: true,
    body: { schema: apiKeyCreate, required: true },
    answers: [{ status: 201, description: 'The key. No other answer shows it.', schema: apiKeyCreated }],
    errors: ['NotFound'],
    handle: async (call) => {
      // The service validates the body.
      const input = bodyOf(call) as { readonly name: string; readonly expiresAt: string | null };
      return { status: 201, body: await call.engine.apiKeys.create(applicationIdOf(call), input, call.caller) };
    },
  },
  {
    ...ADMIN,
    method: 'get',
    path,
    operationId: 'listApiKeys',
    command: {
      words: 'key list',
      columns: ['id', 'name', 'readOnly', 'expiresAt', 'revokedAt', 'lastUsedAt'],
      example: '--app app_1',
    },
    tag,
    summary: "List an application's API keys",
    description: '`lastUsedAt` is noted once a minute at most.',
    answers: [
      {
        status: 200,
        description: 'The keys, oldest first, expired and revoked ones included, without their texts.',
        schema: z.object({ data: z.array(apiKey) }),
      },
    ],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.apiKeys.list(applicationIdOf(call)) }),
  },
  {
    ...ADMIN,
    method: 'delete',
    path: `${path}/{key}`,
    operationId: 'revokeApiKey',
    command: {
      words: 'key revoke',
      positionals: ['key'],
      confirm: 'Revoke the key {key} of application {app}?',
      next: 'The key is refused from now on.',
      example: 'key_1 --app app_1',
    },
    tag,
    summary: 'Revoke an API key',
    description: 'From the next request on it is refused.',
    answers: [{ status: 200, description: 'The key is revoked.', schema: success }],
    errors: ['NotFound'],
    handle: async (call) => {
      await call.engine.apiKeys.revoke(applicationIdOf(call), parameter(call, 'key'), call.caller);
      return SUCCEEDED;
    },
  },
];
