import { findMailbox, type GoogleContext } from '../google-context.ts';
import { consentPage } from './consent-page.ts';
import { consent, findGrant } from './grants.ts';
import { oauthErrorPage, redirectBack } from './oauth-errors.ts';
import { canonicalScopes } from './scopes.ts';

const CODE_LIFE_MS = 600_000;
const FORM_ONLY_FIELDS = ['mailbox', 'decision', 'granted_scope'];

interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  /** This server, named in each redirect back (RFC 9207). */
  readonly issuer: string;
  readonly scopes: string[];
  readonly state: string | null;
  readonly prompts: readonly string[];
  readonly offline: boolean;
  readonly loginHint: string | null;
  readonly nonce: string | null;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: string | null;
  readonly includeGranted: boolean;
}

/** `GET /o/oauth2/v2/auth`: shows the consent page, or redirects back at once when `prompt=none`. */
export async function showAuthorization(context: GoogleContext, url: URL, root: string): Promise<Response> {
  const read = readRequest(context, url.searchParams, root);
  if (read instanceof Response || read instanceof Promise) return read;
  if (read.prompts.includes('none')) return answerSilently(context, read);
  return consentPage({
    action: `${root}/o/oauth2/v2/auth`,
    clientId: read.clientId,
    parameters: url.searchParams,
    scopes: read.scopes,
    mailboxes: Object.values(context.state.mailboxes).map((mailbox) => mailbox.email),
    loginHint: read.loginHint,
  });
}

/** `POST /o/oauth2/v2/auth`: takes the decision of the consent page. */
export async function decideAuthorization(
  context: GoogleContext,
  form: URLSearchParams,
  root: string,
): Promise<Response> {
  const parameters = new URLSearchParams([...form].filter(([name]) => !FORM_ONLY_FIELDS.includes(name)));
  const read = readRequest(context, parameters, root);
  if (read instanceof Response || read instanceof Promise) return read;
  const decision = form.get('decision');
  if (decision === 'deny') return refusal(read, 'access_denied');
  if (decision !== 'allow') return oauthErrorPage(400, 'invalid_request', 'decision must be allow or deny.');
  const mailbox = findMailbox(context, form.get('mailbox') ?? '');
  if (mailbox === undefined) {
    return oauthErrorPage(400, 'invalid_request', 'mailbox must name a mailbox of this sandbox.');
  }
  const ticked = form.getAll('granted_scope');
  const granted = ticked.length === 0 ? read.scopes : read.scopes.filter((scope) => ticked.includes(scope));
  if (granted.length === 0) return refusal(read, 'access_denied');
  return grantCode(context, read, mailbox.email, granted);
}

/** No browser session exists here: `login_hint` stands for the account that is signed in. */
function answerSilently(context: GoogleContext, read: AuthorizationRequest): Response {
  if (read.prompts.length > 1) return refusal(read, 'invalid_request');
  const mailbox = read.loginHint === null ? undefined : findMailbox(context, read.loginHint);
  if (mailbox === undefined) return refusal(read, 'login_required');
  const grant = findGrant(context, mailbox.email, read.clientId);
  if (grant === undefined || read.scopes.some((scope) => !grant.scopes.includes(scope))) {
    return refusal(read, 'consent_required');
  }
  return grantCode(context, read, mailbox.email, read.scopes);
}

function grantCode(
  context: GoogleContext,
  read: AuthorizationRequest,
  email: string,
  granted: readonly string[],
): Response {
  const { grant, isFirst } = consent(context, { email, clientId: read.clientId, scopes: granted });
  const code = `4/0${context.kernel.randomText(60)}`;
  const scopes = read.includeGranted ? [...grant.scopes] : [...granted];
  context.state.codes[code] = {
    grantId: grant.id,
    redirectUri: read.redirectUri,
    expiresAt: context.kernel.clock.now() + CODE_LIFE_MS,
    scopes,
    nonce: read.nonce,
    codeChallenge: read.codeChallenge,
    codeChallengeMethod: read.codeChallengeMethod,
    offline: read.offline && (isFirst || read.prompts.includes('consent')),
    used: false,
  };
  context.kernel.touched();
  return redirectBack(read.redirectUri, {
    state: read.state,
    iss: read.issuer,
    code,
    scope: scopes.join(' '),
    authuser: '0',
  });
}

function refusal({ redirectUri, state, issuer }: AuthorizationRequest, error: string): Response {
  return redirectBack(redirectUri, { error, state, iss: issuer });
}

/** Reads the request; an untrusted redirect URI gets a page, never a redirect (RFC 6749 §4.1.2.1). */
function readRequest(
  context: GoogleContext,
  parameters: URLSearchParams,
  issuer: string,
): AuthorizationRequest | Response | Promise<Response> {
  const clientId = parameters.get('client_id') ?? '';
  const client = context.state.clients[clientId];
  if (client === undefined) return oauthErrorPage(401, 'invalid_client', 'The OAuth client was not found.');
  const redirectUri = parameters.get('redirect_uri') ?? '';
  if (!client.redirectUris.includes(redirectUri)) {
    return oauthErrorPage(
      400,
      'redirect_uri_mismatch',
      `The redirect URI is not registered for this client: ${redirectUri}`,
    );
  }
  if (parameters.get('response_type') !== 'code') {
    return oauthErrorPage(400, 'unsupported_response_type', 'response_type must be code.');
  }
  const scopes = canonicalScopes(parameters.get('scope') ?? '');
  if (scopes.length === 0) return oauthErrorPage(400, 'invalid_request', 'Missing required parameter: scope');
  const codeChallenge = parameters.get('code_challenge');
  const codeChallengeMethod = parameters.get('code_challenge_method') ?? (codeChallenge === null ? null : 'plain');
  if (codeChallengeMethod !== null && !['S256', 'plain'].includes(codeChallengeMethod)) {
    return oauthErrorPage(400, 'invalid_request', 'Invalid code_challenge_method');
  }
  const prompts = (parameters.get('prompt') ?? '').split(/\s+/).filter((name) => name !== '');
  if (prompts.some((name) => !['none', 'consent', 'select_account'].includes(name))) {
    return oauthErrorPage(400, 'invalid_request', `Invalid parameter value for prompt: ${prompts.join(' ')}`);
  }
  return {
    clientId,
    redirectUri,
    issuer,
    scopes,
    state: parameters.get('state'),
    prompts,
    offline: parameters.get('access_type') === 'offline',
    loginHint: parameters.get('login_hint'),
    nonce: parameters.get('nonce'),
    codeChallenge,
    codeChallengeMethod,
    includeGranted: parameters.get('include_granted_scopes') === 'true',
  };
}
