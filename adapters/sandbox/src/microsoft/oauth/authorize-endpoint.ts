/*
 * The sandbox's sign-in, as a browser or a test drives it.
 *
 * GET  /{tenant}/oauth2/v2.0/authorize   shows a page with one plain form:
 *        mailbox   radio, the address of a mailbox; login_hint preselects
 *        decision  button, `allow` or `deny`
 * POST to the same address (the OAuth parameters stay in the query) with these two fields answers 302 to the
 * redirect_uri with `code` and `state`, or `error` and `state`.
 *
 * prompt=none, or no prompt for a person who consented before, needs no page: the person is the login_hint. Failing
 * that, prompt=none redirects with login_required (no or unknown login_hint) or consent_required (no consent yet).
 */

import { findMailbox, type MicrosoftWorld, type StoredMailbox } from '../state.ts';
import { consentPage, errorPage, escapeMarkup } from './consent-page.ts';
import { createGrant, findGrant, grantable, shortScope } from './grants.ts';

interface Asked {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly prompts: readonly string[];
  readonly loginHint: string | null;
  readonly mode: string;
}

const MODES = ['query', 'fragment', 'form_post'];

function redirectTo(asked: Asked, parameters: Readonly<Record<string, string>>): Response {
  const filled = new URLSearchParams(parameters);
  if (asked.state !== null) filled.set('state', asked.state);
  if (asked.mode === 'form_post') return selfPosting(asked.redirectUri, filled);
  const url = new URL(asked.redirectUri);
  if (asked.mode === 'fragment') url.hash = filled.toString();
  else for (const [name, value] of filled) url.searchParams.set(name, value);
  return new Response(null, { status: 302, headers: { location: url.href, 'cache-control': 'no-store' } });
}

function selfPosting(action: string, parameters: URLSearchParams): Response {
  const inputs = [...parameters].map(
    ([name, value]) => `<input type="hidden" name="${escapeMarkup(name)}" value="${escapeMarkup(value)}">`,
  );
  const html = `<!doctype html><title>Working…</title><form method="post" action="${escapeMarkup(action)}">${inputs.join('')}<button>Continue</button></form><script>document.forms[0].submit()</script>`;
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

const refuse = (asked: Asked, error: string, description: string): Response =>
  redirectTo(asked, { error, error_description: description });

/** Reads the query; returns a Response where the redirect address cannot be trusted. */
function readAsked(world: MicrosoftWorld, query: URLSearchParams): Asked | Response {
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  const client = world.state.clients[clientId];
  if (!client) return errorPage(700016, `Application with identifier '${clientId}' was not found in the directory.`);
  if (!client.redirectUris.includes(redirectUri)) {
    return errorPage(
      50011,
      `The redirect URI '${redirectUri}' does not match the redirect URIs configured for the application.`,
    );
  }
  return {
    clientId,
    redirectUri,
    scopes: [
      ...new Set(
        (query.get('scope') ?? '')
          .split(/\s+/)
          .filter((scope) => scope !== '')
          .map(shortScope),
      ),
    ],
    state: query.get('state'),
    nonce: query.get('nonce'),
    codeChallenge: query.get('code_challenge'),
    prompts: (query.get('prompt') ?? '').split(/\s+/).filter((prompt) => prompt !== ''),
    loginHint: query.get('login_hint'),
    mode: query.get('response_mode') ?? 'query',
  };
}

const PROMPTS = ['none', 'login', 'consent', 'select_account'];

function problemOf(asked: Asked, query: URLSearchParams): Response | null {
  if (query.get('response_type') !== 'code') {
    return refuse(asked, 'unsupported_response_type', "AADSTS700054: response_type 'code' is required.");
  }
  if (!MODES.includes(asked.mode)) {
    return refuse({ ...asked, mode: 'query' }, 'invalid_request', 'AADSTS70001: response_mode is not supported.');
  }
  if (asked.scopes.length === 0) {
    return refuse(asked, 'invalid_request', "AADSTS900144: The request must contain the parameter 'scope'.");
  }
  if (asked.codeChallenge !== null && query.get('code_challenge_method') !== 'S256') {
    return refuse(asked, 'invalid_request', 'AADSTS9002313: code_challenge_method must be S256.');
  }
  if (asked.prompts.some((prompt) => !PROMPTS.includes(prompt))) {
    return refuse(asked, 'invalid_request', 'AADSTS90023: The prompt is not supported.');
  }
  return null;
}

function sendCode(world: MicrosoftWorld, asked: Asked, mailbox: StoredMailbox): Response {
  const { clientId } = asked;
  const scopes = grantable(mailbox.email, asked.scopes);
  const code = `0.${world.kernel.randomText(60)}`;
  const grantId = createGrant(world, { email: mailbox.email, clientId, scopes });
  world.state.codes[code] = {
    grantId,
    redirectUri: asked.redirectUri,
    codeChallenge: asked.codeChallenge,
    nonce: asked.nonce,
    scopes,
    issuedAt: world.kernel.clock.now(),
    redeemed: false,
  };
  world.kernel.touched();
  return redirectTo(asked, { code, session_state: world.kernel.randomText(12) });
}

function isConsented(world: MicrosoftWorld, asked: Asked, mailbox: StoredMailbox): boolean {
  const granted = new Set(findGrant(world, mailbox.email, asked.clientId)?.[1].scopes);
  return grantable(mailbox.email, asked.scopes).every((scope) => granted.has(scope));
}

function withoutPage(world: MicrosoftWorld, asked: Asked, hinted: StoredMailbox | undefined): Response | null {
  const isSilent = asked.prompts.includes('none');
  if (!isSilent && asked.prompts.length > 0) return null;
  if (hinted && isConsented(world, asked, hinted)) return sendCode(world, asked, hinted);
  if (!isSilent) return null;
  if (!hinted)
    return refuse(asked, 'login_required', 'AADSTS50058: A silent sign-in request was sent but no user is signed in.');
  return refuse(asked, 'consent_required', 'AADSTS65001: The user has not consented to use the application.');
}

async function decide(world: MicrosoftWorld, request: Request, asked: Asked): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  if (form.get('decision') !== 'allow') {
    return refuse(asked, 'access_denied', 'AADSTS65004: User declined to consent to access the app.');
  }
  const mailbox = findMailbox(world.state, form.get('mailbox') ?? '');
  if (!mailbox) return errorPage(50034, 'The user account does not exist.');
  return sendCode(world, asked, mailbox);
}

/** GET and POST /{tenant}/oauth2/v2.0/authorize; see the top of this file. */
export async function authorizeEndpoint(
  world: MicrosoftWorld,
  request: Request,
  root: string,
  path: string,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const asked = readAsked(world, query);
  if (asked instanceof Response) return asked;
  const problem = problemOf(asked, query);
  if (problem) return problem;
  if (request.method === 'POST') return decide(world, request, asked);
  const hinted = asked.loginHint === null ? undefined : findMailbox(world.state, asked.loginHint);
  return (
    withoutPage(world, asked, hinted) ??
    consentPage({
      action: `${root}${path}?${query}`,
      clientId: asked.clientId,
      scopes: asked.scopes,
      mailboxes: Object.values(world.state.mailboxes),
      preselected: hinted?.email ?? null,
    })
  );
}
