import { type AuthorizationRedirect, KalendsError } from 'kalends';
import { authorizeQuery } from 'kalends/model';
import { type Call, parameter, type Route } from '../route.ts';

const tag = 'Authorization';

export const authorizationRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/oauth/authorize/{app_id}/{provider}',
    operationId: 'authorize',
    tag,
    summary: "Send an end user into the provider's authorization flow",
    description:
      'For a browser, hence without an API key. `provider` is the provider type in lower case. The flow ends at redirectUrl with `endUserAccountId` (or `error`, `error_description`) and `state`.',
    access: 'open',
    query: authorizeQuery,
    answers: [{ status: 302, description: 'To the provider.' }],
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
    query: 'pass',
    answers: [{ status: 302, description: 'To the application.' }],
    errors: ['NotFound'],
    handle: (call) =>
      browserStep(call, () =>
        call.engine.authorization.callback(parameter(call, 'provider'), call.query, call.request.headers.get('cookie')),
      ),
  },
];

async function browserStep(call: Call, step: () => Promise<AuthorizationRedirect>): Promise<Response> {
  try {
    const { location, cookies, isRefused } = await step();
    call.verdict.isFailure = isRefused;
    const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    for (const cookie of cookies) headers.append('set-cookie', cookie);
    return new Response(null, { status: 302, headers });
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
  const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Calendar connection failed</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color:#222}code{background:#eee;padding:.1em .3em}</style>
<h1>The calendar could not be connected</h1><p>${escapeHtml(messageOf(error))}</p><p>Error code: <code>${error.code}</code></p></html>`;
  return new Response(html, {
    status: error.status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // Its address holds the provider's code.
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  });
}
