import type { SignInForm } from 'kalends';
import { z } from 'zod';
import { browserPage, escapeHtml } from './browser-page.ts';

const STYLE =
  'main{margin-top:-7vh}h1{font-size:1.4rem}label{display:block;margin:1rem 0 .2rem;font-weight:600}' +
  'input{font:inherit;box-sizing:border-box;width:100%;padding:.5rem;border:1px solid #767676;border-radius:4px}' +
  'input[aria-invalid]{border:2px solid #b00020}small{display:block;margin-top:.35rem;color:#555}.error{color:#b00020}' +
  '.actions{display:flex;gap:.5rem;margin-top:1.5rem}button{font:inherit;padding:.5rem 1rem;border-radius:4px;border:1px solid #767676;background:#fff;color:#222}' +
  'button.main{background:#1a4fa3;border-color:#1a4fa3;color:#fff}:focus-visible{outline:3px solid #f0a020;outline-offset:2px}';

/** Form of the page. Which fields it has depends on the provider. */
export const signInForm = z.object({
  state: z.string().describe('The flow, as the page has it.'),
  serverUrl: z
    .string()
    .optional()
    .describe('The server, or the address of a calendar feed; `https://` may be left out.'),
  username: z.string().optional(),
  password: z.string().optional().describe('The app password, or the access token.'),
  cancel: z.string().optional().describe('Ends the flow without an account, whatever its value.'),
});

interface Field {
  /** Name in the form. */
  readonly name: 'serverUrl' | 'username' | 'password';
  /** Name in the details of an error. */
  readonly path: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly attributes: string;
}

/** Returns our own page to sign in at a provider without OAuth. It works without script. */
export function signInPage(form: SignInForm): Response {
  const { applicationName, serverHost, state, problem } = form;
  const title = serverHost === null ? 'Connect a calendar' : `Connect a calendar of ${serverHost}`;
  const fields = fieldsOf(form);
  const isFieldKnown = (path: string) => fields.some((field) => field.path === path);
  const details = problem?.details ?? [];
  const messageOf = ({ path }: Field) => details.find((detail) => detail.path === path)?.message;
  const isOfFields = details.length > 0 && details.every(({ path }) => isFieldKnown(path));
  const alert =
    problem === null || isOfFields ? '' : `<p class="error" role="alert">${escapeHtml(wordsOf(problem))}</p>`;
  const firstAtFault = fields.findIndex((field) => messageOf(field) !== undefined);
  const firstEmpty = fields.findIndex(({ value }) => value === '');
  const focused = firstAtFault >= 0 ? firstAtFault : firstEmpty;
  const inputs = fields.map((field, index) => inputOf(field, messageOf(field), index === focused)).join('');
  const body = `<main><h1>${escapeHtml(title)}</h1>
<p><strong>${escapeHtml(applicationName)}</strong> will read and change your calendars.</p>${alert}
<form method="post"><input type="hidden" name="state" value="${escapeHtml(state)}">${inputs}
<p class="actions"><button class="main">Connect</button><button name="cancel" value="1" formnovalidate>Cancel</button></p></form></main>`;
  const retryAfterMs = problem?.retryAfterMs;
  return browserPage({
    status: problem?.status ?? 200,
    title,
    body,
    style: STYLE,
    formAction: formActionOf(form.redirectUrl),
    // With `no-referrer` browsers post the form with `Origin: null`, which hosts that check Origins refuse.
    headers: {
      'referrer-policy': 'same-origin',
      ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    },
  });
}

/** Browsers hold the redirects after a form to its policy too, and an application's callback may redirect further. */
function formActionOf(redirectUrl: string): string {
  const { protocol } = new URL(redirectUrl);
  return protocol === 'https:' ? "'self' https:" : `'self' https: ${protocol}`;
}

function fieldsOf({ kind, serverHost, serverUrl, username }: SignInForm): readonly Field[] {
  const isFeed = kind === 'url';
  const server: Field = {
    name: 'serverUrl',
    path: isFeed ? 'url' : 'serverUrl',
    label: isFeed ? 'Address of the calendar' : 'Server',
    hint: isFeed ? 'For example webcal://example.com/holidays.ics' : 'For example caldav.example.com',
    value: serverUrl,
    attributes: 'type="text" inputmode="url" autocomplete="url" autocapitalize="none" spellcheck="false"',
  };
  const user: Field = {
    name: 'username',
    path: 'username',
    label: 'User name',
    hint: 'Often your e-mail address',
    value: username,
    attributes: 'type="text" autocomplete="username" autocapitalize="none" spellcheck="false"',
  };
  const secret: Field = {
    name: 'password',
    path: kind === 'bearer' ? 'token' : 'password',
    label: kind === 'bearer' ? 'Access token' : 'App password',
    hint: hintOfSecret(serverHost),
    value: '',
    attributes: 'type="password" autocomplete="current-password"',
  };
  if (isFeed) return [server];
  return [...(serverHost === null ? [server] : []), ...(kind === 'password' ? [user] : []), secret];
}

function hintOfSecret(serverHost: string | null): string {
  return serverHost?.endsWith('.icloud.com')
    ? 'An app-specific password, made at account.apple.com under Sign-In and Security. Your Apple password does not work here.'
    : 'If your provider makes app passwords, make one for this application.';
}

function inputOf({ name, label, hint, value, attributes }: Field, message: string | undefined, isFocused: boolean) {
  const notes = message === undefined ? `${name}-hint` : `${name}-hint ${name}-error`;
  const invalid = message === undefined ? '' : ' aria-invalid="true"';
  const focus = isFocused ? ' autofocus' : '';
  const error =
    message === undefined
      ? ''
      : `<small class="error" id="${name}-error">${escapeHtml(`${label} ${message}.`)}</small>`;
  return `
<label for="${name}">${escapeHtml(label)}</label>
<input id="${name}" name="${name}" required ${attributes} value="${escapeHtml(value)}" aria-describedby="${notes}"${invalid}${focus}>
<small id="${name}-hint">${escapeHtml(hint)}</small>${error}`;
}

function wordsOf({ code, message, retryAfterMs = 60_000 }: NonNullable<SignInForm['problem']>): string {
  if (code === 'RateLimited') {
    const minutes = Math.ceil(retryAfterMs / 60_000);
    return `Too many attempts have failed. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
  }
  if (code === 'InvalidCredentials') return 'This did not work. Check what you have entered, and try again.';
  if (code === 'InvalidRequest') return message;
  return 'The server is not available. Try again in a minute.';
}
