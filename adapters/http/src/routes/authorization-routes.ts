import { type AuthorizationRedirect, KalendsError, type SignInForm } from 'kalends';
import { authorizeQuery } from 'kalends/model';
import { z } from 'zod';
import { type Call, parameter, type Route } from '../route.ts';
import { browserPage, escapeHtml } from './browser-page.ts';
import { readForm } from './form-body.ts';
import { signInForm, signInPage } from './sign-in-page.ts';

const tag = 'Authorization';

/** Providers send parameters of their own too. */
const callbackQuery = z.looseObject({
  state: z.string().describe('The flow, as the provider was sent it.'),
  code: z.string().optional().describe("The provider's code, when the person has consented."),
  error: z.string().optional().describe("The provider's error, when the person has not."),
  error_description: z.string().optional().describe("The provider's words for it."),
});

const signInQuery = z.looseObject({ state: z.string().describe('The flow, as the authorize URL gave it.') });

/** The page is submitted to its own address. */
const submitQuery = z.looseObject({
  state: z.string().optional().describe('As the page has it; the field of the form decides.'),
});

export const authorizationRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/oauth/authorize/{app_id}/{provider}',
    operationId: 'authorize',
    tag,
    summary: "Send an end user into the provider's authorization flow",
    description:
      'For a browser, hence without an API key. `provider` is the provider type in lower case. A provider without OAuth gets a page of this service, which asks for its credentials. The flow ends at redirectUrl with `endUserAccountId` (or `error`, `error_description`) and `state`.',
    access: 'open',
    query: authorizeQuery,
    answers: [{ status: 302, description: 'To the provider, or to the page of this service.' }],
    errors: ['InvalidRedirectUrl', 'NotFound'],
    handle: (call) =>
      browserStep(call, () =>
        call.engine.authorization.begin(
          parameter(call, 'app_id'),
          parameter(call, 'provider'),
          call.query,
          call.request.headers.get('cookie'),
        ),
      ),
  },
  {
    method: 'get',
    path: '/v1/oauth/callback/{provider}',
    operationId: 'authorizationCallback',
    tag,
    summary: "The callback of the provider's authorization flow",
    description: 'Register this URL as the redirect URI of your OAuth client at the provider.',
    access: 'open',
    query: callbackQuery,
    answers: [{ status: 302, description: 'To the application.' }],
    errors: ['NotFound'],
    handle: (call) =>
      browserStep(call, () =>
        call.engine.authorization.callback(parameter(call, 'provider'), call.query, call.request.headers.get('cookie')),
      ),
  },
  {
    method: 'get',
    path: '/v1/oauth/signIn/{provider}',
    operationId: 'showSignIn',
    tag,
    summary: 'The page that asks for the credentials of a provider without OAuth',
    description: 'For the browser that began the flow: it is sent here by the authorize URL. The page needs no script.',
    access: 'open',
    query: signInQuery,
    mediaType: 'text/html',
    answers: [{ status: 200, description: 'The page.', schema: z.string() }],
    errors: ['NotFound'],
    handle: (call) =>
      browserStep(call, () =>
        call.engine.authorization.showSignIn(
          parameter(call, 'provider'),
          call.query,
          call.request.headers.get('cookie'),
        ),
      ),
  },
  {
    method: 'post',
    path: '/v1/oauth/signIn/{provider}',
    operationId: 'signIn',
    tag,
    summary: 'The submitted page of a provider without OAuth',
    description:
      'The credentials are proved by a real request before anything is stored. Failures count against the address, the user name and the host.',
    access: 'open',
    form: signInForm,
    query: submitQuery,
    answers: [{ status: 303, description: 'To the application.' }],
    errors: [
      'InvalidCredentials',
      'NotFound',
      'PayloadTooLarge',
      'UnsupportedMediaType',
      'ProviderUnavailable',
      'ProviderTimeout',
    ],
    handle: (call) =>
      browserStep(call, async () =>
        call.engine.authorization.signIn(
          parameter(call, 'provider'),
          await readForm(call.request),
          call.request.headers.get('cookie'),
          call.address,
        ),
      ),
  },
];

async function browserStep(call: Call, step: () => Promise<AuthorizationRedirect | SignInForm>): Promise<Response> {
  try {
    const outcome = await step();
    if ('state' in outcome) {
      if (outcome.problem !== null) call.verdict.error = outcome.problem;
      return signInPage(outcome);
    }
    const { location, cookies, isRefused } = outcome;
    call.verdict.isFailure = isRefused;
    const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    for (const cookie of cookies) headers.append('set-cookie', cookie);
    return new Response(null, { status: call.request.method === 'POST' ? 303 : 302, headers });
  } catch (error) {
    const wantsPage = (call.request.headers.get('accept') ?? '').includes('text/html');
    if (!wantsPage || !KalendsError.isInstance(error)) throw error;
    call.verdict.error = error;
    return errorPage(error);
  }
}

/** The message of an internal error is for the log alone. */
const messageOf = ({ code, message }: KalendsError) =>
  code === 'InternalError' ? 'An unexpected error occurred. Try again later.' : message;

/** Returns a page instead of a problem document: a person reads this answer in a browser. */
function errorPage(error: KalendsError): Response {
  return browserPage({
    status: error.status,
    title: 'Calendar connection failed',
    body: `<h1>The calendar could not be connected</h1><p>${escapeHtml(messageOf(error))}</p><p>Error code: <code>${error.code}</code></p>`,
  });
}
