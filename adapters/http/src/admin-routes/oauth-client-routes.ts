import { oauthClient, oauthClientSet, oauthClientTest } from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter } from '../route.ts';
import { ADMIN, type AdminCall, type AdminRoute, applicationIdOf, SUCCEEDED, success } from './admin-route.ts';

const tag = 'OAuth clients';
const path = '/admin/v1/applications/{app}/oauthClients/{provider}';

export const oauthClientRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path: '/admin/v1/applications/{app}/oauthClients',
    operationId: 'listOAuthClients',
    command: {
      words: 'client list',
      columns: ['providerType', 'clientId', 'secretExpiresAt', 'redirectUri'],
      example: '--app app_1',
    },
    tag,
    summary: "List an application's OAuth clients",
    description: 'One for each provider at most. `redirectUri` is the URL to register at the provider.',
    answers: [
      {
        status: 200,
        description: 'The OAuth clients, without their secrets.',
        schema: z.object({ data: z.array(oauthClient) }),
      },
    ],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.oauthClients.list(applicationIdOf(call)) }),
  },
  {
    ...ADMIN,
    method: 'get',
    path,
    operationId: 'getOAuthClient',
    command: { words: 'client get', positionals: ['provider'], example: 'PROVIDER_A --app app_1' },
    tag,
    summary: "Get an application's OAuth client at a provider",
    description: '`redirectUri` is the URL to register at the provider.',
    answers: [{ status: 200, description: 'The OAuth client, without its secret.', schema: oauthClient }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.oauthClients.get(applicationIdOf(call), providerTypeOf(call)),
    }),
  },
  {
    ...ADMIN,
    method: 'put',
    path,
    operationId: 'setOAuthClient',
    command: {
      words: 'client set',
      positionals: ['provider'],
      next: 'Register the redirectUri at the provider. Next: kalends client test {providerType} --app {app}',
      example: 'PROVIDER_B --app app_1 --client-id 5f3c --setting tenant=common < client-secret',
    },
    tag,
    summary: "Set an application's OAuth client at a provider",
    description: 'Creates or replaces it as a whole. The secret is sealed and never shown again.',
    body: { schema: oauthClientSet, required: true },
    answers: [{ status: 200, description: 'The OAuth client, without its secret.', schema: oauthClient }],
    errors: ['NotFound'],
    handle: async (call) => {
      // The service validates the body.
      const client = bodyOf(call) as { readonly clientId: string; readonly clientSecret: string };
      const { oauthClients } = call.engine;
      return { body: await oauthClients.set(applicationIdOf(call), providerTypeOf(call), client, call.caller) };
    },
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/test`,
    operationId: 'testOAuthClient',
    command: {
      words: 'client test',
      positionals: ['provider'],
      success: { field: 'outcome', value: 'accepted' },
      example: 'PROVIDER_A --app app_1',
    },
    tag,
    summary: "Test an application's OAuth client at a provider",
    description: "Asks the provider's token endpoint whether it accepts the client, without an account.",
    answers: [
      { status: 200, description: 'What the provider objected to, and how to mend it.', schema: oauthClientTest },
    ],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.oauthClients.test(applicationIdOf(call), providerTypeOf(call), call.caller),
    }),
  },
  {
    ...ADMIN,
    method: 'delete',
    path,
    operationId: 'removeOAuthClient',
    command: {
      words: 'client remove',
      positionals: ['provider'],
      confirm: 'Remove the OAuth client of application {app} at {provider}?',
      next: 'No account can be connected at {provider} until another client is set.',
      example: 'PROVIDER_A --app app_1',
    },
    tag,
    summary: "Remove an application's OAuth client at a provider",
    description: 'Refused while accounts are connected through it.',
    answers: [{ status: 200, description: 'The OAuth client is removed.', schema: success }],
    errors: ['NotFound', 'Conflict'],
    handle: async (call) => {
      await call.engine.oauthClients.remove(applicationIdOf(call), providerTypeOf(call), call.caller);
      return SUCCEEDED;
    },
  },
];

/** Returns the provider type that the path names in any case. One that is not registered stays as sent. */
function providerTypeOf(call: AdminCall): string {
  const sent = parameter(call, 'provider');
  return call.engine.providerTypes.find((type) => type.toLowerCase() === sent.toLowerCase()) ?? sent;
}
