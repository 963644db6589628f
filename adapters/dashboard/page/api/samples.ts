import { applicationId, session } from '../state/session.ts';
import { type Call, pathOf } from './request.ts';

/** Returns the interface's public address. */
function apiUrl(): string {
  return session.value?.apiUrl ?? new URL('.', document.baseURI).href.replace(/\/[^/]+\/$/, '/api');
}

/** Returns the address at which a person connects a mailbox of the provider to the chosen application. */
export const connectUrl = (providerType: string): string =>
  `${apiUrl()}/v1/oauth/authorize/${applicationId.value ?? '{app}'}/${providerType.toLowerCase()}`;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a call as a command for a shell, with a variable in the place of the credential. */
export function asCurl(call: Call): string {
  const { method = 'GET', path, body } = call;
  const isAdmin = path.startsWith('/admin/');
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(apiUrl() + pathOf(call))}`,
    isAdmin ? '-H "authorization: Bearer $KALENDS_ADMIN_TOKEN"' : '-H "x-api-key: $KALENDS_API_KEY"',
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** Returns a call as code for JavaScript. */
export function asCode(call: Call): string {
  const { method = 'GET', path, body } = call;
  const isAdmin = path.startsWith('/admin/');
  const credential = isAdmin
    ? "authorization: 'Bearer ' + process.env.KALENDS_ADMIN_TOKEN"
    : "'x-api-key': process.env.KALENDS_API_KEY";
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: { ${credential}${body === undefined ? '' : ", 'content-type': 'application/json'"} },`,
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ];
  return `const response = await fetch('${apiUrl()}${pathOf(call)}', {\n${options.join('\n')}\n});`;
}

/** Returns the path of an administration call below the chosen application. */
export const ofApplication = (rest = ''): string => `/admin/v1/applications/${applicationId.value ?? '{app}'}${rest}`;
